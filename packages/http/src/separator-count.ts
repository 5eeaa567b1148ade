import { NextOf, type Wanted, wanted } from "./next-of.ts";

const quote = 0x22;
const backslash = 0x5c;

const inText = wanted('"\\');

/**
 * Counts characters that separate the values of a JSON text, outside of its strings, while the
 * bytes come. It reads nothing else, so it is cheap, and it does not notice text that is not JSON.
 */
export class SeparatorCount {
  #count = 0;
  #inText = false;
  #escaped = false;
  readonly #separators: Wanted;
  readonly #most: number;

  /** `separators` are the ASCII characters that count. */
  constructor(separators: string, most: number) {
    this.#separators = wanted(`"${separators}`);
    this.#most = most;
  }

  /**
   * Continues to count. Returns the place in the piece right behind the first character that is too
   * many; `undefined` if none is.
   */
  add(piece: Uint8Array): number | undefined {
    const { length } = piece;
    const inside = new NextOf(piece, inText);
    const outside = new NextOf(piece, this.#separators);
    // An escape whose backslash ended the piece before.
    let at = this.#escaped ? 1 : 0;
    for (; at < length; at += 1) {
      at = (this.#inText ? inside : outside).from(at);
      if (at === length) break;
      const byte = piece[at];
      if (byte === quote) this.#inText = !this.#inText;
      // What a backslash escapes is skipped.
      else if (byte === backslash) at += 1;
      else {
        this.#count += 1;
        if (this.#count > this.#most) return at + 1;
      }
    }
    this.#escaped = at > length;
    return undefined;
  }
}
