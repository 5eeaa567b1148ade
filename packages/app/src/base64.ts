const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * Base64 (RFC 4648, section 4). This package uses no function of a platform, so it has its own.
 */
export const base64 = (bytes: Uint8Array): string => {
  let text = "";
  for (let index = 0; index < bytes.length; index += 3) {
    const [first = 0, second, third] = bytes.subarray(index, index + 3);
    const group = (first << 16) | ((second ?? 0) << 8) | (third ?? 0);
    text += alphabet.charAt(group >> 18) + alphabet.charAt((group >> 12) & 63);
    text += second === undefined ? "=" : alphabet.charAt((group >> 6) & 63);
    text += third === undefined ? "=" : alphabet.charAt(group & 63);
  }
  return text;
};
