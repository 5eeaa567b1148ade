import type { Field, Resource } from "@postern/core";
import type { Resources } from "../../engine/condition-to-sql.ts";
import type { ColumnTypes } from "../migrations/migration.ts";

export interface Column {
  readonly name: string;
  /** The type, as a statement that makes the column writes it. */
  readonly type: string;
  readonly nullable: boolean;
  /** The value that existing rows get, as a statement writes it; `undefined` if there is none. */
  readonly default: string | undefined;
  /** The table it refers to. */
  readonly references: string | undefined;
  /** The column's former name. */
  readonly renamedFrom: string | undefined;
  /** The values of a choice. */
  readonly choices: readonly string[] | undefined;
}

export interface IndexColumn {
  readonly name: string;
  readonly descending: boolean;
}

export interface TableIndex {
  readonly name: string;
  readonly columns: readonly IndexColumn[];
  readonly unique: boolean;
  /** The purpose of the index, for people who read a plan. */
  readonly why: string;
}

/** The table that a resource needs. */
export interface TableShape {
  readonly resource: string;
  readonly table: string;
  readonly columns: readonly Column[];
  readonly indexes: readonly TableIndex[];
}

/** `status, created_at DESC, id`: two indexes with the same text are equivalent. */
export const columnsText = (columns: readonly IndexColumn[]): string =>
  columns.map(({ name, descending }) => (descending ? `${name} DESC` : name)).join(", ");

const longestChoice = 64;
/**
 * On MySQL, longer texts are stored outside of the row. The columns of a row may have 65,535 bytes
 * together, and a character takes up to four.
 */
const longestInRow = 1000;

const choiceType = (types: ColumnTypes, values: readonly string[], maxLength: number): string => {
  // All choices get the same length, so that a longer one can be added later.
  const length = Math.max(maxLength, longestChoice);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what the narrow type takes
  return values.every((value) => /^[\x00-\x7f]*$/.test(value)) ? types.ascii(length) : types.text(length);
};

const typeOf = (types: ColumnTypes, { kind, maxLength = 0, precision, choices = [] }: Field): string => {
  switch (kind) {
    case "id":
    case "reference":
      return types.id;
    case "text":
      return maxLength > longestInRow ? types.longText : types.text(maxLength);
    case "choice":
      return choiceType(types, choices, maxLength);
    case "digest":
      return types.ascii(maxLength);
    case "long-text":
      return types.longText;
    case "integer":
      return types.bigint;
    case "decimal":
      return types.decimal(precision?.digits ?? 15, precision?.decimals ?? 0);
    case "boolean":
      return types.boolean;
    case "date":
      return types.day;
    case "timestamp":
      return types.moment;
    case "json":
      return types.json;
  }
};

/** The servers that read a backslash in a literal as an escape. */
const escapes: ReadonlySet<ColumnTypes["server"]> = new Set(["mariadb", "mysql"]);

/** A text as a literal for a statement. */
export const textLiteral = (types: Pick<ColumnTypes, "server">, text: string): string =>
  `'${(escapes.has(types.server) ? text.replaceAll("\\", "\\\\") : text).replaceAll("'", "''")}'`;

const literalOf = (types: ColumnTypes, { kind, default: value, maxLength = 0 }: Field): string | undefined => {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" || typeof value === "boolean") return String(Number(value));
  const quoted = textLiteral(types, typeof value === "object" ? JSON.stringify(value) : value);
  const long = kind === "long-text" || kind === "json" || (kind === "text" && maxLength > longestInRow);
  // MySQL takes a default for long columns only as an expression.
  return types.server !== "sqlite" && long ? `(${quoted})` : quoted;
};

const ascending = (...names: readonly string[]): readonly IndexColumn[] =>
  names.map((name) => ({ name, descending: false }));

/** MySQL allows names of 64 characters, and on SQLite the name of the table is put in front. */
const longestName = 30;
const shortened = (name: string): string => {
  if (name.length <= longestName * 2 + 1) return name;
  let digest = 0;
  for (const character of name) digest = (digest * 31 + (character.codePointAt(0) ?? 0)) % 0xff_ff_ff;
  return `${name.slice(0, longestName * 2 - 7)}_${digest.toString(16)}`;
};

