const quote = 0x22;
const backslash = 0x5c;

/** Whether an odd number of backslashes stands before `end`, from `start` on: what follows is escaped. */
const isEscaped = (piece: Uint8Array, start: number, end: number): boolean => {
  let at = end;
  while (at > start && piece[at - 1] === backslash) at -= 1;
  return (end - at) % 2 === 1;
};

/**
 * Counts characters that separate the values of a JSON text, outside of its strings, while the
 * bytes come. It reads nothing else, so it is cheap, and it does not notice text that is not JSON.
 */
export class SeparatorCount {
  #count = 0;
  #inText = false;
  #escaped = false;
  /** 1 for each byte that counts. */
  readonly #separators = new Uint8Array(256);
  readonly #most: number;

  /** `separators` are the ASCII characters that count. */
  constructor(separators: string, most: number) {
    for (const character of separators) this.#separators[character.charCodeAt(0)] = 1;
    this.#most = most;
  }

  /**
   * Continues to count. Returns the place in the piece right behind the first character that is too
   * many; `undefined` if none is.
   */
  add(piece: Uint8Array): number | undefined {
    if (piece.length === 0) return undefined;
    // An escape whose backslash ended the piece before.
    let at = this.#escaped ? 1 : 0;
    this.#escaped = false;
    while (at < piece.length) {
      if (this.#inText) at = this.#skipText(piece, at);
      else {
        const byte = piece[at] as number;
        at += 1;
        if (byte === quote) this.#inText = true;
        else if (this.#separators[byte] === 1) this.#count += 1;
        if (this.#count > this.#most) return at;
      }
    }
    return undefined;
  }

  /** The place behind the next quote, which ends the string unless it is escaped. */
  #skipText(piece: Uint8Array, start: number): number {
    // Natively, because strings are most of a body.
    const found = piece.indexOf(quote, start);
    const end = found === -1 ? piece.length : found;
    const escaped = isEscaped(piece, start, end);
    if (found === -1) this.#escaped = escaped;
    else this.#inText = escaped;
    return end + 1;
  }
}
