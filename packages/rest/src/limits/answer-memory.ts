import type { Clock } from "@postern/core/parts";
import { createFairRoom, type RoomCaller } from "./fair-room.ts";

/** How much memory the answers that are being made may take together. */
export interface AnswerMemoryLimit {
  /**
   * Bytes of rows. Half of them is for rows that are read without their longest texts; a quarter of
   * that half is kept for small answers. The other half is for the texts. An answer takes about
   * twice as much while it is written as JSON.
   */
  readonly bytes: number;
  /** How many requests wait for room, at most. */
  readonly waiting: number;
  /** How long a request waits for room, in milliseconds. */
  readonly waitMs: number;
}

export const defaultAnswerMemory: AnswerMemoryLimit = { bytes: 32 * 1024 * 1024, waiting: 200, waitMs: 2_000 };

/** The most bytes that the rows of a list without `include` take, with any `limit`. */
const smallBytes = 512 * 1024;

/** The room that one answer takes while it is made. */
export interface AnswerRoom {
  /**
   * Takes room for the rows that are read first, each without its longest texts. It waits while
   * there is no room. Call it once, before you read anything.
   * @throws AppError `overloaded` when too many wait already, or when it has waited for too long.
   */
  forRows(bytes: number): Promise<void>;
  /**
   * Gives back the room that the rows did not need. Call it when all rows have been read; `bytes`
   * is what they take. Other requests then need not wait while this answer waits for its texts.
   */
  keepForRows(bytes: number): void;
  /**
   * Takes room for the texts that were left out. Only the first call takes room: if requests could
   * hold room and wait for more, two of them could wait for each other.
   * @throws AppError as `forRows`.
   */
  forTexts(bytes: number): Promise<void>;
  /** Gives everything back. */
  release(): void;
}

/**
 * Bounds the memory of all answers that are being made: requests wait for room before they read.
 */
export interface AnswerMemory {
  open(caller: RoomCaller): AnswerRoom;
}

/** `largest` is the length of the largest answer in bytes. */
export const createAnswerMemory = (
  { bytes, waiting, waitMs }: AnswerMemoryLimit,
  largest: number,
  clock: Pick<Clock, "monotonic" | "after">,
): AnswerMemory => {
  const line = { most: largest, waiting, waitMs };
  const forSmall = Math.ceil(bytes / 8);
  const large = createFairRoom({ ...line, bytes: Math.ceil(bytes / 2) - forSmall }, clock);
  // Small answers take free room of either kind, and never wait for room that large ones hold.
  const small = createFairRoom({ ...line, most: smallBytes, bytes: forSmall }, clock);
  // At most one answer of the largest size at a time: one thread would not make several any sooner,
  // and they would take more memory.
  const texts = createFairRoom({ ...line, bytes: Math.min(largest, Math.ceil(bytes / 2)), rests: true }, clock);

  return {
    open: (caller) => {
      const held = { rows: 0, texts: 0 };
      let rows = large;
      const keepForRows = (kept: number): void => {
        const free = Math.max(0, held.rows - kept);
        held.rows -= free;
        rows.release(caller, free);
      };
      return {
        forRows: async (wanted) => {
          if (wanted <= smallBytes && large.takeFree(caller, wanted)) {
            held.rows = wanted;
            return;
          }
          rows = wanted <= smallBytes ? small : large;
          held.rows = await rows.take(caller, wanted);
        },
        keepForRows,
        forTexts: async (wanted) => {
          if (held.texts === 0) held.texts = await texts.take(caller, wanted);
        },
        release: () => {
          keepForRows(0);
          texts.release(caller, held.texts);
          held.texts = 0;
        },
      };
    },
  };
};
