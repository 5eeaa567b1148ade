import type { Resource } from "@postern/core";
import { columnOf, type Resources, type Source } from "../engine/condition-to-sql.ts";
import { idsOf, type Session } from "../engine/database.ts";
import type { Dialect } from "../engine/dialect.ts";

/** A field of a resource that refers to another. The row is deleted with the other one. */
interface Reference {
  readonly from: Resource;
  readonly field: string;
  readonly to: Resource;
}

/** How the resources of a storage refer to each other. */
export interface ResourceGraph {
  above(resource: Resource): readonly Reference[];
  below(resource: Resource): readonly Reference[];
  /**
   * Whether a row may be marked as deleted before the rows below it are gone. It may not if
   * references lead in a circle, because no statement could then tell whether a row belongs to a
   * deleted one.
   */
  canMark(resource: Resource): boolean;
  /**
   * The condition that a row is not deleted, as text, under the name of its table; `undefined` if
   * no row of the resource can be marked. There are almost never marked rows, and the database
   * checks that once for each statement.
   */
  isThere(resource: Resource): string | undefined;
}

/** Where rows are found and deleted within a transaction. */
export interface Deleting {
  readonly session: Session;
  readonly dialect: Pick<Dialect, "anyTextOf" | "forUpdate">;
  readonly graph: ResourceGraph;
}

export const resourceGraph = (resources: Resources): ResourceGraph => {
  const references = [...resources.values()].flatMap((from) =>
    Object.entries(from.fields).flatMap(([field, { references: target }]): Reference[] => {
      const to = target === undefined ? undefined : resources.get(target.resource);
      return to === undefined ? [] : [{ from, field, to }];
    }),
  );
  const all = [...resources.values()];
  const upward = new Map(all.map(({ name }) => [name, references.filter(({ from }) => from.name === name)]));
  const downward = new Map(all.map(({ name }) => [name, references.filter(({ to }) => to.name === name)]));
  const above = ({ name }: Resource) => upward.get(name) ?? [];
  const below = ({ name }: Resource) => downward.get(name) ?? [];
  // Those from which no reference leads into a circle. Each round finds the next storey.
  const markable = new Set<string>();
  for (let before = -1; before < markable.size; ) {
    before = markable.size;
    for (const each of all) if (above(each).every(({ to }) => markable.has(to.name))) markable.add(each.name);
  }
  const unmarkAbove = (resource: Resource): void => {
    for (const { to } of above(resource)) if (markable.delete(to.name)) unmarkAbove(to);
  };
  for (const inCircle of all.filter(({ name }) => !markable.has(name))) unmarkAbove(inCircle);
  const links: Links = { above, below, canMark: ({ name }) => markable.has(name) };
  const there = new Map(all.map((each) => [each.name, thereText(links, each)]));
  return { ...links, isThere: ({ name }) => there.get(name) };
};

type Links = Pick<ResourceGraph, "above" | "below" | "canMark">;

const thereText = (links: Links, resource: Resource): string | undefined => {
  const marked = isMarked(links, { resource, alias: resource.table }, 1);
  return marked.length === 0 ? undefined : `(NOT EXISTS (SELECT 1 FROM \`deletion\`) OR NOT (${marked.join(" OR ")}))`;
};

/** Whether a row, or one that it belongs to, is marked as deleted. */
const isMarked = (graph: Links, source: Source, depth: number): readonly string[] => {
  const { resource } = source;
  const mark = (kind: Resource, id: string): string =>
    `EXISTS (SELECT 1 FROM \`deletion\` WHERE resource = '${kind.name}' AND row_id = ${id})`;
  const own =
    graph.canMark(resource) && graph.below(resource).length > 0 ? [mark(resource, columnOf(source, "id"))] : [];
  const inherited = graph.above(resource).flatMap(({ field, to }) => {
    const id = columnOf(source, field);
    if (!graph.canMark(to)) return [];
    if (graph.above(to).length === 0) return [mark(to, id)];
    const target = { resource: to, alias: `above_${depth}` };
    const marked = isMarked(graph, target, depth + 1);
    return [
      `EXISTS (SELECT 1 FROM \`${to.table}\` AS \`${target.alias}\` WHERE ${columnOf(target, "id")} = ${id} AND (${marked.join(" OR ")}))`,
    ];
  });
  return [...own, ...inherited];
};

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

export const deleteRows = async ({ session, dialect }: Deleting, { resource, ids }: Rows): Promise<void> => {
  const { sql, values } = dialect.anyTextOf("id", ids);
  await session.run(`DELETE FROM \`${resource.table}\` WHERE ${sql}`, values);
};

/**
 * Deletes up to `most` rows below these, deepest first, so that no delete cascades. Returns the
 * rest of `most`.
 */
const deleteBelow = async (deleting: Deleting, { resource, ids }: Rows, most: number): Promise<number> => {
  let left = most;
  for (const reference of deleting.graph.below(resource)) {
    while (left > 0) {
      const found = await idsBelow(deleting, reference, ids, left);
      if (found.length === 0) break;
      left = await deleteBelow(deleting, { resource: reference.from, ids: found }, left);
      const leaves = { resource: reference.from, ids: found.slice(0, left) };
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
): Promise<number> => {
  const { session, dialect } = deleting;
  let left = limit;
  const text = `SELECT row_id FROM deletion WHERE resource = ? ORDER BY row_id LIMIT 1${dialect.forUpdate}`;
  for (const resource of resources) {
    while (left > 0) {
      const [marked] = await session.rows<{ row_id: string }>(text, [resource.name]);
      if (marked === undefined) break;
      const row = { resource, ids: [marked.row_id] };
      left = await deleteBelow(deleting, row, left);
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
