import type { Telemetry } from "@postern/core/parts";
import { type KeySet, keySet } from "./key-set.ts";

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
  let merging: Merging | undefined;
  let seen = 0;
  /** The first place of the rows in `young`. */
  let oldest = 0;

  const report = (): void => {
    if (telemetry === undefined) return;
    telemetry.gauge("event_key_log_keys", young.size + (merging?.keys.size ?? 0));
    telemetry.gauge("event_key_log_memory_bytes", young.bytes + (merging?.keys.bytes ?? 0));
  };

  return {
    get seen() {
      return seen;
    },
    get merging() {
      return merging;
    },
    learn: (rows) => {
      for (const { place, hash, event } of rows) {
        if (place <= seen) continue;
        if (young.size === 0) oldest = place;
        young.add(hash, event);
        seen = place;
      }
      if (merging === undefined && young.size >= inLog) {
        merging = { keys: young, oldest, newest: seen, next: 0, isCopied: false, ms: 0 };
        // Traffic that has filled one set will fill the next one.
        young = keySet(inLog);
      }
      report();
    },
    eventsOf: (hashes) => {
      const events: number[] = [];
      for (const hash of hashes) {
        events.push(...young.eventsOf(hash));
        if (merging !== undefined) events.push(...merging.keys.eventsOf(hash));
      }
      return events;
    },
    noteMerged: (keys, next, isCopied) => {
      if (merging?.keys !== keys) return;
      merging.next = Math.max(merging.next, next);
      merging.isCopied = isCopied;
    },
    noteCleared: (keys) => {
      if (merging?.keys !== keys) return;
      telemetry?.observe("event_key_merge_ms", merging.ms);
      merging = undefined;
      report();
    },
  };
};