/**
 * The indexes for the orders that a declaration names: each for the field that binds its list and,
 * for administrators, over the whole table.
 */
const declaredOrders = ({ lists = [], parent, owner }: Resource): readonly TableIndex[] =>
  lists.flatMap((order) => {
    const keys = order.map((key) => ({ name: key.replace(/^-/, ""), descending: key.startsWith("-") }));
    const columns = [...keys, { name: "id", descending: keys.at(-1)?.descending === true }];
    const told = `the declared list ${order.join(", ")}`;
    const called = keys.map(({ name, descending }) => (descending ? `${name}_desc` : name)).join("_");
    const bound = parent?.field ?? owner;
    const below = bound === "id" ? [] : ascending(bound).filter(({ name }) => keys[0]?.name !== name);
    const indexes = below.map((column) => ({
      name: shortened(`${column.name}_${called}`),
      columns: [column, ...columns],
      unique: false,
      why: `${told}, for one ${bound}`,
    }));
    if (parent !== undefined) return indexes;
    return [...indexes, { name: shortened(`by_${called}`), columns, unique: false, why: told }];
  });

/**
 * The indexes of a resource's table: one to find the rows that refer to another, one for each
 * unique value, and one for each order of a list, which begins with the field that binds the list.
 * A list without a parent is read by owners and, as a whole, by administrators.
 */
const indexesOf = (resource: Resource): readonly TableIndex[] => {
  const { fields, parent, owner } = resource;
  const indexes: TableIndex[] = [];
  const add = (name: string, columns: readonly string[], why: string, unique = false): void => {
    indexes.push({ name, columns: ascending(...columns), unique, why });
  };
  for (const [name, { references, unique, sort }] of Object.entries(fields)) {
    if (name === "id") continue;
    if (references !== undefined) add(name, [name, "id"], `finds the rows that refer to one ${references.resource}`);
    if (unique) add(references === undefined ? name : `${name}_unique`, [name], `keeps ${name} unique`, true);
    if (sort === "nobody") continue;
    const sorted = `lists sorted by ${name}`;
    if (parent !== undefined) {
      if (parent.field !== name) {
        add(`${parent.field}_${name}`, [parent.field, name, "id"], `${sorted}, for one ${parent.field}`);
      }
      continue;
    }
    // Rows with different unique values need no further order.
    if (!unique && references === undefined) add(`by_${name}`, [name, "id"], sorted);
    if (owner !== "id" && owner !== name) add(`${owner}_${name}`, [owner, name, "id"], `${sorted}, for one ${owner}`);
  }
  const orders = declaredOrders(resource).filter(
    ({ columns }) => !indexes.some((index) => columnsText(index.columns) === columnsText(columns)),
  );
  return withOwnNames([...indexes, ...orders]);
};

/**
 * Gives each index a name that is not among the taken ones, and that no other has. Unique indexes
 * choose first, because MySQL names the index when a value is taken.
 */
export const withOwnNames = (
  indexes: readonly TableIndex[],
  isTaken: (name: string) => boolean = () => false,
): readonly TableIndex[] => {
  const names = new Set<string>();
  const freeName = (wanted: string): string => {
    let name = wanted;
    for (let number = 2; names.has(name) || isTaken(name); number += 1) name = `${wanted}$${number}`;
    names.add(name);
    return name;
  };
  const ordered = indexes.toSorted((left, right) => Number(right.unique) - Number(left.unique));
  const named = new Map(ordered.map((index) => [index, { ...index, name: freeName(index.name) }]));
  return indexes.map((index) => named.get(index) ?? index);
};

export const tableShape = (resource: Resource, resources: Resources, types: ColumnTypes): TableShape => ({
  resource: resource.name,
  table: resource.table,
  columns: [
    ...Object.entries(resource.fields).map(([name, field]) => ({
      name,
      type: typeOf(types, field),
      nullable: field.nullable,
      default: literalOf(types, field),
      references: field.references === undefined ? undefined : resources.get(field.references.resource)?.table,
      renamedFrom: field.renamedFrom,
      choices: field.choices,
    })),
    {
      name: "revision",
      type: types.integer,
      nullable: false,
      default: "1",
      references: undefined,
      renamedFrom: undefined,
      choices: undefined,
    },
  ],
  indexes: indexesOf(resource),
});
