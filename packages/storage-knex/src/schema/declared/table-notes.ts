import type { Knex } from "knex";
import type { ColumnTypes } from "../migrations/migration.ts";
import { findTable } from "./found-table.ts";
import type { NotedChoices } from "./plan-table.ts";
import type { TableShape } from "./table-shape.ts";

const notes = "declared_table";

interface NoteRow {
  readonly table_name: string;
  readonly resource: string;
  readonly choices: string;
}

/** A table that was made for a declared resource. */
export interface TableNote {
  readonly table: string;
  readonly resource: string;
  readonly choices: NotedChoices;
}

/** Empty before the step that makes their table. */
export const notedTables = async (knex: Knex, types: ColumnTypes): Promise<readonly TableNote[]> => {
  if ((await findTable(knex, types, notes)) === undefined) return [];
  const rows: readonly NoteRow[] = await knex(notes).select("table_name", "resource", "choices").orderBy("table_name");
  return rows.map((row) => ({ table: row.table_name, resource: row.resource, choices: JSON.parse(row.choices) }));
};

const choicesOf = ({ columns }: TableShape): NotedChoices =>
  Object.fromEntries(columns.flatMap(({ name, choices }) => (choices === undefined ? [] : [[name, choices]])));

/** Whether the notes about these tables equal their present declarations. */
export const areNoted = (noted: readonly TableNote[], shapes: readonly TableShape[]): boolean =>
  shapes.every((shape) => {
    const note = noted.find(({ table }) => table === shape.table);
    return note?.resource === shape.resource && JSON.stringify(note.choices) === JSON.stringify(choicesOf(shape));
  });

export const noteTables = async (knex: Knex, shapes: readonly TableShape[]): Promise<void> => {
  for (const shape of shapes) {
    const row = { table_name: shape.table, resource: shape.resource, choices: JSON.stringify(choicesOf(shape)) };
    await knex(notes).insert(row).onConflict("table_name").merge();
  }
};

/**
 * The existing tables of resources that are no longer declared, with their rows counted up to
 * `most`.
 */
export const leftOverTables = async (
  knex: Knex,
  types: ColumnTypes,
  declared: readonly string[],
  countRows: (knex: Knex, table: string) => Promise<number>,
): Promise<readonly { readonly resource: string; readonly table: string; readonly rows: number }[]> => {
  const found: { resource: string; table: string; rows: number }[] = [];
  for (const { table, resource } of await notedTables(knex, types)) {
    if (declared.includes(table) || (await findTable(knex, types, table)) === undefined) continue;
    found.push({ resource, table, rows: await countRows(knex, table) });
  }
  return found;
};
