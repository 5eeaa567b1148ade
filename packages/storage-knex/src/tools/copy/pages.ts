import { fitting } from "../../engine/portions.ts";
import type { Value } from "../../engine/session.ts";
import type { Connection } from "./connection.ts";
import type { CopiedColumn, CopiedTable } from "./tables.ts";

/** A value in a form that every database gives back equal. Numbers are texts, so that none is rounded. */
type Cell = string | Buffer | null;

/** The values of a row in the order of the table's columns. */
export type CopiedRow = readonly Cell[];

const rowsOfPage = 1000;
/** No page has more bytes, unless a single row has. */
const bytesOfPage = 4 * 1024 * 1024;

const textType = { sqlite: "TEXT", mysql: "CHAR", postgres: "text" } as const;

const selected = ({ server }: Connection, { name, kind }: CopiedColumn): string => {
  const column = `\`${name}\``;
  if (kind === "integer" || kind === "decimal") return `CAST(${column} AS ${textType[server]})`;
  return kind === "text" && server === "mysql" ? `CONVERT(${column} USING utf8mb4)` : column;
};

/** Decimals have at most 15 digits, which a number holds. */
const cellOf = (kind: CopiedColumn["kind"], value: unknown): Cell => {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return kind === "text" ? bytes.toString() : bytes;
  }
  return kind === "decimal" ? String(Number(value)) : String(value);
};

/** The condition for rows behind a key, and its values. */
const behind = ({ server }: Connection, { name, key }: CopiedTable, last: readonly string[] | undefined) => {
  if (last === undefined) return { where: "", values: [] };
  const mark = ({ kind, isBytesOnSqlite }: CopiedColumn): string => {
    // Without the cast, MySQL would compare numbers as doubles, and on SQLite all bytes come after all texts.
    if (server === "mysql" && kind === "integer") return "CAST(? AS SIGNED)";
    return server === "sqlite" && isBytesOnSqlite ? "CAST(? AS BLOB)" : "?";
  };
  const column = (part: CopiedColumn): string => `\`${name}\`.\`${part.name}\``;
  const values: Value[] = [];
  const ways = key.map((part, place) => {
    const equal = key.slice(0, place).map((before) => `${column(before)} = ${mark(before)} AND `);
    values.push(...last.slice(0, place + 1));
    return `(${equal.join("")}${column(part)} > ${mark(part)})`;
  });
  return { where: ` WHERE ${ways.join(" OR ")}`, values };
};

/** How many rows behind `last` fit into a page. */
const rowsThatFit = async (
  connection: Connection,
  table: CopiedTable,
  { where, values }: ReturnType<typeof behind>,
  order: string,
): Promise<number> => {
  const long = table.columns.filter(({ isLong }) => isLong);
  if (long.length === 0) return rowsOfPage;
  const size = long.map(({ name }) => `COALESCE(OCTET_LENGTH(\`${name}\`), 0)`).join(" + ");
  const sizes = await connection.rows<{ size: number }>(
    `SELECT ${size} AS size FROM \`${table.name}\`${where} ORDER BY ${order} LIMIT ${rowsOfPage}`,
    values,
  );
  return fitting(
    sizes.map((row) => Number(row.size)),
    bytesOfPage,
  );
};

/** The key of a row, as the next page begins behind it. */
export const keyOf = ({ columns, key }: CopiedTable, row: CopiedRow): readonly string[] =>
  key.map((part) => String(row[columns.indexOf(part)]));

const readPage = async (
  connection: Connection,
  table: CopiedTable,
  last: readonly string[] | undefined,
): Promise<readonly CopiedRow[]> => {
  const order = table.key.map(({ name }) => `\`${table.name}\`.\`${name}\``).join(", ");
  const condition = behind(connection, table, last);
  const limit = await rowsThatFit(connection, table, condition, order);
  if (limit === 0) return [];
  const list = table.columns.map((column, place) => `${selected(connection, column)} AS c${place}`).join(", ");
  const rows = await connection.rows<Readonly<Record<string, unknown>>>(
    `SELECT ${list} FROM \`${table.name}\`${condition.where} ORDER BY ${order} LIMIT ${limit}`,
    condition.values,
  );
  return rows.map((row) => table.columns.map(({ kind }, place) => cellOf(kind, row[`c${place}`])));
};

/**
 * The rows of a table behind a key, in the order of the primary key, in pages. The next page is read
 * while the caller works on one.
 */
export async function* pagesOf(
  connection: Connection,
  table: CopiedTable,
  last?: readonly string[],
): AsyncGenerator<readonly CopiedRow[]> {
  const after = (key: readonly string[] | undefined): Promise<readonly CopiedRow[]> => {
    const page = readPage(connection, table, key);
    // The caller may have failed meanwhile, and then nobody waits for it.
    page.catch(() => undefined);
    return page;
  };
  let next = after(last);
  for (;;) {
    const page = await next;
    const end = page.at(-1);
    if (end === undefined) return;
    next = after(keyOf(table, end));
    yield page;
  }
}
