import { AppError, type Line, type Resource, type Row, type Share } from "@postern/core";
import { createLine, isObject, type Relation } from "@postern/core/internal";
import { type Clock, leftOutMember } from "@postern/core/ports";

/** How large the answer to a read may become. */
export interface AnswerBounds {
  /** Bytes of JSON. */
  readonly bytes: number;
  /** How many rows. An included row counts each time it appears in the answer. */
  readonly rows: number;
}

export const defaultAnswerBounds: AnswerBounds = { bytes: 8 * 1024 * 1024, rows: 10_000 };

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

/** What a row adds to an answer, together with everything included in it. */
export interface Weight {
  readonly bytes: number;
  readonly rows: number;
}

/** How many bytes a text takes in JSON. */
export type TextBytes = (text: string) => number;

/**
 * An upper bound that does not look at the text: no character takes more than the six bytes of
 * `\\u0000`.
 */
export const atMostTextBytes: TextBytes = (text) => text.length * 6 + 2;

/** Printable ASCII without quotation marks and backslashes: one byte each. */
const plain = /^[ !#-[\]-~]*$/;
/** Characters that JSON writes with two bytes. */
const short = new Set([...'\b\t\n\f\r"\\'].map((character) => character.charCodeAt(0)));

export const exactTextBytes: TextBytes = (text) => {
  if (plain.test(text)) return text.length + 2;
  let bytes = 2;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // Each half of a surrogate pair counts two of its four bytes. Texts have no lone surrogates.
    if (short.has(unit) || (unit >= 0x80 && unit < 0x800) || (unit >= 0xd800 && unit <= 0xdfff)) bytes += 2;
    else if (unit < 0x20) bytes += 6;
    else bytes += unit < 0x80 ? 1 : 3;
  }
  return bytes;
};

/** Whether some parts of a row were not read. */
export const isShortened = (row: Row): boolean => {
  const left = row[leftOutMember];
  return isObject(left) && Object.keys(left).length > 0;
};

/**
 * The size of some fields of a row as JSON. Parts that were not read count with their size in the
 * database.
 */
export const rowBytes = (row: Row, fields: readonly string[], textBytes: TextBytes): number => {
  // The sizes of the parts that were not read, if there are any.
  const left = row[leftOutMember] as Readonly<Record<string, number>> | undefined;
  let bytes = 2;
  for (const name of fields) {
    const value = row[name];
    bytes += name.length + 4;
    if (left?.[name] !== undefined) bytes += left[name];
    else if (typeof value === "string") bytes += textBytes(value);
    else bytes += typeof value === "object" && value !== null ? textBytes(JSON.stringify(value)) : 24;
  }
  return bytes;
};

/** How many bytes of text are read at once, before it is known which texts the answer will show. */
const readAheadBytes = 512 * 1024;

/**
 * How long texts may be if this many rows are read at once. Longer texts are read if they fit into
 * the answer. A power of two, so that there are few statements.
 */
export const longestOf = (rows: number): number =>
  Math.min(65_536, Math.max(1024, 2 ** Math.floor(Math.log2(readAheadBytes / rows))));

/** @throws AppError `answer_too_large` */
export const tooLarge = (
  resource: Resource,
  row: Row,
  inclusions: readonly { readonly relation: Pick<Relation, "resource"> }[],
  { bytes, rows }: AnswerBounds,
): AppError => {
  const size = `${Math.floor(bytes / 1024)} KiB or ${rows} rows`;
  const [what, parameter, advice] =
    inclusions.length === 0
      ? [`The ${resource.name} ${row.id}`, "fields", "select fewer fields with `fields`"]
      : [
          `The ${resource.name} ${row.id} with all that is to be included`,
          "include",
          `include less, or select fewer fields, e.g. with \`fields[${inclusions[0]?.relation.resource.plural}]\``,
        ];
  return new AppError("answer_too_large", {
    detail: `${what} would be more than ${size}, which is the most that one answer holds: ${advice}.`,
    faults: [{ parameter, code: "answer_too_large", detail: advice }],
  });
};
