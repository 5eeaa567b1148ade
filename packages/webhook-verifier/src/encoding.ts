/**
 * How signatures, digests and keys are written as text. Decoders are strict: one value has exactly
 * one spelling.
 */
export interface Encoding {
  readonly name: string;
  /** `undefined` for text that is not in this encoding. */
  readonly decode: (text: string) => Uint8Array | undefined;
  readonly encode: (bytes: Uint8Array) => string;
}

/**
 * Maps the code of an ASCII character to its place in any of the alphabets, and to 255 if it is in
 * none.
 */
export const valuesOf = (...alphabets: readonly string[]): Uint8Array => {
  const values = new Uint8Array(128).fill(255);
  for (const alphabet of alphabets) for (let at = 0; at < alphabet.length; at++) values[alphabet.charCodeAt(at)] = at;
  return values;
};
