import type { Condition, Resource } from "@postern/core";
import type { SortKey } from "@postern/core/ports";
import { columnOf, conjunction, type Source } from "../engine/condition-to-sql.ts";
import type { Statement } from "../engine/database.ts";
import type { Dialect } from "../engine/dialect.ts";

/** The tables for which migration 0036 made indexes of this kind. */
const tables: ReadonlySet<string> = new Set(["posts", "comments"]);

const isTime = (field: string | undefined): boolean => field === "created_at" || field === "updated_at";

/**
 * Whether a list goes by the indexes of rows that were never changed and of the others
 * (docs/performance/storage.md), in parts that `unchangedApart` tells. They serve one order, below one
 * parent. A list of all rows has no index for its order; it is read and sorted as a whole, and once.
 */
export const hasUnchangedApart = (
  { hasPartialIndexes }: Pick<Dialect, "hasPartialIndexes">,
  { table, parent }: Resource,
  order: readonly SortKey[],
  boundBy: readonly Condition[],
): boolean =>
  hasPartialIndexes &&
  tables.has(table) &&
  isTime(order[0]?.field) &&
  conjunction(boundBy).all.some((part) => "op" in part && part.op === "eq" && part.field === parent?.field);

/**
 * The rows of a list by time in two parts. A row that was never changed has the same value in both
 * times, so one index with `created_at` puts these rows into both orders. The others have an index for
 * each order.
 */
export const unchangedApart = <Key extends { readonly field: string }>(
  source: Source,
  keys: readonly Key[],
): readonly { readonly where: Statement; readonly keys: readonly Key[] }[] => {
  const [created, updated] = [columnOf(source, "created_at"), columnOf(source, "updated_at")];
  // As in the indexes: SQLite compares the text.
  return [
    {
      where: { sql: `${updated} = ${created}`, values: [] },
      keys: keys.map((key) => (key.field === "updated_at" ? { ...key, field: "created_at" } : key)),
    },
    { where: { sql: `${updated} <> ${created}`, values: [] }, keys },
  ];
};
