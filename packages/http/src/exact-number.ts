/**
 * A number as its digits without zeros at either end, and the power of ten that they are multiplied
 * by. Two spellings of one number have the same text.
 */
const exactText = (written: string): string => {
  const [mantissa = "", exponent = "0"] = written
    .replace("-", (sign, at: number) => (at === 0 ? "" : sign))
    .split(/e/i);
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = whole + fraction;
  let from = 0;
  let to = digits.length;
  while (from < to && digits[from] === "0") from += 1;
  while (to > from && digits[to - 1] === "0") to -= 1;
  return from === to ? "0" : `${digits.slice(from, to)}e${Number(exponent) - fraction.length + digits.length - to}`;
};

/**
 * Whether a JSON number is the same number after it was parsed. Some programs write a double with 17
 * digits, more than it takes to tell it from others; that is the same double.
 */
export const comesBack = (written: string): boolean => {
  const value = Number(written);
  if (!Number.isFinite(value)) return false;
  if (!/[.e]/i.test(written)) return Number.isSafeInteger(value) || String(value) === written;
  const exact = exactText(written);
  return exact === exactText(String(value)) || exact === exactText(value.toPrecision(17));
};
