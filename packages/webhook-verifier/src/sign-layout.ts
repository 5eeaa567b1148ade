import { hash } from "#platform";
import { encodeHex } from "./hex.ts";
import { namesIn } from "./places.ts";
import type { Draft, Location, SchemeLayout, SigningKeys } from "./scheme.ts";
import type { SignatureLayout } from "./signature-header.ts";
import { fill, parseTemplate } from "./template.ts";
import { formatTime } from "./timestamps.ts";

const headerOf = (place: Location | undefined): string | undefined => {
  const first = typeof place === "string" ? place : place?.[0];
  return first?.startsWith("header:") === true ? namesIn(first)[0] : undefined;
};

/** Writes signatures as the sender does. Senders that write only one get the first. */
const writeSignature = (
  signatures: readonly Uint8Array[],
  timestamp: string,
  { header, encoding, prefix = "", pairs }: SignatureLayout,
): Record<string, string> => {
  const texts = signatures.map((signature) => encoding.encode(signature));
  const headers = typeof header === "string" ? [header] : header;
  if (pairs === undefined)
    return Object.fromEntries(
      headers.flatMap((name, index) =>
        index < texts.length ? [[name.toLowerCase(), `${prefix}${texts[index]}`]] : [],
      ),
    );
  const written = texts.map((text) => `${pairs.signature}=${text}`);
  if (pairs.timestamp !== undefined) written.unshift(`${pairs.timestamp}=${timestamp}`);
  return { [(headers[0] ?? "").toLowerCase()]: written.join(pairs.separator) };
};

/** The headers of a request that is signed as a layout says. It is separate from reading, so that a receiver does not ship it. */
export const signLayout = async (
  layout: SchemeLayout,
  draft: Draft,
  keys: SigningKeys,
): Promise<Record<string, string>> => {
  const { timestamp: time } = layout;
  const written = formatTime(draft.timestamp, time?.unit ?? "s");
  const sent: Record<string, string> = { ...draft.headers };
  const set = (name: string | undefined, value: string | undefined): void => {
    if (name !== undefined && value !== undefined) sent[name.toLowerCase()] = value;
  };
  const keyId = keys[0].id;
  set(time?.header, written);
  set(layout.idHeader, draft.id);
  set(layout.keyIdHeader, keyId);
  set(headerOf(layout.id), draft.id);
  set(headerOf(layout.type), draft.type);
  const template = parseTemplate(layout.signed);
  // Other headers that are signed, such as nonces, may hold anything.
  for (const [index, part] of template.entries())
    if (index % 2 === 1 && part.startsWith("header:")) sent[part.slice("header:".length)] ??= draft.id;
  const bodySha256 = encodeHex(await hash("sha256", [draft.body]));
  const parts = { ...draft, headers: sent, timestamp: written, "key-id": keyId, "body-sha256": bodySha256 };
  const signed = fill(template, parts);
  const signatures = await Promise.all(keys.map((key) => key.sign(signed)));
  return { ...sent, ...writeSignature(signatures, written, layout.signature) };
};
