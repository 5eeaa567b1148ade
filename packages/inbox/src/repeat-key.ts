import type { Ports } from "@postern/core";
import { createBoundedLines, fingerprint, storable, utf8Encode } from "@postern/core/internal";
import type { Ids, OtherKey } from "@postern/core/ports";
import type { Delivery, Identified, Repeat } from "@postern/webhook-verifier";
import { type Inspected, maxKeyLength } from "./quarantine.ts";

/** Keys that every database stores as they are. */
const plainKey = /^[ -~]{1,191}$/;

/**
 * A key in the form that every database stores. One that takes more bytes than the column has, as
 * MySQL counts them, is told from others by its beginning and a fingerprint.
 */
export const storableKey = (key: string): string => {
  if (plainKey.test(key)) return key;
  const text = storable(key);
  if (utf8Encode(text).length <= maxKeyLength) return text;
  return `${storable(text.slice(0, 30))}:${fingerprint(key, 8)}`;
};

/** The keys of an event: the one under which it is stored, and those that others may stand under. */
interface StoredKeys {
  readonly dedupeKey: string;
  /** Absent for nearly every event, and then nothing more is looked up. */
  readonly otherKeys?: readonly OtherKey[];
}

/**
 * The keys of an event that something tells from others. A key that counts for some time only is
 * stored with the number of its window, so that a later event can have it again. An event of the
 * last moments stands under the number before. One of the number behind was stored by a process
 * whose clock is ahead, or that was faster.
 */
const keysInWindow = (dedupeKey: string, windowSeconds: number, receivedAt: number): StoredKeys => {
  const window = Math.floor(receivedAt / (windowSeconds * 1000));
  const since = receivedAt - windowSeconds * 1000;
  const numbered = (number: number): string => `${dedupeKey}:${windowSeconds}:${number}`;
  const others = [numbered(window - 1), numbered(window + 1)];
  return { dedupeKey: numbered(window), otherKeys: others.map((other) => ({ dedupeKey: other, since })) };
};

/** A verified delivery, or an event of its batch. */
export type Verified = Omit<Inspected, "dedupeKey"> & Identified;

/**
 * The keys and the id of an event. One that nothing tells from others gets an id of its own, so that
 * it is never a repeat.
 */
export const keysOf = (
  item: Verified,
  receivedAt: number,
  ids: Ids,
): StoredKeys & { readonly eventId: string | undefined } => {
  const { id, dedupeKey } = item;
  if (dedupeKey !== undefined) {
    const { windowSeconds } = item.repeat;
    return windowSeconds === undefined
      ? { dedupeKey, eventId: id }
      : { ...keysInWindow(dedupeKey, windowSeconds, receivedAt), eventId: id };
  }
  const own = ids.uuid();
  return { dedupeKey: `2:own:${own}`, eventId: id ?? own };
};

/** Under these keys an event stands that the sender's id tells from others, or that nothing does. */
export const keysOfId = (id: string): readonly string[] => [id, `2:id:${id}`, `2:own:${id}`].map(storableKey);

/** On what it was decided whether a stored event was a repeat, as its key tells. */
export interface StoredRepeat {
  /** `id`: an id that the sender's proof covers. */
  readonly by: "id" | Exclude<Repeat["by"], "signed-id">;
  /** For how many seconds the same body was a repeat; `undefined` for as long as the event is kept. */
  readonly windowSeconds: number | undefined;
}

const kinds = [
  { by: "none", form: /^2:own:/ },
  { by: "unsigned-id", form: /^2:id:/ },
  // The last numbers are those that `keysInWindow` has added.
  { by: "body", form: /^2:body:[0-9a-f]{64}(?::\d+)??(?::(?<seconds>\d+):\d+)?$/ },
  { by: "body", form: /^[0-9a-f]{64}(?::\d+)?$/ },
] as const;

/** Reads the key of a stored event. */
export const storedRepeat = (dedupeKey: string): StoredRepeat => {
  for (const { by, form } of kinds) {
    const found = form.exec(dedupeKey);
    if (found === null) continue;
    const { seconds } = found.groups ?? {};
    return { by, windowSeconds: seconds === undefined ? undefined : Number(seconds) };
  }
  return { by: "id", windowSeconds: undefined };
};

/** How many deliveries an inbox remembers. They take 2 to 4 MB. */
const mostRemembered = 10_000;

/**
 * Says whether the signed bytes of a delivery came before under another id that the signature does
 * not cover. Then the sender has two events with the same bytes, or somebody sends again what they
 * have seen. It is counted, and what it returns is stored with the event. Of a delivery whose id is
 * signed, or too long to be accepted, it says nothing.
 */
export type SignedAgain = (
  provider: string,
  delivery: Pick<Delivery, "signedDigest" | "dedupeKey">,
) => string | undefined;

export const createSignedAgain = (ports: Pick<Ports, "telemetry" | "clock">): SignedAgain => {
  const { telemetry } = ports;
  /** The first id of each digest, in the order in which they came. */
  const firstIds = new Map<string, string>();
  const further = "further deliveries had signed bytes that came before under another id";
  const mayTell = createBoundedLines(ports, { level: "warn", message: further });

  return (provider, { signedDigest, dedupeKey }) => {
    if (signedDigest === undefined || dedupeKey === undefined || dedupeKey.length > maxKeyLength) return undefined;
    const key = `${provider} ${signedDigest}`;
    const first = firstIds.get(key);
    if (first === dedupeKey) return undefined;
    if (first === undefined) {
      firstIds.set(key, dedupeKey);
      const [oldest] = firstIds.size > mostRemembered ? firstIds.keys() : [];
      if (oldest !== undefined) firstIds.delete(oldest);
      return undefined;
    }
    telemetry.count("webhooks_signed_again", { provider });
    if (mayTell(provider, { provider }))
      telemetry.log("warn", "the signed bytes of a delivery came before under another id", { provider });
    return `its signed bytes came before, under the id ${first.replace(/^2:id:/, "")}`;
  };
};
