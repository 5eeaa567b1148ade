import type { Resource } from "@postern/core";
import { keepsNfc } from "@postern/core/internal";
import type { Knex } from "knex";
import type { Resources } from "../../engine/condition-to-sql.ts";
import type { RefusedChange, TableChange, TableChanges } from "../../engine/table-change.ts";
import type { ColumnTypes } from "../migrations/migration.ts";
import { type FoundTable, findTable } from "./found-table.ts";
import { differingRows, type LookedFor, type OtherForms, otherForms } from "./other-forms.ts";
import { textLiteral } from "./table-shape.ts";

const notes = "nfc_column";

interface NoteRow {
  readonly table_name: string;
  readonly column_name: string;
}

/** A column that must have its texts in NFC, and may still have others. */
interface OpenColumn extends LookedFor {
  /** How many rows have a text in another form. */
  readonly rows: number;
}

/** The texts that must be brought to NFC, because their fields are compared in it. */
export interface NormalFormsPlan extends TableChanges {
  readonly columns: readonly OpenColumn[];
  /** Whether the notes say that all columns are in NFC, and name no others. */
  readonly noted: boolean;
}

const nameOf = ({ table, column }: Pick<LookedFor, "table" | "column">): string => `${table}.${column}`;

const counted = (rows: number): string => `${rows} ${rows === 1 ? "row" : "rows"}`;

const columnsOf = ({ table, fields }: Resource): readonly LookedFor[] =>
  Object.entries(fields).flatMap(([column, field]) => {
    if (!keepsNfc(field)) return [];
    const { unique, maxLength, renamedFrom } = field;
    return [{ table, column, unique, maxLength, renamedFrom, isLong: field.kind === "long-text" }];
  });

const wantedColumns = (resources: Resources): readonly LookedFor[] => [...resources.values()].flatMap(columnsOf);

/** Empty before the step that makes their table. */
const notedColumns = async (knex: Knex, types: ColumnTypes): Promise<ReadonlyMap<string, NoteRow>> => {
  if ((await findTable(knex, types, notes)) === undefined) return new Map();
  const rows: readonly NoteRow[] = await knex(notes).select("table_name", "column_name");
  return new Map(rows.map((row) => [nameOf({ table: row.table_name, column: row.column_name }), row]));
};

/** Notes of these tables about columns that are no longer compared in NFC: rows may now have any form there. */
const staleNotes = (noted: ReadonlyMap<string, NoteRow>, resources: Resources): readonly NoteRow[] => {
  const tables = new Set([...resources.values()].map(({ table }) => table));
  const wanted = new Set(wantedColumns(resources).map(nameOf));
  return [...noted].flatMap(([name, note]) => (tables.has(note.table_name) && !wanted.has(name) ? [note] : []));
};

/** The present name of the column in its table; `undefined` if it does not exist yet. */
const presentName = ({ column, renamedFrom }: LookedFor, found: FoundTable | undefined): string | undefined =>
  [column, renamedFrom].find((name) => name !== undefined && found?.columns.has(name) === true);

const noOthers: OtherForms = { rows: 0, equal: [], longer: [] };

/** How many rows of a refusal are named. */
const mostNamed = 20;

const refusalsOf = (
  types: ColumnTypes,
  { table, column, maxLength }: LookedFor,
  present: string,
  { equal, longer }: OtherForms,
): readonly RefusedChange[] => {
  const shown = (ids: readonly string[]): readonly string[] => {
    const list = ids.map((id) => textLiteral(types, id)).join(", ");
    return [`select \`id\`, \`${present}\` from \`${table}\` where \`id\` in (${list})`];
  };
  const more = (all: readonly unknown[]): string => (all.length > mostNamed ? "; and more" : "");
  const pairs = equal.slice(0, mostNamed);
  const long = longer.slice(0, mostNamed);
  const same = {
    problem: `${table}: "${column}" is unique, and in Unicode's form NFC these rows have the same text: ${pairs.map((pair) => pair.join(" and ")).join("; ")}${more(equal)}; change or delete one of each two`,
    byHand: shown([...new Set(pairs.flat())]),
  };
  const tooLong = {
    problem: `${table}: "${column}" has at most ${maxLength} characters, and in Unicode's form NFC these rows have more: ${long.join(", ")}${more(longer)}; shorten them`,
    byHand: shown(long),
  };
  return [...(pairs.length > 0 ? [same] : []), ...(long.length > 0 ? [tooLong] : [])];
};

const changeOf = ({ table, column, rows }: OpenColumn): readonly TableChange[] =>
  // SQL has no normal forms, so there are no statements that could be run by hand.
  rows === 0
    ? []
    : [{ name: `${table}: ${column} is kept in Unicode's form NFC, which changes ${counted(rows)}`, statements: [] }];

/** Searches the columns that are not noted yet. Changes nothing. */
export const planNormalForms = async (
  knex: Knex | undefined,
  types: ColumnTypes,
  resources: Resources,
): Promise<NormalFormsPlan> => {
  if (knex === undefined) return { columns: [], noted: false, changes: [], refused: [] };
  const noted = await notedColumns(knex, types);
  const columns: OpenColumn[] = [];
  const refused: RefusedChange[] = [];
  for (const resource of resources.values()) {
    const open = columnsOf(resource).filter((wanted) => !noted.has(nameOf(wanted)));
    const found = open.length === 0 ? undefined : await findTable(knex, types, resource.table);
    for (const wanted of open) {
      const present = presentName(wanted, found);
      const others = present === undefined ? noOthers : await otherForms(knex, types, { ...wanted, column: present });
      columns.push({ ...wanted, rows: others.rows });
      refused.push(...refusalsOf(types, wanted, present ?? wanted.column, others));
    }
  }
  return {
    columns,
    noted: columns.length === 0 && staleNotes(noted, resources).length === 0,
    changes: columns.flatMap(changeOf),
    refused,
  };
};

/** Writes the texts of a column in NFC. A new form of a text is a new revision of its row. */
const bringToNfc = async (knex: Knex, types: ColumnTypes, wanted: LookedFor): Promise<void> => {
  const { table, column } = wanted;
  for await (const batch of differingRows(knex, types, wanted)) {
    await knex.transaction(async (transaction) => {
      for (const { id, from, to } of batch) {
        // A row that was changed meanwhile stays as it is: a process of this version writes NFC.
        await transaction(table)
          .where({ id, [column]: from })
          .update({ [column]: to, revision: knex.raw("revision + 1") });
      }
    });
  }
};

/**
 * Brings the columns of a plan to NFC, in small transactions, and notes them. After a kill at any
 * place, the next call goes on: texts that are in NFC already are passed over.
 */
export const takeNormalForms = async (
  knex: Knex,
  types: ColumnTypes,
  resources: Resources,
  { columns, changes }: NormalFormsPlan,
): Promise<readonly string[]> => {
  try {
    for (const column of columns) if (column.rows > 0) await bringToNfc(knex, types, column);
  } catch (thrown) {
    // Perhaps a process of an older version has stored a row meanwhile that is equal to another.
    const { refused } = await planNormalForms(knex, types, resources);
    throw refused.length === 0
      ? thrown
      : new Error(refused.map(({ problem }) => problem).join("; "), { cause: thrown });
  }
  for (const note of staleNotes(await notedColumns(knex, types), resources))
    await knex(notes)
      .where({ ...note })
      .del();
  const made = columns.map(({ table, column }) => ({ table_name: table, column_name: column }));
  if (made.length > 0) await knex(notes).insert(made).onConflict(["table_name", "column_name"]).ignore();
  return changes.map(({ name }) => name);
};
