import type { Delivery } from "@postern/webhook-verifier";
import { createBoundedLines } from "../errors/bounded-lines.ts";
import type { Ports } from "../ports/index.ts";
import { maxKeyLength } from "./quarantine.ts";

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
