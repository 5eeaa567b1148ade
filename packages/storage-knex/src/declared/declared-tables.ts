import type { Resource } from "@postern/core";
import type { Knex } from "knex";
import type { Resources } from "../condition-to-sql.ts";
import { migrations } from "../migrations/index.ts";
import type { ColumnTypes, StoragePart } from "../migrations/migration.ts";
import { type FoundTable, findTable, rowsOf } from "./found-table.ts";
import { extendedTable, newTable, type TableChanges, type TableFacts } from "./table-changes.ts";
import { type TableShape, tableShape } from "./table-shape.ts";

/** Tables that are Postern's own, whatever resources are declared and whichever parts are in use. */
const ownTables: ReadonlySet<string> = new Set([
  ...migrations.flatMap(({ tables = [] }) => tables),
  "schema_migration",
  "schema_migration_lock",
]);

/** Tables of the resources that come with a part. */
const resourceTables: ReadonlySet<string> = new Set([
  "user",
  "session",
  "post",
  "comment",
  "webhook_provider",
  "webhook_key",
]);

/**
 * The resources whose tables are not made by the numbered steps, referred to before referring.
 * @throws TypeError for a table that is taken, and for resources that refer to each other in a circle.
 */
export const declaredResources = (resources: Resources, parts: readonly StoragePart[]): readonly Resource[] => {
  const taken = new Set(ownTables);
  const made = migrations.flatMap(({ part, tables = [] }) =>
    part === "always" || parts.includes(part) ? tables.filter((table) => resourceTables.has(table)) : [],
  );
  const declared = [...resources.values()].filter(({ table }) => !made.includes(table));
  for (const { name, table } of declared) {
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
      // A row may refer to another of its own kind.
      if (target !== undefined && target !== resource) place(target, [...path, resource.name]);
    }
    ordered.push(resource);
  };
  for (const resource of declared) place(resource, []);
  return ordered;
};

const factsOf = async (
  knex: Knex,
  { server }: ColumnTypes,
  { table, indexes }: TableShape,
  found: FoundTable,
): Promise<TableFacts> => {
  const isEmpty = (await rowsOf(knex, server, `SELECT 1 FROM \`${table}\` LIMIT 1`)).length === 0;
  const repeating = new Set<string>();
  for (const { columns, unique } of indexes) {
    const [column = ""] = columns;
    const kept = found.indexes.some((index) => index.unique && index.columns.join() === columns.join());
    if (!unique || kept || isEmpty || !found.columns.has(column)) continue;
    const twice = `SELECT 1 FROM \`${table}\` WHERE \`${column}\` IS NOT NULL GROUP BY \`${column}\` HAVING COUNT(*) > 1 LIMIT 1`;
    if ((await rowsOf(knex, server, twice)).length > 0) repeating.add(column);
  }
  return { isEmpty, repeating };
};

/**
 * What the tables of the declared resources need, compared with those that are there (none, without `knex`); tables that others refer to come first.
 * Changes nothing.
 */
export const planTables = async (
  knex: Knex | undefined,
  types: ColumnTypes,
  declared: readonly Resource[],
  resources: Resources,
): Promise<TableChanges> => {
  const plans: TableChanges[] = [];
  for (const resource of declared) {
    const shape = tableShape(resource, resources, types);
    const found = knex === undefined ? undefined : await findTable(knex, types, shape.table);
    plans.push(
      knex === undefined || found === undefined
        ? newTable(types, shape)
        : extendedTable(types, shape, found, await factsOf(knex, types, shape, found)),
    );
  }
  return {
    changes: plans.flatMap(({ changes }) => changes),
    refused: plans.flatMap(({ refused }) => refused),
  };
};
