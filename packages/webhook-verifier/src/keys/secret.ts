import { openSecret, textOf } from "#platform";
import { decodeBase64, padded } from "../base64.ts";
import { decodeHex } from "../hex.ts";
import type { Algorithm, SecretKey } from "../platform/contract.ts";
import { isBytes, utf8 } from "../runtime.ts";
import { checkLength, invalidKey, type KeyNotation, type KeyText } from "./key.ts";

/** Reads base64 with or without its padding. */
export const decodePadded = (digits: string): Uint8Array | undefined => decodeBase64(padded(digits));

/**
 * Takes a secret in. It refuses a public key, because anybody may read it and could then sign. It
 * also refuses the word that JavaScript writes for a variable that is not set.
 * @throws WebhookConfigError `key_invalid` for those.
 */
export const secretOf = (bytes: Uint8Array, algorithm: Algorithm): SecretKey => {
  if (/^(-----BEGIN|(undefined|null)$)/.test(textOf(bytes) ?? ""))
    invalidKey("it is a public key, or a variable that is not set.");
  const secret = openSecret(bytes, algorithm);
  return algorithm === "token" ? secret : { ...secret, secretBytes: bytes.length };
};

/** How a shared secret is written. */
interface SecretNotation extends KeyNotation {
  verifying(key: KeyText): SecretKey;
}

const notation = (
  about: string,
  algorithm: Algorithm,
  bytesOf: (text: string) => Uint8Array | undefined,
  minBytes = 1,
): SecretNotation => {
  const read = (key: KeyText): SecretKey => {
    const bytes = isBytes(key) ? key : typeof key === "string" ? bytesOf(key) : undefined;
    if (bytes === undefined) return invalidKey(`it is not ${about}.`);
    checkLength(bytes.length, minBytes);
    return secretOf(bytes, algorithm);
  };
  return { about, algorithms: [algorithm], secret: true, verifying: read };
};

/**
 * A secret whose text is the key, including its prefix. Outer white space is refused, because it is
 * always a copying mistake. `minSecretBytes`: for senders whose secrets have fewer than 16 bytes.
 */
export const textSecret = (algorithm: Algorithm, minSecretBytes?: number): SecretNotation => ({
  ...notation("the secret exactly as shown, without white space around it", algorithm, (text) =>
    text.trim() === text ? utf8(text) : undefined,
  ),
  ...(minSecretBytes !== undefined && { minSecretBytes }),
});

/** A secret written in hex. */
export const hexSecret = (algorithm: Algorithm): SecretNotation =>
  notation("an even number of hex digits", algorithm, decodeHex);

/** A secret written in base64, with or without the padding, after an optional prefix. */
export const base64Secret = (algorithm: Algorithm, prefix = "", minBytes = 1): SecretNotation =>
  notation(
    prefix === "" ? "base64" : `${prefix}<base64>`,
    algorithm,
    (text) => {
      const digits = text.startsWith(prefix) ? text.slice(prefix.length) : text;
      return decodePadded(digits);
    },
    minBytes,
  );
