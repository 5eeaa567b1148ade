import type { Telemetry } from "@postern/core/ports";

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
    set.bytes = words.byteLength;
    for (let word = 0; word < before.length; word += 3) {
      const event = eventAt(before, word);
      if (event !== 0) put(hashAt(before, word), event);
    }
  };

  const set: { -readonly [Member in keyof KeySet]: KeySet[Member] } = {
    size: 0,
    bytes: words.byteLength,
    add: (hash, event) => {
      if (!(event >= 1 && event < 2 ** 48)) throw new RangeError(`${event} is not the number of an event`);
      if (set.size >= cells * fullest) double();
      put(hash, event);
      set.size += 1;
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
  return set;
};

/** Gets the size of the log and the duration of merges. */
export type EventKeyTelemetry = Pick<Telemetry, "gauge" | "observe">;

/** A row of the log. */
export interface LoggedKey {
  readonly place: number;
  readonly hash: number;
  readonly event: number;
}

/** A full set whose keys go to the sorted table. */
export interface Merging {
  readonly keys: KeySet;
  /** The first and the last place of its rows in the log. */
  readonly oldest: number;
  readonly newest: number;
  /** How far the merge has come, as a position of the set. */
  next: number;
  /** Whether another process had copied all keys of the last step. */
  isCopied: boolean;
  /** How many milliseconds its steps have held the writer. */
  ms: number;
}

/**
 * The index of the log in memory. It contains the keys of all rows up to the place `seen`. One key
 * too many does no harm, because the event's row decides.
 */
export interface KeyIndex {
  readonly seen: number;
  /** The set that is being merged; `undefined` while none is full. */
  readonly merging: Merging | undefined;
  /**
   * Takes committed rows in the order of their places. No row behind `seen` may be missing: let a
   * transaction pass first the rows that it read, and then those that it wrote.
   */
  learn(rows: readonly LoggedKey[]): void;
  /** The events of all rows with one of these hashes. */
  eventsOf(hashes: Iterable<number>): readonly number[];
  /** Call this when a step that merged `keys` up to `next` is committed. */
  noteMerged(keys: KeySet, next: number, isCopied: boolean): void;
  /** Call this when a transaction is committed that found no row of `keys` left in the log. */
  noteCleared(keys: KeySet): void;
}

/** Makes an empty index. A set of `inLog` keys is full. */
export const keyIndex = (inLog: number, telemetry: EventKeyTelemetry | undefined): KeyIndex => {
  let young = keySet();
  /** The first place of the rows in `young`. */
  let oldest = 0;

  const report = (): void => {
    if (telemetry === undefined) return;
    telemetry.gauge("event_key_log_keys", young.size + (index.merging?.keys.size ?? 0));
    telemetry.gauge("event_key_log_memory_bytes", young.bytes + (index.merging?.keys.bytes ?? 0));
  };

  const index: { -readonly [Member in keyof KeyIndex]: KeyIndex[Member] } = {
    seen: 0,
    merging: undefined,
    learn: (rows) => {
      for (const { place, hash, event } of rows) {
        if (place <= index.seen) continue;
        if (young.size === 0) oldest = place;
        young.add(hash, event);
        index.seen = place;
      }
      if (index.merging === undefined && young.size >= inLog) {
        index.merging = { keys: young, oldest, newest: index.seen, next: 0, isCopied: false, ms: 0 };
        // Traffic that has filled one set will fill the next one.
        young = keySet(inLog);
      }
      report();
    },
    eventsOf: (hashes) => {
      const events: number[] = [];
      for (const hash of hashes) {
        events.push(...young.eventsOf(hash));
        if (index.merging !== undefined) events.push(...index.merging.keys.eventsOf(hash));
      }
      return events;
    },
    noteMerged: (keys, next, isCopied) => {
      const { merging } = index;
      if (merging?.keys !== keys) return;
      merging.next = Math.max(merging.next, next);
      merging.isCopied = isCopied;
    },
    noteCleared: (keys) => {
      const { merging } = index;
      if (merging?.keys !== keys) return;
      telemetry?.observe("event_key_merge_ms", merging.ms);
      index.merging = undefined;
      report();
    },
  };
  return index;
};
