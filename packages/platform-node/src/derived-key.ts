import { hkdfSync } from "node:crypto";

/**
 * `length` bytes for one `purpose` from the server's 32-byte secret key (HKDF-SHA256, RFC 5869), so
 * that one secret in the configuration serves several uses, and the key of one use reveals nothing
 * about another. The same on every node. A purpose's text must never change.
 * @throws TypeError when the secret key is not a `Uint8Array` of 32 bytes.
 */
export const derivedKey = (secretKey: Uint8Array, purpose: string, length: number): Buffer => {
  // Callers without types may give a text, which HKDF would accept.
  if (!(secretKey instanceof Uint8Array)) {
    throw new TypeError('the secret key must be 32 bytes in a Uint8Array, such as Buffer.from(text, "base64")');
  }
  if (secretKey.length !== 32) throw new TypeError(`the secret key must be 32 bytes long, not ${secretKey.length}`);
  return Buffer.from(hkdfSync("sha256", secretKey, new Uint8Array(), `postern ${purpose}`, length));
};
