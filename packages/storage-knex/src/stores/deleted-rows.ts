import type { Resource, Row } from "@postern/core";
import type { Cascade } from "@postern/core/ports";
import type { Resources } from "../engine/condition-to-sql.ts";
import { chunksOf, idsOf, type Session } from "../engine/database.ts";
import type { Dialect } from "../engine/dialect.ts";
import type { Reference, ResourceGraph } from "./resource-graph.ts";
import { allFields, fromColumns, type StoredRow, selectOf } from "./resource-statements.ts";

const chunkSize = 500;

/** Called before rows are deleted that belong to a deleted one. */
export interface BeforeDeleted {
  readonly resources: ReadonlySet<string>;
  deleted(resource: Resource, rows: readonly Row[]): Promise<void>;
}

/** Where rows are found and deleted within a transaction. */
export interface Deleting {
  readonly session: Session;
  readonly dialect: Pick<Dialect, "anyTextOf" | "forUpdate">;
  readonly graph: ResourceGraph;
}

interface Rows {
  readonly resource: Resource;
  readonly ids: readonly string[];
}

const idsBelow = async (
  { session, dialect }: Deleting,
  { from, field }: Reference,
  ids: readonly string[],
  limit: number,
): Promise<readonly string[]> => {
  const { sql, values } = dialect.anyTextOf(`\`${field}\``, ids);
  const text = `SELECT id FROM \`${from.table}\` WHERE ${sql} LIMIT ${limit}`;
  return idsOf(await session.rows<{ id: string }>(text, values));
};

/** `most` minus the number of rows below these, at any depth; negative if there are more. */
const leftOfMost = async (deleting: Deleting, { resource, ids }: Rows, most: number): Promise<number> => {
  let left = most;
  for (const reference of deleting.graph.below(resource)) {
    const found = await idsBelow(deleting, reference, ids, left + 1);
    left -= found.length;
    if (left >= 0 && found.length > 0)
      left = await leftOfMost(deleting, { resource: reference.from, ids: found }, left);
    if (left < 0) return left;
  }
  return left;
};

/** Whether a row has at most `most` rows below it, however deep. */
export const hasFewBelow = async (deleting: Deleting, resource: Resource, id: string, most: number): Promise<boolean> =>
  (await leftOfMost(deleting, { resource, ids: [id] }, most)) >= 0;

/**
 * Marks a row as deleted. After the end of the transaction, no statement sees it or the rows below
 * it.
 */
export const markDeleted = async (session: Pick<Session, "run">, resource: Resource, id: string): Promise<void> => {
  await session.run("INSERT INTO deletion (resource, row_id) VALUES (?, ?)", [resource.name, id]);
};

/** Whole rows, which nobody else changes from now on. */
const lockedRows = async (
  { session, dialect }: Deleting,
  resource: Resource,
  field: string,
  values: readonly string[],
): Promise<readonly Row[]> => {
  const found = dialect.anyTextOf(`\`${field}\``, values);
  const text = `${selectOf(resource, allFields(resource))} WHERE ${found.sql} ORDER BY id${dialect.forUpdate}`;
  return (await session.rows<StoredRow>(text, found.values)).map(fromColumns(resource, allFields(resource)));
};

/** Tells which rows go with these: all below them, the deepest first. They are locked. */
export const tellBelow = async (
  deleting: Deleting,
  { resource, ids }: Rows,
  cascade: Pick<Cascade, "resources" | "deleted">,
  seen = new Set<string>(),
): Promise<void> => {
  for (const { from, field } of deleting.graph.below(resource)) {
    for (const chunk of chunksOf(ids, chunkSize)) {
      const rows = (await lockedRows(deleting, from, field, chunk)).filter(({ id }) => !seen.has(`${from.name} ${id}`));
      for (const { id } of rows) seen.add(`${from.name} ${id}`);
      if (rows.length === 0) continue;
      await tellBelow(deleting, { resource: from, ids: rows.map(({ id }) => String(id)) }, cascade, seen);
      if (cascade.resources.has(from.name)) cascade.deleted(from, rows);
    }
  }
};

