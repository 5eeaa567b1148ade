import type { RefusedChange, TableChange, TableChanges } from "../../engine/table-change.ts";
import type { ColumnTypes } from "../migrations/migration.ts";
import { typeChange } from "./column-types.ts";
import { type FoundColumn, type FoundIndex, type FoundTable, reportedType } from "./found-table.ts";
import type { LookAtRows, RowFacts } from "./row-facts.ts";
import {
  type Column,
  columnsText,
  type TableIndex,
  type TableShape,
  textLiteral,
  withOwnNames,
} from "./table-shape.ts";
import {
  addColumn,
  addForeignKey,
  createIndex,
  createTableStatements,
  dropColumn,
  dropIndex,
  indexName,
  modifyColumn,
  rebuildTable,
  renameColumn,
} from "./table-statements.ts";

/** One table while its changes are planned. */
interface Draft {
  readonly types: ColumnTypes;
  /** The columns that are brought to the declaration. All others are those of a numbered step. */
  readonly isOurs: (column: string) => boolean;
  readonly shape: TableShape;
  /** The table with the new names of its columns. */
  readonly found: FoundTable;
  readonly rows: RowFacts;
  readonly isEmpty: boolean;
  /** Changes that are one statement, or a few. */
  readonly changes: TableChange[];
  /** On SQLite, the changes that need a new table. */
  readonly rebuilt: string[];
  readonly refused: RefusedChange[];
}

const sameColumns = (left: Pick<TableIndex, "columns">, right: Pick<TableIndex, "columns">): boolean =>
  columnsText(left.columns) === columnsText(right.columns);

/**
 * Some servers forget that a column is descending. There, an index with the same name and columns
 * fits.
 */
const fitsIndex = (wanted: TableIndex, found: FoundIndex): boolean =>
  wanted.unique === found.unique &&
  (sameColumns(wanted, found) ||
    (wanted.name === found.name &&
      wanted.columns.map(({ name }) => name).join() === found.columns.map(({ name }) => name).join()));

const counted = (count: number, one: string, several = `${one}s`): string => `${count} ${count === 1 ? one : several}`;

const change = ({ shape, changes }: Draft, name: string, ...statements: readonly string[]): void =>
  void changes.push({ name: `${shape.table}: ${name}`, statements });

const refuse = ({ shape, refused }: Draft, problem: string, byHand: readonly string[] = []): void =>
  void refused.push({ problem: `${shape.table}: ${problem}`, byHand });

/**
 * Columns that are declared under a new name, if the old column exists and the new one does not.
 */
const renamesOf = (shape: TableShape, found: FoundTable): readonly (readonly [string, string])[] =>
  shape.columns.flatMap(({ name, renamedFrom }) =>
    renamedFrom !== undefined && found.columns.has(renamedFrom) && !found.columns.has(name)
      ? [[renamedFrom, name] as const]
      : [],
  );

const renamed = (found: FoundTable, renames: readonly (readonly [string, string])[]): FoundTable => {
  const names = new Map(renames);
  const nameOf = (name: string): string => names.get(name) ?? name;
  const inText = (sql: string): string =>
    renames.reduce((text, [from, to]) => text.replaceAll(new RegExp(`\\b${from}\\b`, "g"), to), sql);
  return {
    columns: new Map([...found.columns].map(([name, column]) => [nameOf(name), column])),
    indexes: found.indexes.map((index) => ({
      ...index,
      columns: index.columns.map((column) => ({ ...column, name: nameOf(column.name) })),
      sql: index.sql === undefined ? undefined : inText(index.sql),
    })),
    triggers: found.triggers.map(inText),
  };
};

const planAdded = (draft: Draft, column: Column): void => {
  const { types, shape, isEmpty } = draft;
  const { name } = column;
  const add = (added: Column): readonly string[] => addColumn(types, shape.table, added);
  if (column.nullable || column.default !== undefined) {
    change(draft, `add ${name}`, ...add(column));
  } else if (!isEmpty) {
    refuse(
      draft,
      `the existing rows have no value for the new field "${name}"; give it a default, or make it nullable`,
    );
  } else if (types.server === "sqlite") {
    // SQLite cannot add a required column without a default, even to an empty table.
    draft.rebuilt.push(`add ${name}`);
  } else {
    // The column is nullable at first. Otherwise MySQL would fill a row that is inserted meanwhile
    // with an empty text or zero; this way the second statement refuses it.
    draft.changes.push({
      name: `${shape.table}: add ${name}`,
      statements: [...add({ ...column, nullable: true }), ...modifyColumn(types, shape.table, column)],
      undo: dropColumn(types, shape.table, name, { columns: new Map(), indexes: [], triggers: [] }),
    });
  }
};

