import type { Telemetry } from "@postern/core";
import { type KeySet, keySet } from "./key-set.ts";

/** Gets the size of the log and the duration of merges. */
export type EventKeyTelemetry = Pick<Telemetry, "gauge" | "observe">;

/** A row of the log, without its event. */
export interface LoggedKey {
  readonly place: number;
  readonly hash: number;
}

/** A full set whose keys go to the sorted table. */
export interface Merging {
  readonly keys: KeySet;
  /** How far the merge has come, as a position of the set. */
  next: number;
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
  /** The places of all rows with one of these hashes. */
  placesOf(hashes: Iterable<number>): readonly number[];
  /** Call this when a step that merged `keys` up to `next` is committed. */
  noteMerged(keys: KeySet, next: number): void;
  /**
   * Call this when the step that deleted the last merged rows of `keys` is committed. With rows
   * `left` behind, the merge begins again; otherwise the set is forgotten.
   */
  noteCleared(keys: KeySet, left: boolean): void;
}

/** Makes an empty index. A set of `inLog` keys is full. */
export const keyIndex = (inLog: number, telemetry: EventKeyTelemetry | undefined): KeyIndex => {
  let young = keySet();
  let merging: Merging | undefined;
  let seen = 0;

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
      for (const { place, hash } of rows) {
        if (place <= seen) continue;
        young.add(hash, place);
        seen = place;
      }
      if (merging === undefined && young.size >= inLog) {
        merging = { keys: young, next: 0, ms: 0 };
        young = keySet();
      }
      report();
    },
    placesOf: (hashes) => {
      const places: number[] = [];
      for (const hash of hashes) {
        places.push(...young.placesOf(hash));
        if (merging !== undefined) places.push(...merging.keys.placesOf(hash));
      }
      return places;
    },
    noteMerged: (keys, next) => {
      if (merging?.keys === keys) merging.next = Math.max(merging.next, next);
    },
    noteCleared: (keys, left) => {
      if (merging?.keys !== keys) return;
      if (left) {
        merging.next = 0;
        return;
      }
      telemetry?.observe("event_key_merge_ms", merging.ms);
      merging = undefined;
      report();
    },
  };
};
