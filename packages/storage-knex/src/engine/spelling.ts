import type { Value } from "./session.ts";

/** The pieces of a text between its `?`, with names in double quotes. */
const spelledTexts = new Map<string, readonly string[]>();
/** Texts that are remembered. Beyond it all are forgotten, which only costs time. */
const mostTexts = 2_000;

const literalsAndMarks = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`|\?/g;

const piecesOf = (sql: string): readonly string[] => {
  const known = spelledTexts.get(sql);
  if (known !== undefined) return known;
  const pieces: string[] = [];
  let piece = "";
  let from = 0;
  for (const { 0: found, index } of sql.matchAll(literalsAndMarks)) {
    piece += sql.slice(from, index);
    from = index + found.length;
    if (found === "?") {
      pieces.push(piece);
      piece = "";
    } else piece += found === "`" ? '"' : found;
  }
  pieces.push(piece + sql.slice(from));
  if (spelledTexts.size >= mostTexts) spelledTexts.clear();
  spelledTexts.set(sql, pieces);
  return pieces;
};

/** PostgreSQL takes a number for a text where nothing else says what it is. */
const markOf = (value: Value | undefined, place: number): string => {
  if (typeof value !== "number") return `$${place}`;
  return `CAST($${place} AS ${Number.isInteger(value) ? "bigint" : "numeric"})`;
};

/**
 * A statement in the spelling of PostgreSQL. The stores write names in backticks and `?` for a value.
 * Text that already has `$1` in the place of values stays as it is.
 */
export const spelled = (sql: string, values: readonly Value[] = []): string => {
  const pieces = piecesOf(sql);
  let text = pieces[0] ?? "";
  for (let place = 1; place < pieces.length; place += 1) text += markOf(values[place - 1], place) + pieces[place];
  return text;
};
