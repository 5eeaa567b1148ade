import type { Resource } from "@postern/core";
import { columnOf, type Resources, type Source } from "../engine/condition-to-sql.ts";

/** A field of a resource that refers to another. The row is deleted with the other one. */
export interface Reference {
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
