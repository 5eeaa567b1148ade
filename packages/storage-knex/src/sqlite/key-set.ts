/** A key as the log notes it: 48 bits of its digest with a sign, and its event. */
export type NotedKey = readonly [hash: number, event: number];

/** A set of keys in memory. Several events may have one hash. */
export interface KeySet {
  /** How many keys it holds. */
  readonly size: number;
  /** How much memory it takes. */
  readonly bytes: number;
  /**
   * Adds the key of an event.
   * @throws RangeError unless the number of the event is from 1 to 2^48 - 1.
   */
  add(hash: number, event: number): void;
  /** The events whose keys have a hash. */
  eventsOf(hash: number): readonly number[];
  /**
   * Returns keys from a position on, and the position behind them. It returns at least `wanted`
   * keys, unless there are fewer. The first position is 0. The hashes of a stretch are neighbours.
   * Nothing may be added between two stretches.
   */
  stretch(from: number, wanted: number): { readonly keys: readonly NotedKey[]; readonly next: number };
  /** Whether a position is behind the last key. */
  isEnd(position: number): boolean;
}

const firstCells = 1024;
/** The set doubles when more of its cells than this are taken. */
const fullest = 0.8;
const hashSpan = 2 ** 48;
const span16 = 2 ** 16;
const span32 = 2 ** 32;

const none: readonly number[] = [];

const eventAt = (words: Uint32Array, word: number): number =>
  (words[word + 1] ?? 0) + ((words[word + 2] ?? 0) & 0xffff) * span32;

const hashAt = (words: Uint32Array, word: number): number =>
  (words[word] ?? 0) * span16 + ((words[word + 2] ?? 0) >>> 16) - hashSpan / 2;

/**
 * An open hash table, in which the garbage collector has nothing to visit. The cell of a hash grows
 * with the hash, so that neighbours in the table are neighbours in a sorted tree, too.
 *
 * A cell has three words: the upper 32 bits of the hash plus 2^47, the lower 32 bits of the event,
 * and the other 16 bits of both. The event of a free cell is 0.
 *
 * With room for the keys that are `expected`, it does not double before. To double takes as long as
 * to add all keys again: 20 ms for 200,000.
 */
export const keySet = (expected = 0): KeySet => {
  let cells = firstCells;
  while (expected >= cells * fullest) cells *= 2;
  let words = new Uint32Array(3 * cells);
  let size = 0;

  /** The first word of the cell in which the search for a hash begins. */
  const firstWordOf = (hash: number): number => 3 * Math.floor((hash + hashSpan / 2) * (cells / hashSpan));
  const wordBehind = (word: number): number => (word + 3 === words.length ? 0 : word + 3);

  const put = (hash: number, event: number): void => {
    let word = firstWordOf(hash);
    while (eventAt(words, word) !== 0) word = wordBehind(word);
    const shifted = hash + hashSpan / 2;
    words[word] = Math.floor(shifted / span16);
    words[word + 1] = event % span32;
    words[word + 2] = (shifted % span16) * span16 + Math.floor(event / span32);
  };

  const double = (): void => {
    const before = words;
    cells *= 2;
    words = new Uint32Array(3 * cells);
    for (let word = 0; word < before.length; word += 3) {
      const event = eventAt(before, word);
      if (event !== 0) put(hashAt(before, word), event);
    }
  };

  return {
    get size() {
      return size;
    },
    get bytes() {
      return words.byteLength;
    },
    add: (hash, event) => {
      if (!(event >= 1 && event < 2 ** 48)) throw new RangeError(`${event} is not the number of an event`);
      if (size >= cells * fullest) double();
      put(hash, event);
      size += 1;
    },
    eventsOf: (hash) => {
      let found: number[] | undefined;
      for (let word = firstWordOf(hash); ; word = wordBehind(word)) {
        const event = eventAt(words, word);
        if (event === 0) return found ?? none;
        if (hashAt(words, word) !== hash) continue;
        found ??= [];
        found.push(event);
      }
    },
    stretch: (from, wanted) => {
      const keys: NotedKey[] = [];
      let next = from;
      for (; next < cells && keys.length < wanted; next += 1) {
        const event = eventAt(words, 3 * next);
        if (event !== 0) keys.push([hashAt(words, 3 * next), event]);
      }
      return { keys, next };
    },
    isEnd: (position) => position >= cells,
  };
};
