import { AppError } from "@postern/core";
import { type Clock, createLine, type Line, type Share } from "@postern/core/parts";

/** How much memory the answers that are being made may take together. */
export interface AnswerMemoryLimit {
  /**
   * Bytes of rows. Half of them is for rows that are read without their longest texts; a quarter of
   * that half is kept for small answers. The other half is for the texts. An answer takes about
   * twice as much while it is written as JSON.
   */
  readonly bytes: number;
  /**
   * How many requests wait for memory, at most. A fifth of them may come from one network. A server
   * answers fewer requests at once than may wait by default, so a newcomer finds a place.
   */
  readonly waiting?: number;
  /** How long a request waits for memory, in milliseconds. */
  readonly waitMs?: number;
}

/** The most bytes that the rows of a list without `include` take, with any `limit`. */
const smallBytes = 512 * 1024;

/** The memory that one answer takes while it is made. */
export interface AnswerMemory {
  /**
   * Takes memory for the rows that are read first, each without its longest texts. It waits while
   * there is none. Call it once, before you read anything.
   * @throws AppError `overloaded` when too many wait already, or when it has waited for too long.
   */
  forRows(bytes: number): Promise<void>;
  /**
   * Gives back the memory that the rows did not need. Call it when all rows have been read; `bytes`
   * is what they take. Other requests then need not wait while this answer waits for its texts.
   */
  keepForRows(bytes: number): void;
  /**
   * Takes memory for the texts that were left out. Call it after `forRows`. Only the first call
   * takes any: if answers could hold memory for texts and wait for more, two of them could wait for
   * each other.
   * @throws AppError as `forRows`.
   */
  forTexts(bytes: number): Promise<void>;
  /** Gives everything back. Call it once. */
  release(): void;
}

/**
 * Bounds the memory of all answers that are being made: requests wait for their part before they
 * read. The returned function gives an answer to a caller of this network its memory. `largest` is
 * the length of the largest answer in bytes.
 */
export const createAnswerMemory = (
  { bytes, waiting = 1_000, waitMs = 2_000 }: AnswerMemoryLimit,
  largest: number,
  clock: Pick<Clock, "monotonic" | "after">,
): ((network: string) => AnswerMemory) => {
  /** A network holds at most half, and always one answer. For its largest, it lets others go first eight times. */
  const lineOf = (most: number, largestOne: number): Line =>
    createLine(
      {
        most,
        mostOfKey: Math.max(largestOne, most / 2),
        waiting,
        waitingOfKey: Math.ceil(waiting / 5),
        waitMs,
        fairCost: largestOne / 8,
        refusal: noMemory,
      },
      clock,
    );
  const half = Math.ceil(bytes / 2);
  const forSmall = Math.ceil(bytes / 8);
  const large = lineOf(half - forSmall, largest);
  // Small answers take what is free of either kind, and never wait for memory that large ones hold.
  const small = lineOf(forSmall, smallBytes);
  // At most one answer of the largest size at a time: one thread would not make several any sooner,
  // and they would take more memory.
  const texts = lineOf(Math.min(largest, half), largest);

  return (network) => {
    let ofRows: Share | undefined;
    let ofTexts: Share | undefined;
    let begunMs = 0;
    return {
      forRows: async (wanted) => {
        ofRows =
          wanted <= smallBytes
            ? (large.takeFree(network, wanted) ?? (await small.take(network, wanted)))
            : await large.take(network, wanted);
      },
      keepForRows: (kept) => ofRows?.keep(kept),
      forTexts: async (wanted) => {
        if (ofTexts !== undefined) return;
        ofTexts = await texts.take(network, wanted);
        begunMs = clock.monotonic();
      },
      release: () => {
        ofRows?.release();
        if (ofTexts === undefined) return;
        // Texts keep the one thread busy. So the next ones wait for as long as these took, and other
        // requests are answered meanwhile.
        if (texts.waiting === 0) ofTexts.release();
        else clock.after(Math.min(clock.monotonic() - begunMs, waitMs / 4), ofTexts.release);
      },
    };
  };
};

const noMemory = (): AppError =>
  new AppError("overloaded", {
    detail:
      "Too many large answers are being made at the moment; send it again in a second, or ask for a shorter page.",
    headers: { "retry-after": "1" },
  });
