const [quote, backslash] = [...'"\\'].map((one) => one.charCodeAt(0));

/** For each byte, 1 if it counts. */
type Counted = Uint8Array;

/** ASCII characters that count. */
export const counted = (characters: string): Counted => {
  const table = new Uint8Array(256);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
};

/**
 * Counts characters that separate the values of a JSON text, outside of its strings, while the
 * bytes come. It reads nothing else, so it is cheap, and it does not notice text that is not JSON.
 */
export class SeparatorCount {
  #count = 0;
  #inText = false;
  #escaped = false;
  readonly #counted: Counted;
  readonly #most: number;

  constructor(counted: Counted, most: number) {
    this.#counted = counted;
    this.#most = most;
  }

  /**
   * Continues to count. Returns the place in the piece right behind the first character that is too
   * many; `undefined` if none is.
   */
  add(piece: Uint8Array): number | undefined {
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0;
      if (this.#escaped) this.#escaped = false;
      else if (byte === quote) this.#inText = !this.#inText;
      else if (this.#inText) this.#escaped = byte === backslash;
      else if (this.#counted[byte] === 1) {
        this.#count += 1;
        if (this.#count > this.#most) return at + 1;
      }
    }
    return undefined;
  }
}
