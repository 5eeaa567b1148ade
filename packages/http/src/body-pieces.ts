/** A piece of this length or more is kept as it came; shorter ones are put together. */
const keptBytes = 16 * 1024;
/** Memory for short pieces begins with this length and doubles as it fills. */
const leastBytes = 1024;
/** Short pieces are put together up to this length. */
const mostBytes = 64 * 1024;
const nothing = new Uint8Array();

/**
 * Keeps the pieces of a body as they come, and puts them together at the end. Memory that doubled
 * as it filled would hold up to twice the body, and leave as much again to the garbage collector. A
 * list of all pieces would not work either: for chunks of one byte it would keep an object of some
 * hundred bytes each, and the memory for bodies would not count those. So short pieces are copied
 * together. A body that comes in one piece, as most do, is not copied.
 */
export class BodyPieces {
  /** The first piece; most bodies have one, and a list of one is as large as one of 17. */
  #first: Uint8Array | undefined;
  /** The pieces behind the first one. */
  #others: Uint8Array[] | undefined;
  /** Collects short pieces; its first `#filled` bytes are in use. */
  #open: Uint8Array = nothing;
  #filled = 0;
  #length = 0;

  /** The bytes that came so far. */
  get length(): number {
    return this.#length;
  }

  add(piece: Uint8Array): void {
    if (piece.length === 0) return;
    if (this.#length === 0 || piece.length >= keptBytes) {
      this.#close();
      this.#keep(piece);
    } else this.#copy(piece);
    this.#length += piece.length;
  }

  /** All bytes that came so far, in one piece. */
  whole(): Uint8Array {
    this.#close();
    const first = this.#first ?? nothing;
    if (this.#others === undefined) return first;
    const whole = new Uint8Array(this.#length);
    whole.set(first);
    let at = first.length;
    for (const piece of this.#others) {
      whole.set(piece, at);
      at += piece.length;
    }
    this.#first = whole;
    this.#others = undefined;
    return whole;
  }

  #keep(piece: Uint8Array): void {
    if (this.#first === undefined) {
      this.#first = piece;
      return;
    }
    this.#others ??= [];
    this.#others.push(piece);
  }

  #copy(piece: Uint8Array): void {
    const needed = this.#filled + piece.length;
    if (needed > mostBytes) this.#close();
    else if (needed > this.#open.length) {
      const larger = new Uint8Array(Math.max(2 * this.#open.length, needed, leastBytes));
      larger.set(this.#open.subarray(0, this.#filled));
      this.#open = larger;
    }
    if (this.#open.length === 0) this.#open = new Uint8Array(Math.max(piece.length, leastBytes));
    this.#open.set(piece, this.#filled);
    this.#filled += piece.length;
  }

  #close(): void {
    if (this.#filled > 0) this.#keep(this.#open.subarray(0, this.#filled));
    this.#open = nothing;
    this.#filled = 0;
  }
}
