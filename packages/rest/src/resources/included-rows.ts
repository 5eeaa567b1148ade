import type { FieldValue, Resource, Row } from "@postern/core";
import { scopeFor } from "../access/principal.ts";
import { principalOf } from "../access/principal-of.ts";
import type { Call } from "../operations/operation.ts";
import { presentPage } from "../operations/page.ts";
import { present } from "./fields-parameter.ts";
import type { Inclusion } from "./include-parameter.ts";
import { listKey, placeOf, sealPlace } from "./list-cursors.ts";
import { locationOf } from "./row-in-path.ts";
import { sortOrder } from "./sort-parameter.ts";

/** How many rows of a to-many relation come with each row. */
const includedAtMost = 20;

/** The fields to read so that rows can be answered with `fields` and what is included can be found. */
export const fieldsToRead = (
  fields: readonly string[],
  inclusions: readonly Inclusion[],
  order: readonly { readonly field: string }[] = [],
): readonly string[] => {
  const needed = [
    ...order.map(({ field }) => field),
    ...inclusions.flatMap(({ relation }) => (relation.kind === "one" ? [relation.field] : [])),
  ].filter((name) => !fields.includes(name));
  return needed.length === 0 ? fields : [...new Set([...fields, ...needed])];
};

/** Rows as they are answered: the selected fields, and what was asked to be included, with one query for each relation. */
export const presentRows = async (
  call: Call,
  resource: Resource,
  rows: readonly Row[],
  fields: readonly string[],
  inclusions: readonly Inclusion[],
): Promise<readonly Record<string, unknown>[]> => {
  const shown: Record<string, unknown>[] = rows.map((row) => present(row, fields));
  if (rows.length === 0) return shown;
  for (const inclusion of inclusions) {
    const include = inclusion.relation.kind === "one" ? includeOne : includeMany;
    const related = await include(call, resource, rows, inclusion);
    rows.forEach((row, index) => {
      const answer = shown[index];
      if (answer !== undefined) answer[inclusion.relation.name] = related(row);
    });
  }
  return shown;
};

type Related = (row: Row) => unknown;

/** What a row refers to; null where the caller may not read it. */
const includeOne = async (
  call: Call,
  _resource: Resource,
  rows: readonly Row[],
  { relation, fields, inclusions }: Inclusion,
): Promise<Related> => {
  const ids = [...new Set(rows.map((row) => row[relation.field]))].filter((id) => typeof id === "string");
  const found = await call.rows.findEach(
    relation.resource,
    ids,
    scopeFor(principalOf(call), relation.resource.access.read),
    fieldsToRead(fields, inclusions),
  );
  const shown = await presentRows(call, relation.resource, found, fields, inclusions);
  const byId = new Map(found.map((row, index) => [row.id, shown[index]]));
  return (row) => byId.get(row[relation.field] ?? null) ?? null;
};

/** The first rows below each row, as the first page of their own list. */
const includeMany = async (
  call: Call,
  resource: Resource,
  rows: readonly Row[],
  { relation, fields, inclusions }: Inclusion,
): Promise<Related> => {
  const order = sortOrder(relation.resource, call.principal, undefined);
  const found = await call.rows.listBelow(relation.resource, {
    scope: scopeFor(principalOf(call), relation.resource.access.read),
    parents: { field: relation.field, ids: rows.map((row) => String(row.id)) },
    order,
    limit: includedAtMost + 1,
    fields: fieldsToRead(fields, inclusions, [...order, { field: relation.field }]),
  });
  const byParent = new Map<FieldValue | undefined, Row[]>();
  for (const row of found) {
    const below = byParent.get(row[relation.field]);
    if (below === undefined) byParent.set(row[relation.field], [row]);
    else below.push(row);
  }
  const kept = [...byParent.values()].flatMap((below) => below.slice(0, includedAtMost));
  const shown = await presentRows(call, relation.resource, kept, fields, inclusions);
  const answers = new Map(kept.map((row, index) => [row, shown[index]]));
  const pages = new Map<string, unknown>();
  for (const row of rows) {
    const id = String(row.id);
    const below = byParent.get(id) ?? [];
    const data = below.slice(0, includedAtMost);
    const last = data.at(-1);
    const key = listKey(relation.resource, id, order, undefined);
    const next =
      below.length > includedAtMost && last !== undefined
        ? await sealPlace(call.cursors, key, "next", placeOf(last, order))
        : null;
    const page = presentPage({ data: data.map((each) => answers.get(each)), limit: includedAtMost, next, prev: null });
    pages.set(id, { ...page, link: `${locationOf(resource, call, id)}/${relation.resource.plural}` });
  }
  return (row) => pages.get(String(row.id));
};
