import { AppError, type Resource, type Row } from "@postern/core";
import { isObject, leftOutMember, type Relation } from "@postern/core/parts";
import type { AnswerBounds } from "../operations/answer-bounds.ts";

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
