import { idNumber } from "@postern/core/testing";
import type { Knex } from "knex";

/** What is easily lost on the way from one database to another. */
const awkward = [
  null,
  "",
  "Zoë \u{1f469}‍\u{1f680} \\ ' \" ? $1 {,} NULL \\N",
  "line\n\r\ttab   trailing blanks  ",
  "long ".repeat(3000),
] as const;

const bodies = [
  Buffer.alloc(0),
  Buffer.from([0, 1, 2, 0, 255, 254]),
  Buffer.from('{"text":"\\u0000\0"}'),
  Buffer.from([0xc3, 0x28, 0xff, 0xf0]),
  Buffer.alloc(300_000, 0x5c),
];

/** How many rows each table gets. */
export const rowsOfTable = awkward.length;

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
}

const wide: ReadonlySet<string> = new Set(["name", "title"]);
/** Hashes and choices, of which only one or two rows may have the same. */
const alone: Readonly<Record<string, readonly string[]>> = {
  "signing_key.state": ["active", "next", "retired", "retired", "retired"],
};

/** What the stores give to SQLite as bytes. */
const bytes: ReadonlySet<string> = new Set([
  "deprecated_call.deprecation",
  "deprecated_call.client",
  "deprecated_call.agent",
  "kept_answer.answer_key",
  "rate_limit.limit_key",
]);

const valueFor = (
  table: string,
  { name, type, notnull, pk }: ColumnRow,
  n: number,
): string | number | Buffer | null => {
  const own = alone[`${table}.${name}`];
  if (own !== undefined) return own[n] ?? null;
  if (type === "CHAR(36)") return notnull === 0 && n === 0 ? null : idNumber(n + 1);
  if (type === "BLOB") return bodies[n] ?? null;
  if (type === "CHAR(24)") return notnull === 0 && n === 0 ? null : `2026-01-0${n + 1}T00:00:00.00${n}Z`;
  if (type === "CHAR(10)") return `2026-01-0${n + 1}`;
  if (type === "BOOLEAN") return n % 2;
  if (type.startsWith("DECIMAL")) return [0, -1.5, 12_345_678.91, 0.01, 7][n] ?? 0;
  if (type === "INTEGER") {
    if (pk > 0) return n + 1;
    return notnull === 0 && n === 0 ? null : n;
  }
  const text = awkward[n] ?? null;
  if (bytes.has(`${table}.${name}`)) return Buffer.from(`${name}-${n} ü`);
  if (pk > 0) return `${name}-${n}`;
  if (type === "TEXT" || type === "JSON_TEXT") {
    // Keys are short, and one of them is unique.
    if (/_key$|_name$/.test(name)) return notnull === 0 && n < 1 ? null : `${name}-${n} ü`;
    return text ?? (notnull === 1 ? "" : null);
  }
  if (wide.has(name)) return `${n} ${(text ?? "").slice(0, 40)}`;
  return notnull === 0 && n === 0 ? null : `${n} ${name}`.slice(0, 10);
};

/** Puts rows into every table of a SQLite database. References lead to the row with the same number. */
export const fillTables = async (db: Knex, tables: readonly string[]): Promise<void> => {
  await db.raw("PRAGMA foreign_keys = OFF");
  for (const table of tables) {
    const columns: readonly ColumnRow[] = await db.raw('SELECT name, type, "notnull", pk FROM pragma_table_info(?)', [
      table,
    ]);
    for (let n = 0; n < rowsOfTable; n += 1) {
      await db(table).insert(Object.fromEntries(columns.map((column) => [column.name, valueFor(table, column, n)])));
    }
  }
  // Numbers beyond those that a double holds.
  await db.raw("UPDATE job SET created_at = 9223372036854775807 WHERE id = 2");
  await db.raw("UPDATE job SET lease = -9007199254740993 WHERE id = 3");
  await db.raw("UPDATE id_block SET next = 5001");
};
