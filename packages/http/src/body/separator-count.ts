/** Bytes to look for: their codes, and for each byte 1 if it is one of them. */
interface Wanted {
  readonly codes: readonly number[];
  readonly table: Uint8Array;
}

/** The bytes of some ASCII characters. */
const wanted = (characters: string): Wanted => {
  const codes = [...characters].map((character) => character.charCodeAt(0));
  const table = new Uint8Array(256);
  for (const code of codes) table[code] = 1;
  return { codes, table };
};

/** So many bytes are looked at one by one. A longer run without a match is searched natively. */
const nearBytes = 64;

/**
 * Finds the next of several bytes in a piece. `indexOf` may read far ahead, so what it found is kept
 * until the search has come there: however the bytes lie, each is read at most once for each code. A
 * long run takes a tenth of the time that a loop over it takes.
 */
class NextOf {
  readonly #piece: Uint8Array;
  readonly #wanted: Wanted;
  /** Where each code comes next. A place that has been passed is not known any more. */
  readonly #places: number[];

  constructor(piece: Uint8Array, wanted: Wanted) {
    this.#piece = piece;
    this.#wanted = wanted;
    this.#places = wanted.codes.map(() => -1);
  }

  /** The first place at or behind `start`, or the length of the piece. Starts must not go back. */
  from(start: number): number {
    const piece = this.#piece;
    const { table } = this.#wanted;
    const far = Math.min(start + nearBytes, piece.length);
    let at = start;
    while (at < far && table[piece[at] as number] !== 1) at += 1;
    return at < far || far === piece.length ? at : this.#search(far);
  }

  #search(start: number): number {
    const { length } = this.#piece;
    let first = length;
    for (const [n, code] of this.#wanted.codes.entries()) {
      let place = this.#places[n] as number;
      if (place < start) {
        place = this.#piece.indexOf(code, start);
        if (place === -1) place = length;
        this.#places[n] = place;
      }
      if (place < first) first = place;
    }
    return first;
  }
}

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
