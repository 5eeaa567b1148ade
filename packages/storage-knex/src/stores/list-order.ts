import type { ListQuery } from "@postern/core";
import type { Place, SortKey } from "@postern/core/ports";
import { allOf, columnOf, fieldOf, type Source } from "../engine/condition-to-sql.ts";
import type { Statement } from "../engine/database.ts";
import type { ReadColumns } from "./read-columns.ts";
import { unchangedApart } from "./unchanged-rows.ts";

type Seen = string | number | null;

/**
 * A key of the order in which rows are read. A page before a place is read in the opposite order of
 * the list.
 */
interface ReadKey {
  readonly field: string;
  readonly descending: boolean;
  readonly nullable: boolean;
}

const readKeys = ({ resource }: Source, order: readonly SortKey[], backwards: boolean): readonly ReadKey[] =>
  order.map(({ field, direction }) => ({
    field,
    descending: (direction === "desc") !== backwards,
    nullable: fieldOf(resource, field)?.nullable === true,
  }));

/**
 * Makes the ORDER BY. A field that is never null is sorted as its index is. Nulls are at the end of
 * the list, so a list that is read backwards begins with them.
 */
const orderBy = (keys: readonly ReadKey[], backwards: boolean, column: (field: string) => string): string =>
  keys
    .flatMap(({ field, descending, nullable }) => {
      const sorted = `${column(field)} ${descending ? "DESC" : "ASC"}`;
      return nullable ? [`${column(field)} IS NULL ${backwards ? "DESC" : "ASC"}`, sorted] : [sorted];
    })
    .join(", ");

const nullity = (source: Source, field: string, is: "IS NULL" | "IS NOT NULL"): Statement => ({
  sql: `${columnOf(source, field)} ${is}`,
  values: [],
});
const same = (source: Source, field: string, value: Seen): Statement =>
  value === null ? nullity(source, field, "IS NULL") : { sql: `${columnOf(source, field)} = ?`, values: [value] };

/** A stretch of the list: its rows, and the keys that still order them. */
interface Stretch {
  readonly where: Statement;
  readonly keys: readonly ReadKey[];
}

/** The rows that come later by the first key. No stretch has both nulls and values. */
const laterBy = (source: Source, keys: readonly ReadKey[], value: Seen, backwards: boolean): readonly Stretch[] => {
  const [first, ...rest] = keys;
  if (first === undefined) return [];
  const { field, descending, nullable } = first;
  const valued = [{ ...first, nullable: false }, ...rest];
  if (value === null) return backwards ? [{ where: nullity(source, field, "IS NOT NULL"), keys: valued }] : [];
  const beyond = { sql: `${columnOf(source, field)} ${descending ? "<" : ">"} ?`, values: [value] };
  const stretches = [{ where: beyond, keys: valued }];
  return nullable && !backwards ? [...stretches, { where: nullity(source, field, "IS NULL"), keys: rest }] : stretches;
};

/**
 * The rows beyond a place, in consecutive stretches. An index yields each stretch in order from its
 * first row on. With a single condition, `a > ? OR (a = ? AND b > ?)`, the database would read all
 * rows with the same `a`, or sort everything if `a` can be null.
 */
const stretchesBeyond = (
  source: Source,
  keys: readonly ReadKey[],
  place: Place,
  backwards: boolean,
): readonly Stretch[] =>
  keys.flatMap((_, fromEnd) => {
    const index = keys.length - 1 - fromEnd;
    const before = keys.slice(0, index).map(({ field }, position) => same(source, field, place[position] ?? null));
    return laterBy(source, keys.slice(index), place[index] ?? null, backwards).map((later) => ({
      where: allOf([...before, later.where]),
      keys: later.keys,
    }));
  });

/**
 * The whole list in stretches: first the rows with a value in the first key, then those without.
 */
const wholeList = (source: Source, keys: readonly ReadKey[], backwards: boolean): readonly Stretch[] => {
  const [first, ...rest] = keys;
  if (first?.nullable !== true) return [{ where: allOf([]), keys }];
  const valued = { where: nullity(source, first.field, "IS NOT NULL"), keys: [{ ...first, nullable: false }, ...rest] };
  const empty = { where: nullity(source, first.field, "IS NULL"), keys: rest };
  return backwards ? [empty, valued] : [valued, empty];
};

export interface OrderedSelect {
  readonly source: Source;
  readonly columns: ReadColumns;
  readonly where: Statement;
  readonly order: readonly SortKey[];
  readonly limit: number;
  /** Whether the rows that were never changed have an index of their own for this order; default false. See `hasUnchangedApart`. */
  readonly unchangedApart?: boolean;
}

