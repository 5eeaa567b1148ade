import { encodeBase64 } from "./base64.ts";
import type { Draft, Scheme, SignedRequest, SigningKeys } from "./scheme.ts";
import { formatTime } from "./timestamps.ts";

/**
 * Signs as Standard Webhooks says. It is separate from reading, so that a receiver does not ship
 * it.
 */
export const signStandardWebhooks = async (
  { id: place }: Scheme,
  { body, id, timestamp }: Draft,
  keys: SigningKeys,
): Promise<Pick<SignedRequest, "headers">> => {
  // All schemes of the family have their id in the header `<prefix>-id` or `<prefix>-event-id`.
  const idHeader = String(place).slice("header:".length);
  const prefix = idHeader.replace(/(-event)?-id$/, "");
  const written = formatTime(timestamp, "s");
  const signatures = await Promise.all(
    keys.map(async (signer) => {
      const signature = await signer.sign([`${id}.${written}.`, body]);
      return `${signer.algorithm === "ed25519" ? "v1a" : "v1"},${encodeBase64(signature)}`;
    }),
  );
  return {
    headers: {
      [idHeader]: id,
      [`${prefix}-timestamp`]: written,
      [`${prefix}-signature`]: signatures.join(" "),
    },
  };
};
