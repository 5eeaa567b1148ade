const quote = 0x22;
const backslash = 0x5c;

/** For each byte, 1 if it counts. */
type Counted = Uint8Array;

/** ASCII characters that count. */
export const counted = (characters: string): Counted => {
  const table = new Uint8Array(256);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
};

/** The place of the next quote or backslash, or the length of the piece. */
const endOfRun = (piece: Uint8Array, from: number): number => {
  let at = from;
  while (at < piece.length && piece[at] !== quote && piece[at] !== backslash) at += 1;
  return at;
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
    const counted = this.#counted;
    const { length } = piece;
    let count = this.#count;
    let inText = this.#inText;
    // An escape whose backslash ended the piece before.
    let at = this.#escaped ? 1 : 0;
    for (; at < length; at += 1) {
      if (inText) at = endOfRun(piece, at);
      if (at === length) break;
      const byte = piece[at] as number;
      if (byte === quote) inText = !inText;
      // What a backslash escapes is skipped.
      else if (inText) at += 1;
      else if (counted[byte] === 1) {
        count += 1;
        if (count > this.#most) break;
      }
    }
    this.#count = count;
    this.#inText = inText;
    this.#escaped = at > length;
    return count > this.#most ? at + 1 : undefined;
  }
}
