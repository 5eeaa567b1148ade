/**
 * The bytes of `text` if it is their one base64url spelling without padding (RFC 4648, section 5),
 * else `undefined`. Node's own decoder skips what it does not know and ignores spare bits, which
 * would give one value several spellings.
 */
export const fromBase64url = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, "base64url");
  return bytes.toString("base64url") === text ? bytes : undefined;
};
