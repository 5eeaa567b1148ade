import { createHmac, timingSafeEqual } from "node:crypto";
import { AppError } from "@postern/core";
import type { Signer } from "@postern/core/ports";
import { fromBase64url } from "./base64url.ts";
import { derivedKey } from "./derived-key.ts";

const formatVersion = 1;
const tagBytes = 16;
const longestContent = 2_048;
/** A character of the content takes up to three bytes, and three bytes take four characters. */
const longestCursor = Math.ceil(((1 + 3 * longestContent + tagBytes) * 4) / 3);

/**
 * Cursors in the clear with a MAC: one byte of format version, the content in UTF-8, and
 * HMAC-SHA256 over both cut to 128 bits (RFC 2104, section 5), all in base64url. Anyone who has a
 * cursor can read its content, but nobody else can make or change one.
 */
export const cursors = (
  secretKey: Uint8Array,
  previousSecretKeys: readonly Uint8Array[] = [],
): Pick<Signer, "sealCursor" | "openCursor"> => {
  const keyOf = (secret: Uint8Array): Buffer => derivedKey(secret, "cursor HMAC-SHA256 1", 32);
  const key = keyOf(secretKey);
  const keys = [key, ...previousSecretKeys.map(keyOf)];
  const tagOf = (signed: Uint8Array, under: Buffer): Buffer =>
    createHmac("sha256", under).update(signed).digest().subarray(0, tagBytes);

  const opened = (cursor: string): string | undefined => {
    if (cursor.length > longestCursor) return undefined;
    const bytes = fromBase64url(cursor);
    if (bytes === undefined || bytes.length < 1 + tagBytes || bytes[0] !== formatVersion) return undefined;
    const signed = bytes.subarray(0, -tagBytes);
    const tag = bytes.subarray(-tagBytes);
    if (!keys.some((each) => timingSafeEqual(tagOf(signed, each), tag))) return undefined;
    return signed.subarray(1).toString();
  };

  return {
    sealCursor: async (content) => {
      if (content.length > longestContent || /\p{Cs}/u.test(content)) {
        throw new TypeError("a cursor holds up to 2,048 characters of well-formed text");
      }
      const signed = Buffer.concat([Uint8Array.of(formatVersion), Buffer.from(content)]);
      return Buffer.concat([signed, tagOf(signed, key)]).toString("base64url");
    },
    openCursor: async (cursor) => {
      const content = opened(cursor);
      if (content === undefined) throw new AppError("invalid_cursor");
      return content;
    },
  };
};
