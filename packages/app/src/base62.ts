/** Digits of base 62 in the order of their values. */
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const uuidDigits = 22;

/** A number in base 62, filled up with zeros to `length` digits. */
export const base62 = (value: bigint, length: number): string => {
  let text = "";
  for (let rest = value; text.length < length; rest /= 62n) text = (digits[Number(rest % 62n)] ?? "") + text;
  return text;
};

export const numberOfBytes = (bytes: Uint8Array): bigint => bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);

/** A UUID as 22 digits of base 62. */
export const base62OfUuid = (uuid: string): string => base62(BigInt(`0x${uuid.replaceAll("-", "")}`), uuidDigits);

/** The UUID that 22 digits of base 62 encode; `undefined` if the number is too large for one. */
export const uuidOfBase62 = (text: string): string | undefined => {
  let value = 0n;
  for (const digit of text) value = value * 62n + BigInt(digits.indexOf(digit));
  const hex = value.toString(16).padStart(32, "0");
  return hex.length > 32 ? undefined : hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
};
