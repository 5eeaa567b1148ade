import type { Resource } from "@postern/core";
import { leftOutMember } from "@postern/core/ports";
import { columnOf, fieldOf, type Source } from "../engine/condition-to-sql.ts";
import { quoted } from "../engine/database.ts";
import type { Dialect } from "../engine/dialect.ts";
import type { StoredRow } from "./resource-statements.ts";

/** The columns of a SELECT of rows. */
export interface ReadColumns {
  /** The names of the result's columns, in order. */
  readonly names: readonly string[];
  /** The text behind SELECT, for rows of a table. */
  of(source: Source): string;
  /** The same columns with these fields added, for a SELECT inside another one. */
  with(fields: readonly string[]): ReadColumns;
  /** Moves the sizes of left-out values to where the port expects them. Changes the row itself. */
  readonly settle?: (row: StoredRow) => void;
}

/** Names with a dollar cannot collide with fields, which are snake_case. */
const sizeOf = (field: string): string => `$bytes_${field}`;

/** The most bytes in UTF-8 of one character (UTF-16 code unit) of JavaScript. */
const bytesOfCharacter = 3;

const canBeLonger = (resource: Resource, name: string, longest: number): boolean => {
  const field = fieldOf(resource, name);
  if (field?.kind === "json") return true;
  if (field?.kind !== "text" && field?.kind !== "long-text") return false;
  return (field.maxLength ?? Number.POSITIVE_INFINITY) * bytesOfCharacter > longest;
};

/**
 * The columns for some fields of a resource. For a text that is too long, only its size leaves the
 * database.
 */
export const readColumns = (
  dialect: Pick<Dialect, "bytesOf">,
  resource: Resource,
  fields: readonly string[],
  longest: number | undefined,
): ReadColumns => {
  const long = longest === undefined ? [] : fields.filter((name) => canBeLonger(resource, name, longest));
  const isLong = new Set(long);
  const names = [...fields, ...long.map(sizeOf)];
  const of = (source: Source): string =>
    [
      ...fields.map((name) => {
        const column = columnOf(source, name);
        if (!isLong.has(name)) return column;
        return `CASE WHEN ${dialect.bytesOf(column)} <= ${longest} THEN ${column} END AS ${quoted([name])}`;
      }),
      ...long.map((name) => `${dialect.bytesOf(columnOf(source, name))} AS ${quoted([sizeOf(name)])}`),
    ].join(", ");
  const settle = (row: StoredRow): void => {
    let leftOut: Record<string, number> | undefined;
    for (const name of long) {
      const bytes = Number(row[sizeOf(name)] ?? 0);
      delete row[sizeOf(name)];
      if (bytes <= (longest ?? 0)) continue;
      leftOut ??= {};
      leftOut[name] = bytes;
    }
    if (leftOut !== undefined) row[leftOutMember] = leftOut;
  };
  return {
    names,
    of,
    with: (more) => readColumns(dialect, resource, [...new Set([...fields, ...more])], longest),
    ...(long.length === 0 ? {} : { settle }),
  };
};
