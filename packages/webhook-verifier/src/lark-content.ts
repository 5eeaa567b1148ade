import { hash } from "#platform";
import { decryptAes } from "./aes.ts";
import { decodeBase64 } from "./base64.ts";
import { refuse } from "./errors.ts";
import { jsonIn } from "./json.ts";
import { asText, at } from "./places.ts";
import { utf8 } from "./runtime.ts";

/** Decrypts with the SHA-256 of the encrypt key. `undefined` for anything but JSON that it encrypts. */
export const openLark = async (payload: unknown, key: Uint8Array): Promise<unknown> => {
  const bytes = decodeBase64(asText(at(payload, "encrypt")) ?? "");
  if (bytes === undefined) return undefined;
  // Wrong padding and wrong JSON look alike: an attacker could use the difference to decrypt.
  return decryptAes(key, { name: "AES-CBC", iv: bytes.slice(0, 16) }, bytes.slice(16)).then(jsonIn, () => undefined);
};

/**
 * Decrypts the event in the payload of a delivery of Lark or Feishu (`{ "encrypt": "…" }`) and parses
 * it as JSON. Decrypting proves nothing about the sender: decrypt only verified deliveries.
 * @throws WebhookVerificationError `body_malformed`
 */
export const decryptLarkEvent = async (payload: unknown, encryptKey: string): Promise<unknown> =>
  (await openLark(payload, await hash("sha256", [utf8(encryptKey)]))) ??
  refuse("body_malformed", "The payload has no event that this key encrypts.");
