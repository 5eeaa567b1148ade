/** Reads an option that may come several times, each time with one word or several. */
export const severalWords = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...value.split(/[\s,]+/),
];