/** Whether the rows allow the column's new type and nullability. Adds a refusal if they do not. */
const allowsChange = async (draft: Draft, column: Column, present: FoundColumn): Promise<boolean> => {
  const { shape, rows, isEmpty } = draft;
  const { name } = column;
  const wanted = reportedType(column.type);
  const type = typeChange(present.type, wanted);
  if (type.kind === "other" && !isEmpty) {
    refuse(
      draft,
      `"${name}" is ${present.type} and would become ${wanted}; declare the new field under another name, and fill it from the old one`,
    );
    return false;
  }
  if (type.kind === "shorter" && !isEmpty) {
    const longer = await rows.countLonger(name, type.length);
    if (longer > 0) {
      refuse(
        draft,
        `"${name}" would have at most ${type.length} characters, and ${counted(longer, "row has", "rows have")} more`,
      );
      return false;
    }
  }
  if (!present.nullable || column.nullable || isEmpty) return true;
  const without = await rows.countEmpty(name);
  if (without === 0) return true;
  const fill =
    column.default === undefined
      ? []
      : [`update \`${shape.table}\` set \`${name}\` = ${column.default} where \`${name}\` is null`];
  refuse(draft, `"${name}" would have to have a value, and ${counted(without, "row has", "rows have")} none`, fill);
  return false;
};

const planPresent = async (draft: Draft, column: Column, present: FoundColumn): Promise<void> => {
  const { types, shape } = draft;
  const { name, references } = column;
  if (present.references !== undefined && present.references !== references) {
    refuse(
      draft,
      `"${name}" refers to ${present.references} and would refer to ${references ?? "nothing"}; declare the new reference under another name`,
    );
    return;
  }
  const { kind } = typeChange(present.type, reportedType(column.type));
  const needed = [
    ...(kind === "none" ? [] : [`${name} becomes ${reportedType(column.type)}`]),
    ...(present.nullable === column.nullable
      ? []
      : [`${name} ${column.nullable ? "may be empty" : "always has a value"}`]),
  ];
  if (needed.length > 0 && (await allowsChange(draft, column, present))) {
    if (types.server === "sqlite") draft.rebuilt.push(...needed);
    else change(draft, needed.join(", "), ...modifyColumn(types, shape.table, column));
  }
  if (references !== undefined && present.references === undefined) {
    const missing = await draft.rows.countDangling(name, references);
    if (missing > 0)
      refuse(
        draft,
        `"${name}" would refer to ${references}, and ${counted(missing, "row refers", "rows refer")} to none of them`,
      );
    else if (types.server === "sqlite") draft.rebuilt.push(`${name} refers to ${references}`);
    else change(draft, `${name} refers to ${references}`, ...addForeignKey(types, shape.table, column));
  }
};

/**
 * `noted` are the values that rows could have when the table was last brought up to date. Rows are
 * searched only if one of these values was removed.
 */
const planChoices = async (
  draft: Draft,
  { name, choices }: Column,
  noted: readonly string[] | undefined,
): Promise<void> => {
  if (choices === undefined || draft.isEmpty) return;
  if (noted?.every((value) => choices.includes(value)) === true) return;
  const gone = await draft.rows.otherValues(name, choices);
  if (gone.length === 0) return;
  const told = gone.map(({ value, rows }) => `${counted(rows, "row")} with "${value}"`).join(", ");
  const list = gone.map(({ value }) => textLiteral(draft.types, value)).join(", ");
  refuse(
    draft,
    `"${name}" would lose some of its values, and there ${gone.length === 1 && gone[0]?.rows === 1 ? "is" : "are"} ${told}`,
    [`select \`id\`, \`${name}\` from \`${draft.shape.table}\` where \`${name}\` in (${list})`],
  );
};

const planUndeclared = async (draft: Draft, original: FoundTable): Promise<void> => {
  const { types, shape, found, rows } = draft;
  for (const name of found.columns.keys()) {
    if (shape.columns.some((column) => column.name === name)) continue;
    const filled = await rows.countFilled(name);
    refuse(
      draft,
      `the column "${name}" is not declared (any more), and ${counted(filled, "row has", "rows have")} a value there; declare it, say \`renamedFrom: "${name}"\` in the field that it became, or delete it with its values`,
      dropColumn(types, shape.table, name, original),
    );
  }
};

/**
 * Drops indexes that are not declared and would be in the way: unique ones, and on MySQL those of
 * texts that become too long for an index.
 */
const planDropped = ({ types, shape, found, changes, isOurs }: Draft): void => {
  const tooLong = shape.columns.filter(({ name, type }) => {
    const present = found.columns.get(name);
    return (
      types.server !== "sqlite" &&
      present !== undefined &&
      type === types.longText &&
      present.type !== reportedType(type)
    );
  });
  for (const index of found.indexes) {
    if (!index.columns.some(({ name }) => isOurs(name))) continue;
    const isLong = index.columns.some((each) => tooLong.some(({ name }) => name === each.name));
    if (!(index.unique || isLong) || shape.indexes.some((wanted) => fitsIndex(wanted, index))) continue;
    const name = `${shape.table}: ${columnsText(index.columns)} ${index.unique ? "is no longer unique" : "no longer has an index"}`;
    changes.push({ name, statements: dropIndex(types, shape.table, index.name) });
  }
};

