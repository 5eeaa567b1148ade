import { createCipheriv, createDecipheriv, createHash, hash, randomBytes } from "node:crypto";
import { piecesOf } from "@postern/core/internal";
import type { SecretBox } from "@postern/core/ports";
import { fromBase64url } from "./base64url.ts";
import { derivedKey } from "./derived-key.ts";

export interface AesSecretBoxOptions {
  /** The server's secret, 32 random bytes. New secrets are sealed under it. */
  readonly secretKey: Uint8Array;
  /** Other keys whose secrets open, too: those used before, or one that other nodes use already. */
  readonly previousSecretKeys?: readonly Uint8Array[];
}

/**
 * How many characters are digested in one turn of the event loop, which takes about a millisecond.
 */
const pieceCharacters = 512 * 1024;

/** The digest of a long text, such as a page of 8 MiB. Other requests go on in between. */
const digestInPieces = async (text: string): Promise<string> => {
  const digest = createHash("sha256");
  for (const piece of piecesOf(text, pieceCharacters)) {
    digest.update(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return digest.digest("base64url");
};

const nonceBytes = 12;
const tagBytes = 16;

interface BoxKey {
  readonly id: string;
  readonly key: Buffer;
}

const boxKey = (secretKey: Uint8Array): BoxKey => {
  const key = derivedKey(secretKey, "secret box AES-256-GCM 1", 32);
  // The id is derived on its own, so that it tells nothing about the key.
  return { id: derivedKey(secretKey, "secret box key id 1", 6).toString("base64url"), key };
};

/** Format, key and context are bound to the text; NUL cannot stand in the first two. */
const boundTo = (id: string, context: string): Buffer => Buffer.from(`a1.${id}\0${context}`);

/**
 * AES-256-GCM with a random 96-bit nonce (NIST SP 800-38D), as `a1.<key id>.<nonce, ciphertext and
 * tag in base64url>`. The context is additional authenticated data. Digests are plain SHA-256: they
 * are for secrets with 128 bits of entropy or more.
 * @throws TypeError when a secret key is not 32 bytes long.
 */
export const aesSecretBox = ({ secretKey, previousSecretKeys = [] }: AesSecretBoxOptions): SecretBox => {
  const current = boxKey(secretKey);
  const keys = new Map([...previousSecretKeys.map(boxKey), current].map(({ id, key }) => [id, key]));

  return {
    seal: async (secret, context) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", current.key, nonce, { authTagLength: tagBytes });
      cipher.setAAD(boundTo(current.id, context));
      const sealed = Buffer.concat([nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `a1.${current.id}.${sealed.toString("base64url")}`;
    },
    open: async (sealed, context) => {
      const [format, id = "", text = "", more] = sealed.split(".", 4);
      const bytes = format === "a1" && more === undefined ? fromBase64url(text) : undefined;
      if (bytes === undefined || bytes.length < nonceBytes + tagBytes) throw new Error("this is not a sealed secret");
      const key = keys.get(id);
      if (key === undefined) throw new Error("the secret was sealed under a key that is not known here");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
      decipher.setAAD(boundTo(id, context));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      try {
        const opened = [decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()];
        return Buffer.concat(opened).toString("utf8");
      } catch (cause) {
        throw new Error("the sealed secret was altered or belongs to something else", { cause });
      }
    },
    digest: async (text) => (text.length > pieceCharacters ? digestInPieces(text) : hash("sha256", text, "base64url")),
  };
};
