/**
 * Names in the sentence of an error, each in quotes. Quotes distinguish names from prose: an older
 * version of the API translates only what is inside them.
 */
export const quotedNames = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");