const planIndexes = async (draft: Draft): Promise<void> => {
  const { types, shape, found, isEmpty, rows, isOurs } = draft;
  const { table } = shape;
  const indexes = shape.indexes.filter(({ columns }) => columns.some(({ name }) => isOurs(name)));
  // A rebuilt table gets all indexes.
  if (draft.rebuilt.length > 0) return;
  for (const index of indexes.filter((wanted) => !found.indexes.some((present) => fitsIndex(wanted, present)))) {
    const [{ name: column } = { name: "" }] = index.columns;
    const repeated = index.unique && !isEmpty && found.columns.has(column) ? await rows.countRepeated(column) : 0;
    if (repeated > 0) {
      refuse(
        draft,
        `"${column}" would have to be unique, and ${counted(repeated, "value stands", "values stand")} there more than once`,
        [
          `select \`${column}\`, count(*) from \`${table}\` where \`${column}\` is not null group by \`${column}\` having count(*) > 1`,
        ],
      );
      continue;
    }
    const columns = columnsText(index.columns);
    draft.changes.push({
      name: `${table}: index ${columns}${index.unique ? ", unique" : ""}`,
      statements: createIndex(types, table, index),
      indexes: [{ columns, why: index.why }],
    });
  }
};

const reasons = ({ indexes }: TableShape): NonNullable<TableChange["indexes"]> =>
  indexes.map(({ columns, why }) => ({ columns: columnsText(columns), why }));

/** The values that each choice of a table could have when the table was last brought up to date. */
export type NotedChoices = Readonly<Record<string, readonly string[]>>;

/** The declared indexes, with names that other indexes of the existing table do not have. */
const freelyNamed = (types: ColumnTypes, { table, indexes }: TableShape, found: FoundTable): readonly TableIndex[] => {
  const others = found.indexes.filter((present) => !indexes.some((wanted) => fitsIndex(wanted, present)));
  const taken = new Set(others.map(({ name }) => name));
  return withOwnNames(indexes, (name) => taken.has(indexName(types, table, name)));
};

/**
 * Plans the changes that bring an existing table to its declared shape; with `only`, these columns of it
 * and their indexes.
 */
export const extendedTable = async (
  types: ColumnTypes,
  declared: TableShape,
  original: FoundTable,
  {
    rowsOf,
    noted,
    only,
  }: {
    readonly rowsOf: LookAtRows;
    readonly noted: NotedChoices;
    readonly only: ReadonlySet<string> | undefined;
  },
): Promise<TableChanges> => {
  const renames = renamesOf(declared, original);
  const found = renamed(original, renames);
  const shape = { ...declared, indexes: freelyNamed(types, declared, found) };
  const oldNames = new Map(renames.map(([from, to]) => [to, from]));
  const rows = rowsOf((name) => oldNames.get(name) ?? name);
  const draft: Draft = {
    types,
    isOurs: (column) => only === undefined || only.has(column),
    shape,
    found,
    rows,
    isEmpty: await rows.isEmpty(),
    changes: [],
    rebuilt: [],
    refused: [],
  };
  for (const [from, to] of renames) change(draft, `${from} is renamed to ${to}`, renameColumn(shape.table, from, to));
  planDropped(draft);
  for (const column of shape.columns.filter(({ name }) => draft.isOurs(name))) {
    const present = draft.found.columns.get(column.name);
    if (present === undefined) planAdded(draft, column);
    else {
      await planPresent(draft, column, present);
      await planChoices(draft, column, noted[column.name]);
    }
  }
  await planUndeclared(draft, original);
  await planIndexes(draft);
  const { changes, rebuilt, refused } = draft;
  if (rebuilt.length === 0) return { changes, refused };
  const names = changes.map(({ name }) => name.replace(`${shape.table}: `, ""));
  // The columns that are only added are a part of the new table, too.
  const last = draft.found;
  const present = { ...last, columns: new Map([...last.columns, ...addedBefore(draft)]) };
  return {
    changes: [
      {
        name: `${shape.table}: ${[...names, ...rebuilt].join("; ")}`,
        statements: [...changes.flatMap(({ statements }) => statements), ...rebuildTable(types, shape, present)],
        indexes: reasons(shape),
        makesTableAnew: true,
      },
    ],
    refused,
  };
};

/** The columns that a change of the draft adds before the table is rebuilt. */
const addedBefore = ({ shape, found }: Draft): readonly (readonly [string, FoundColumn])[] =>
  shape.columns
    .filter(({ name, nullable, default: value }) => !found.columns.has(name) && (nullable || value !== undefined))
    .map(({ name, type, nullable, references }) => [name, { type, nullable, references, constraint: undefined }]);

export const newTable = (types: ColumnTypes, shape: TableShape): TableChanges => ({
  changes: [
    { name: `${shape.table}: create`, statements: createTableStatements(types, shape), indexes: reasons(shape) },
  ],
  refused: [],
});
