import { CopyRefused } from "../../engine/copy-refused.ts";
import { chunksOf, placeholders, quoted } from "../../engine/database.ts";
import { arrayOf } from "../../postgres/unnested.ts";
import { hashOf } from "../../sqlite/event-keys.ts";
import type { Connection } from "./connection.ts";
import { type CopiedRow, keyOf } from "./pages.ts";
import type { CopiedTable } from "./tables.ts";

/** On SQLite, every number of rows is a statement of its own, which is kept. */
const rowsOfInsert = { sqlite: 64, mysql: 1000 } as const;

const insertPlainly = async (
  { run }: Connection,
  { name, columns }: CopiedTable,
  rows: readonly CopiedRow[],
  atOnce: number,
): Promise<void> => {
  const into = `INSERT INTO \`${name}\` (${quoted(columns.map((column) => column.name))}) VALUES `;
  for (const some of chunksOf(rows, atOnce)) await run(into + placeholders(some.length, columns.length), some.flat());
};

const arrayTypes = { integer: "bigint", decimal: "numeric", text: "text", bytes: "bytea" } as const;

/** One array for each column, so that any number of rows has the same statement. */
const insertUnnested = async ({ run }: Connection, table: CopiedTable, rows: readonly CopiedRow[]): Promise<void> => {
  const { name, columns } = table;
  const values = columns.map(({ name: column, kind }, place) => {
    const texts = rows.map(({ [place]: cell = null }) => {
      if (cell === null) return null;
      return kind === "bytes" ? `\\x${Buffer.from(cell).toString("hex")}` : String(cell);
    });
    const bad = rows[texts.findIndex((text) => text?.includes("\0"))];
    if (bad === undefined) return arrayOf(texts);
    throw new CopyRefused(
      "not_fitting",
      `the column ${column} of ${name} holds a NUL character, which PostgreSQL does not store, in the row ${keyOf(table, bad).join(", ")}`,
    );
  });
  const arrays = columns.map(({ kind }) => `CAST(? AS ${arrayTypes[kind]}[])`);
  await run(
    `INSERT INTO \`${name}\` (${quoted(columns.map((column) => column.name))}) SELECT * FROM unnest(${arrays.join(", ")})`,
    values,
  );
};

/**
 * SQLite finds repeats by the hashes of the events' keys (ADR 35). All go to the sorted table at once, as
 * if they had been merged.
 */
const addEventKeys = async ({ run }: Connection, { columns }: CopiedTable, rows: readonly CopiedRow[]) => {
  const place = (wanted: string): number => columns.findIndex(({ name }) => name === wanted);
  const [id, provider, key] = [place("id"), place("provider"), place("dedupe_key")];
  const entries = rows.map((row) => [hashOf([String(row[provider]), String(row[key])]), Number(row[id])]);
  await run("INSERT INTO event_key (hash, event) SELECT value ->> 0, value ->> 1 FROM json_each(?)", [
    JSON.stringify(entries),
  ]);
};

/** The rows with the bytes by which the stores look them up. */
const asOnSqlite = ({ columns }: CopiedTable, rows: readonly CopiedRow[]): readonly CopiedRow[] =>
  columns.some(({ isBytesOnSqlite }) => isBytesOnSqlite)
    ? rows.map((row) =>
        row.map((cell, place) =>
          typeof cell === "string" && columns[place]?.isBytesOnSqlite === true ? Buffer.from(cell) : cell,
        ),
      )
    : rows;

/** Inserts a page of rows, in the transaction of the caller. */
export const writeRows = async (
  connection: Connection,
  table: CopiedTable,
  rows: readonly CopiedRow[],
): Promise<void> => {
  const { server } = connection;
  if (server === "postgres") return insertUnnested(connection, table, rows);
  await insertPlainly(connection, table, server === "sqlite" ? asOnSqlite(table, rows) : rows, rowsOfInsert[server]);
  if (server === "sqlite" && table.name === "inbox_event") await addEventKeys(connection, table, rows);
};
