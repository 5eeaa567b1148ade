import type { Clock } from "@postern/core";
import { createFairRoom, type RoomCaller } from "./fair-room.ts";

/** How much memory the answers that are being made may take together. */
export interface AnswerMemoryLimit {
  /**
   * Bytes of rows. Half of them is for rows that are read without their longest texts, the other
   * half for those texts. An answer takes about twice as much while it is written as JSON.
   */
  readonly bytes: number;
  /** How many requests wait for room, at most. */
  readonly waiting: number;
  /** How long a request waits for room, in milliseconds. */
  readonly waitMs: number;
}

/**
 * Two of the largest answers at once, one of each network: more would not be made sooner, because
 * they are all written by one thread.
 */
export const defaultAnswerMemory: AnswerMemoryLimit = { bytes: 32 * 1024 * 1024, waiting: 200, waitMs: 2_000 };

/** The room that one answer takes while it is made. */
export interface AnswerRoom {
  /**
   * Takes room for the rows that are read first, each without its longest texts. Waits while there
   * is none. Call it once, before anything is read.
   * @throws AppError `overloaded` when too many wait already, or when it has waited for too long.
   */
  forRows(bytes: number): Promise<void>;
  /**
   * Takes room for the texts that were left out. Only the first call takes any: a request that held
   * some and waited for more could wait for another that does the same.
   * @throws AppError as `forRows`.
   */
  forTexts(bytes: number): Promise<void>;
  /** Gives everything back. */
  release(): void;
}

/** Bounds the memory of all answers that are being made: requests wait for room before they read. */
export interface AnswerMemory {
  open(caller: RoomCaller): AnswerRoom;
}

/** `largest` is the length of the largest answer in bytes. */
export const createAnswerMemory = (
  { bytes, waiting, waitMs }: AnswerMemoryLimit,
  largest: number,
  clock: Pick<Clock, "monotonic" | "after">,
): AnswerMemory => {
  const limit = { bytes: Math.ceil(bytes / 2), most: largest, waiting, waitMs };
  const rows = createFairRoom(limit, clock);
  const texts = createFairRoom(limit, clock);
  return {
    open: (caller) => {
      const held = { rows: 0, texts: 0 };
      return {
        forRows: async (wanted) => {
          held.rows = await rows.take(caller, wanted);
        },
        forTexts: async (wanted) => {
          if (held.texts === 0) held.texts = await texts.take(caller, wanted);
        },
        release: () => {
          rows.release(caller, held.rows);
          texts.release(caller, held.texts);
          held.rows = 0;
          held.texts = 0;
        },
      };
    },
  };
};