/** SELECT of some fields of the rows that satisfy `where`, the first ones in an order. */
const selectStretch = (
  { source, where, limit }: OrderedSelect,
  columns: string,
  { where: stretch, keys }: Stretch,
  backwards: boolean,
): Statement => {
  const all = allOf([where, stretch]);
  const order = orderBy(keys, backwards, (field) => columnOf(source, field));
  return {
    sql: `SELECT ${columns} FROM \`${source.resource.table}\` AS \`${source.alias}\` WHERE ${all.sql} ORDER BY ${order} LIMIT ${limit}`,
    values: all.values,
  };
};

/** Rows of a list, all or some of them. */
interface Part {
  /** `undefined` for all of them. */
  readonly where?: Statement;
  readonly keys: readonly ReadKey[];
}

const partsOf = (
  { source, unchangedApart: apart = false }: OrderedSelect,
  keys: readonly ReadKey[],
): readonly Part[] => (apart ? unchangedApart(source, keys) : [{ keys }]);

const within = ({ where }: Part, stretch: Stretch): Stretch =>
  where === undefined ? stretch : { ...stretch, where: allOf([where, stretch.where]) };

/**
 * A page of a list as one statement. Rows come in the order in which they are read: backwards if
 * `before` is given.
 * @throws TypeError for an order or a place that makes no sense.
 */
export const pageToSql = (select: OrderedSelect, { after, before }: Pick<ListQuery, "after" | "before">): Statement => {
  const { source, columns, order, limit } = select;
  const place = before ?? after;
  if (order.length === 0) throw new TypeError("a list needs an order");
  if (before !== undefined && after !== undefined)
    throw new TypeError("a page is either behind a place or before one, not both");
  if (place !== undefined && place.length !== order.length && !(place.length === 0 && before !== undefined)) {
    throw new TypeError("a place in a list has one value for each key of its order");
  }
  const backwards = before !== undefined;
  const keys = readKeys(source, order, backwards);
  const stretches = partsOf(select, keys).flatMap((part) =>
    (place === undefined || place.length === 0
      ? wholeList(source, part.keys, backwards)
      : stretchesBeyond(source, part.keys, place, backwards)
    ).map((stretch) => within(part, stretch)),
  );
  const [only] = stretches;
  if (only !== undefined && stretches.length === 1) return selectStretch(select, columns.of(source), only, backwards);
  const needed = columns.with(order.map(({ field }) => field)).of(source);
  const parts = stretches.map((stretch) => selectStretch(select, needed, stretch, backwards));
  return inOneStatement(parts, columns.names, orderBy(keys, backwards, quote), limit);
};

const quote = (field: string): string => `\`${field}\``;

/** Names with a dollar cannot collide with fields, which are snake_case. */
const inOneStatement = (
  parts: readonly Statement[],
  names: readonly string[],
  order: string,
  limit: number | undefined,
): Statement => ({
  sql:
    `SELECT ${names.map(quote).join(", ")} FROM (` +
    parts.map(({ sql }, number) => `SELECT * FROM (${sql}) AS \`$part${number}\``).join(" UNION ALL ") +
    `) AS \`$whole\` ORDER BY ${order}${limit === undefined ? "" : ` LIMIT ${limit}`}`,
  values: parts.flatMap(({ values }) => values),
});

/**
 * The number of parents is rounded up to one of these, so that few different statements are
 * prepared.
 */
const sizes = [1, 2, 5, 10, 20, 50, 100];

/**
 * The first rows below each of up to 100 parents as one statement, found separately for each
 * parent. So the cost does not grow with the rows behind the first ones.
 * @throws TypeError for more parents.
 */
export const belowToSql = (
  select: OrderedSelect,
  parents: { readonly field: string; readonly ids: readonly string[] },
): Statement => {
  const { source, columns, order, limit } = select;
  const size = sizes.find((each) => each >= parents.ids.length);
  if (size === undefined) throw new TypeError(`rows are listed below at most 100 parents, not ${parents.ids.length}`);
  const keys = readKeys(source, order, false);
  const needed = columns.with([parents.field, ...order.map(({ field }) => field)]);
  const parts = Array.from({ length: size }, (_, index) => {
    // No row is below null.
    const where = { sql: `${columnOf(source, parents.field)} = ?`, values: [parents.ids[index] ?? null] };
    const own = partsOf(select, keys).map((part) =>
      selectStretch(select, needed.of(source), within(part, { where, keys: part.keys }), false),
    );
    const [only] = own;
    return only !== undefined && own.length === 1
      ? only
      : inOneStatement(own, needed.names, orderBy(keys, false, quote), limit);
  });
  return inOneStatement(parts, columns.names, `${quote(parents.field)}, ${orderBy(keys, false, quote)}`, undefined);
};