export const deleteRows = async ({ session, dialect }: Deleting, { resource, ids }: Rows): Promise<void> => {
  const { sql, values } = dialect.anyTextOf("id", ids);
  await session.run(`DELETE FROM \`${resource.table}\` WHERE ${sql}`, values);
};

/**
 * Deletes up to `most` rows below these, deepest first, so that no delete cascades. Returns the
 * rest of `most`.
 */
const deleteBelow = async (
  deleting: Deleting,
  { resource, ids }: Rows,
  most: number,
  told?: BeforeDeleted,
): Promise<number> => {
  let left = most;
  for (const reference of deleting.graph.below(resource)) {
    while (left > 0) {
      const found = await idsBelow(deleting, reference, ids, left);
      if (found.length === 0) break;
      left = await deleteBelow(deleting, { resource: reference.from, ids: found }, left, told);
      const leaves = { resource: reference.from, ids: found.slice(0, left) };
      if (leaves.ids.length > 0 && told?.resources.has(reference.from.name)) {
        await told.deleted(reference.from, await lockedRows(deleting, reference.from, "id", leaves.ids));
      }
      if (leaves.ids.length > 0) await deleteRows(deleting, leaves);
      left -= leaves.ids.length;
    }
  }
  return left;
};

/** Deletes up to `limit` rows that are marked or belong to marked ones. Returns how many. */
export const deleteMarked = async (
  deleting: Deleting,
  resources: Iterable<Resource>,
  limit: number,
  told?: BeforeDeleted,
): Promise<number> => {
  const { session, dialect } = deleting;
  let left = limit;
  const text = `SELECT row_id FROM deletion WHERE resource = ? ORDER BY row_id LIMIT 1${dialect.forUpdate}`;
  for (const resource of resources) {
    while (left > 0) {
      const [marked] = await session.rows<{ row_id: string }>(text, [resource.name]);
      if (marked === undefined) break;
      const row = { resource, ids: [marked.row_id] };
      left = await deleteBelow(deleting, row, left, told);
      if (left === 0) break;
      await deleteRows(deleting, row);
      await session.run("DELETE FROM deletion WHERE resource = ? AND row_id = ?", [resource.name, marked.row_id]);
      left -= 1;
    }
  }
  return limit - left;
};

/**
 * The tables from a marked row down to the rows of one resource, each with the field that refers to
 * the one above.
 */
const chainsBelow = (graph: ResourceGraph, resource: Resource): readonly (readonly Reference[])[] =>
  graph
    .below(resource)
    .flatMap((reference) => [[reference], ...chainsBelow(graph, reference.from).map((rest) => [reference, ...rest])]);

/**
 * How many rows are marked, and how many rows that are together with those below them, counted up
 * to `atMost`.
 */
export const countMarked = async (
  session: Pick<Session, "rows">,
  graph: ResourceGraph,
  resources: Resources,
  atMost: number,
): Promise<{ readonly deletions: number; readonly rows: number }> => {
  const marked = await session.rows<{ resource: string; counted: number }>(
    "SELECT resource, COUNT(*) AS counted FROM deletion GROUP BY resource",
  );
  const deletions = marked.reduce((sum, { counted }) => sum + Number(counted), 0);
  let rows = deletions;
  for (const { resource: name } of marked) {
    const resource = resources.get(name);
    for (const chain of resource === undefined ? [] : chainsBelow(graph, resource)) {
      if (rows >= atMost) break;
      const joins = chain.map(({ from, field }, depth) => {
        const above = depth === 0 ? "deletion.row_id" : `below_${depth - 1}.id`;
        return `JOIN \`${from.table}\` AS below_${depth} ON below_${depth}.\`${field}\` = ${above}`;
      });
      const [found] = await session.rows<{ counted: number }>(
        `SELECT COUNT(*) AS counted FROM (SELECT 1 FROM deletion ${joins.join(" ")} WHERE deletion.resource = ? LIMIT ${atMost - rows}) AS found`,
        [name],
      );
      rows += Number(found?.counted ?? 0);
    }
  }
  return { deletions, rows: Math.min(atMost, rows) };
};
