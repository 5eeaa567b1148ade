import type { Resource } from "@postern/core";
import type { Knex } from "knex";
import type { Resources } from "../../engine/condition-to-sql.ts";
import type { TableChanges } from "../../engine/table-change.ts";
import { migrations } from "../migrations/index.ts";
import type { ColumnTypes, StoragePart } from "../migrations/migration.ts";
import { type FoundTable, findTable, reportedType } from "./found-table.ts";
import { extendedTable, newTable } from "./plan-table.ts";
import { noRows, rowsOfTable } from "./row-facts.ts";
import { areNoted, notedTables } from "./table-notes.ts";
import { type TableShape, tableShape } from "./table-shape.ts";

/**
 * Tables that are Postern's own, whatever resources are declared and whichever parts are in use.
 */
export const ownTables: ReadonlySet<string> = new Set([
  ...migrations.flatMap(({ tables = [] }) => tables),
  "schema_migration",
  "schema_migration_lock",
]);

/** The built-in resources of each part, by the tables that its migration steps make for them. */
const resourcesWithSteps: ReadonlyMap<string, string> = new Map([
  ["users", "user"],
  ["sessions", "session"],
  ["api_keys", "api_key"],
  ["account_tokens", "account_token"],
  ["second_factors", "second_factor"],
  ["oauth_clients", "oauth_client"],
  ["grants", "grant"],
  ["outside_identities", "outside_identity"],
  ["used_assertions", "used_assertion"],
  ["user_exports", "user_export"],
  ["user_export_pieces", "user_export_piece"],
  ["posts", "post"],
  ["comments", "comment"],
]);

/** Whether a numbered step makes the table of the resource. */
const hasStep = ({ name, table }: Resource): boolean => resourcesWithSteps.get(table) === name;

/**
 * The resources whose tables the numbered steps do not make, and those to whose tables the application
 * adds columns. A resource comes after those that it refers to.
 * @throws TypeError for a table that is taken, and for resources that refer to each other in a
 * circle.
 */
export const declaredResources = (resources: Resources, parts: readonly StoragePart[]): readonly Resource[] => {
  const taken = new Set(ownTables);
  const made = migrations.flatMap(({ part, tables = [] }) => (part !== "always" && parts.includes(part) ? tables : []));
  const isMade = (resource: Resource): boolean => made.includes(resource.table) && hasStep(resource);
  const declared = [...resources.values()].filter(
    (resource) => !isMade(resource) || (resource.added !== undefined && resource.added.length > 0),
  );
  for (const resource of declared) {
    const { name, table } = resource;
    if (isMade(resource)) continue;
    if (taken.has(table)) throw new TypeError(`resource "${name}": the table "${table}" is taken`);
    taken.add(table);
  }
  const ordered: Resource[] = [];
  const place = (resource: Resource, path: readonly string[]): void => {
    if (ordered.includes(resource)) return;
    if (path.includes(resource.name)) {
      throw new TypeError(`resources refer to each other in a circle: ${[...path, resource.name].join(" → ")}`);
    }
    for (const { references } of Object.values(resource.fields)) {
      const target = declared.find(({ name }) => name === references?.resource);
      // A row may refer to another row of the same resource.
      if (target !== undefined && target !== resource) place(target, [...path, resource.name]);
    }
    ordered.push(resource);
  };
  for (const resource of declared) place(resource, []);
  return ordered;
};

/**
 * The changes that the tables of the declared resources need, and the shapes of these tables
 * afterwards.
 */
export interface TablesPlan extends TableChanges {
  readonly shapes: readonly TableShape[];
  /** Whether the notes about the tables equal the declaration. */
  readonly noted: boolean;
}

/** The table as its step will have made it, without the columns that are added. */
const madeByStep = ({ columns, indexes }: TableShape, added: ReadonlySet<string>): FoundTable => ({
  columns: new Map(
    columns
      .filter(({ name }) => !added.has(name))
      .map(({ name, type, nullable, references }) => [
        name,
        { type: reportedType(type), nullable, references, constraint: undefined },
      ]),
  ),
  indexes: indexes
    .filter((index) => !index.columns.some(({ name }) => added.has(name)))
    .map((index) => ({ ...index, sql: undefined })),
  triggers: [],
});

/**
 * Compares the declared resources with the existing tables (none without `knex`), and plans the
 * changes. Tables that others refer to come first. Changes nothing.
 */
export const planTables = async (
  knex: Knex | undefined,
  types: ColumnTypes,
  declared: readonly Resource[],
  resources: Resources,
): Promise<TablesPlan> => {
  const notes = knex === undefined ? [] : await notedTables(knex, types);
  // The columns that an application added once, and no longer declares.
  const formerly = notes.flatMap(({ resource: name }) => {
    const resource = resources.get(name);
    return resource === undefined || declared.includes(resource) ? [] : [resource];
  });
  const shapes: TableShape[] = [];
  const plans: TableChanges[] = [];
  for (const resource of [...declared, ...formerly]) {
    const shape = tableShape(resource, resources, types);
    shapes.push(shape);
    const { added = formerly.includes(resource) ? [] : undefined } = resource;
    const only = added && new Set(added);
    const existing = knex === undefined ? undefined : await findTable(knex, types, shape.table);
    const found = existing ?? (only && madeByStep(shape, only));
    if (found === undefined) {
      plans.push(newTable(types, shape));
      continue;
    }
    const noted = notes.find(({ table }) => table === shape.table)?.choices ?? {};
    const rowsOf = knex === undefined || existing === undefined ? noRows : rowsOfTable(knex, types, shape.table);
    plans.push(await extendedTable(types, shape, found, { rowsOf, noted, only }));
  }
  return {
    shapes,
    noted: areNoted(notes, shapes),
    changes: plans.flatMap(({ changes }) => changes),
    refused: plans.flatMap(({ refused }) => refused),
  };
};
