const units: Readonly<Record<string, number>> = {
  "": 1,
  B: 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
};

/** The number of bytes that `"50MB"` means; `undefined` for a text that is not a size. */
export const bytesIn = (given: unknown): number | undefined => {
  const [, digits, unit = ""] = /^(\d+) ?([kKMG]?i?B?)$/.exec(String(given)) ?? [];
  const bytes = Number(digits) * (units[unit] ?? Number.NaN);
  return Number.isSafeInteger(bytes) && bytes >= 1 ? bytes : undefined;
};
