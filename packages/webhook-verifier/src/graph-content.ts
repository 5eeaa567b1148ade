import { decryptAes, subtle } from "./aes.ts";
import { decodeBase64 } from "./base64.ts";
import { refuse, WebhookVerificationError } from "./errors.ts";
import { jsonIn } from "./json.ts";
import { invalidKey } from "./keys/key.ts";
import { readPem } from "./keys/pem.ts";
import { asText, at } from "./places.ts";

const field = (content: unknown, name: string): Uint8Array =>
  decodeBase64(asText(at(content, name)) ?? "!") ??
  refuse("body_malformed", `encryptedContent has no ${name} in base64.`);

/**
 * Decrypts the resource in the `encryptedContent` of a Microsoft Graph notification and parses it
 * as JSON. `privateKeys` are PEM (PKCS #8), by the certificate id that you gave when you made the
 * subscription. Decrypting proves nothing about the sender: anybody who has your certificate can
 * encrypt with it. Decrypt only the content of verified deliveries.
 * @throws WebhookVerificationError `key_unknown`, `body_malformed`, `digest_mismatch`;
 *   WebhookConfigError `key_invalid`.
 */
export const decryptGraphContent = async (
  content: unknown,
  privateKeys: Readonly<Record<string, string>>,
): Promise<unknown> => {
  const id = asText(at(content, "encryptionCertificateId")) ?? "";
  const pem = Object.hasOwn(privateKeys, id)
    ? (privateKeys[id] ?? "")
    : refuse("key_unknown", "No key for the certificate.");
  const der = readPem(pem).find(({ label }) => label === "PRIVATE KEY")?.der ?? invalidKey("it is not PKCS #8 as PEM.");
  const rsa = await subtle()
    .importKey("pkcs8", der, { name: "RSA-OAEP", hash: "SHA-1" }, false, ["decrypt"])
    .catch((cause: unknown) => invalidKey("it is not an RSA key.", cause));
  const [data, signature] = [field(content, "data"), field(content, "dataSignature")];
  try {
    const secret = new Uint8Array(await subtle().decrypt({ name: "RSA-OAEP" }, rsa, field(content, "dataKey")));
    const mac = await subtle().importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    if (await subtle().verify("HMAC", mac, signature, data)) {
      const plain = await decryptAes(secret, { name: "AES-CBC", iv: secret.slice(0, 16) }, data);
      return jsonIn(plain) ?? refuse("body_malformed", "The content is not JSON.");
    }
  } catch (cause) {
    if (cause instanceof WebhookVerificationError) throw cause;
    // The error does not say which step failed: an attacker could use such a receiver to decrypt
    // messages.
    return refuse("digest_mismatch", "The content cannot be decrypted.");
  }
  return refuse("digest_mismatch", "The content cannot be decrypted.");
};
