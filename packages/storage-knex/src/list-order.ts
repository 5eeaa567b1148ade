import type { ListQuery, SortKey } from "@postern/core";
import { allOf, anyOf, columnOf, fieldOf, type Source } from "./condition-to-sql.ts";
import type { Statement } from "./database.ts";

const isNullable = ({ resource }: Source, { field }: SortKey): boolean => fieldOf(resource, field)?.nullable === true;

/** ORDER BY, nulls last in either direction. A field that is never null is sorted as its index is. */
export const orderToSql = (order: readonly SortKey[], source: Source): string =>
  order
    .flatMap((key) => {
      const column = columnOf(source, key.field);
      const sorted = `${column} ${key.direction === "desc" ? "DESC" : "ASC"}`;
      return isNullable(source, key) ? [`${column} IS NULL`, sorted] : [sorted];
    })
    .join(", ");

const same = (source: Source, key: SortKey, value: string | number | null): Statement => {
  const column = columnOf(source, key.field);
  return value === null ? { sql: `${column} IS NULL`, values: [] } : { sql: `${column} = ?`, values: [value] };
};

/** Rows that come later by this key alone. Behind null there is nothing. */
const later = (source: Source, key: SortKey, value: string | number | null, orSame: boolean): Statement => {
  if (value === null) return anyOf([]);
  const column = columnOf(source, key.field);
  const operator = `${key.direction === "desc" ? "<" : ">"}${orSame ? "=" : ""}`;
  const beyond = { sql: `${column} ${operator} ?`, values: [value] };
  return isNullable(source, key) ? anyOf([beyond, { sql: `${column} IS NULL`, values: [] }]) : beyond;
};

/**
 * The place right behind the row with these values of the order's keys, whether or not it still exists. A bound on the first key stands in
 * front, so that a page deep in the list starts in the index where the last one ended.
 */
export const placeToSql = ({ order, after }: Pick<ListQuery, "order" | "after">, source: Source): Statement => {
  if (after === undefined) return allOf([]);
  if (after.length !== order.length) throw new TypeError("a place in a list has one value for each key of its order");
  const lastSeen = (index: number): string | number | null => after[index] ?? null;
  const steps = order.map((key, index) =>
    allOf([
      ...order.slice(0, index).map((before, position) => same(source, before, lastSeen(position))),
      later(source, key, lastSeen(index), false),
    ]),
  );
  const [first] = order;
  const bound = first !== undefined && order.length > 1 && lastSeen(0) !== null;
  return allOf([...(bound ? [later(source, first, lastSeen(0), true)] : []), anyOf(steps)]);
};
