import { leftOutMember, type ReadOptions, type Resource } from "@postern/core";
import { columnOf, fieldOf, type Source } from "./condition-to-sql.ts";
import { quoted } from "./database.ts";
import type { Dialect } from "./dialect.ts";
import type { StoredRow } from "./stores/resource-rows.ts";

/** The columns of a SELECT of rows. */
export interface ReadColumns {
  /** Of the result, in order. */
  readonly names: readonly string[];
  /** What stands behind SELECT, for rows of a table. */
  of(source: Source): string;
  /** The same columns, and these fields beside them: for a SELECT around which another one stands. */
  with(fields: readonly string[]): ReadColumns;
  /** Brings the sizes of what was left out to the place where the port has them, in the row itself. */
  readonly settle?: (row: StoredRow) => void;
}

/** Nothing else is called like the names with a dollar: fields are snake_case. */
const sizeOf = (field: string): string => `$bytes_${field}`;

/** No character of JavaScript's takes more bytes (UTF-8). */
const bytesOfCharacter = 3;

const canBeLonger = (resource: Resource, name: string, longest: number): boolean => {
  const field = fieldOf(resource, name);
  if (field?.kind === "json") return true;
  if (field?.kind !== "text" && field?.kind !== "long-text") return false;
  return (field.maxLength ?? Number.POSITIVE_INFINITY) * bytesOfCharacter > longest;
};

/** The columns for some fields of a resource. A text that is too long never leaves the database; its size does. */
export const readColumns = (
  dialect: Pick<Dialect, "bytesOf">,
  resource: Resource,
  fields: readonly string[],
  { longest }: Pick<ReadOptions, "longest">,
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
    with: (more) =>
      readColumns(dialect, resource, [...new Set([...fields, ...more])], longest === undefined ? {} : { longest }),
    ...(long.length === 0 ? {} : { settle }),
  };
};
