import { decryptAes } from "./aes.ts";
import { decodeBase64 } from "./base64.ts";
import { refuse } from "./errors.ts";
import { jsonIn } from "./json.ts";
import { asText, at } from "./places.ts";
import { utf8 } from "./runtime.ts";

/**
 * Decrypts the `resource` of a notification of WeChat Pay (AEAD_AES_256_GCM) and parses it as JSON.
 * `apiV3Key` is the merchant's key of 32 bytes. Decrypt only verified deliveries.
 * @throws WebhookVerificationError `body_malformed`
 */
export const decryptWechatPayResource = async (resource: unknown, apiV3Key: string): Promise<unknown> => {
  const text = (name: string): string => asText(at(resource, name)) ?? "";
  const data = decodeBase64(text("ciphertext"));
  const means = { name: "AES-GCM", iv: utf8(text("nonce")), additionalData: utf8(text("associated_data")) } as const;
  const plain = data && (await decryptAes(utf8(apiV3Key), means, data).catch(() => undefined));
  return (plain && jsonIn(plain)) ?? refuse("body_malformed", "The resource cannot be decrypted with this key.");
};
