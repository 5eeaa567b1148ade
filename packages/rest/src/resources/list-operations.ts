import type { ListQuery, Place, Resource, Row, SortKey } from "@postern/core";
import { z } from "zod";
import { scopeFor } from "../access/principal.ts";
import { principalOf } from "../access/principal-of.ts";
import { type CursorSigner, defineOperation, type Operation } from "../operations/operation.ts";
import { answerPage, defaultLimit, listOf, pageFacts, pageParameters } from "../operations/page.ts";
import { fieldsParameter, selectFields } from "./fields-parameter.ts";
import { filterParameters, filtersOf } from "./filter-parameters.ts";
import { includable } from "./include-parameter.ts";
import { fieldsToRead, presentRows } from "./included-rows.ts";
import { listKey, openPlace, type PagePosition, placeOf, sealPlace } from "./list-cursors.ts";
import { idOf, requireParent } from "./row-in-path.ts";
import { sortOrder, sortParameter } from "./sort-parameter.ts";
import { rowSchema } from "./write.ts";

/** A list is counted to the end only if that is near. */
const countedAtMost = 10_000;

const totalParameter = z
  .enum(["true", "false"])
  .transform((text) => text === "true")
  .optional()
  .meta({ description: `Whether \`page.total\` is wanted; it counts up to ${countedAtMost}.` });

const countedFacts = pageFacts.extend({
  total: z
    .int()
    .min(0)
    .max(countedAtMost)
    .optional()
    .meta({ description: "With `total=true`: how many rows the list has." }),
  total_is_exact: z
    .boolean()
    .optional()
    .meta({
      description: `Whether the list has as many rows as \`total\` says; false: it has more than ${countedAtMost}.`,
    }),
  total_is_minimum: z.boolean().optional().meta({ description: "The opposite of `total_is_exact`." }),
});

export const listOperation = (
  resource: Resource,
  parent: Resource | undefined,
  resources: ReadonlyMap<string, Resource>,
): Operation => {
  const related = includable(resource, resources);
  const query = z.strictObject({
    ...pageParameters,
    total: totalParameter,
    fields: fieldsParameter,
    ...related.parameters,
    sort: sortParameter(resource),
    ...filterParameters(resource),
  });
  return defineOperation({
    id: `${resource.plural}.list`,
    method: "GET",
    path: parent === undefined ? `/${resource.plural}` : `/${parent.plural}/{id}/${resource.plural}`,
    access: "user",
    summary:
      parent === undefined
        ? `List the ${resource.plural} you may read`
        : `List the ${resource.plural} of a ${parent.name} that you may read`,
    tag: resource.plural,
    query,
    misnomers: related.misnomers,
    list: true,
    success: {
      status: 200,
      description: "One page, oldest first unless `sort` says otherwise.",
      body: listOf(related.withRelations(rowSchema, pageFacts), countedFacts),
    },
    errors: [
      "invalid_fields",
      "invalid_sort",
      "invalid_filter",
      "invalid_include",
      "invalid_cursor",
      "query_too_slow",
      ...(parent === undefined ? [] : (["not_found"] as const)),
    ],
    handle: async (call) => {
      const principal = principalOf(call);
      const { limit = defaultLimit } = call.query;
      const fields = selectFields(resource, principal, call.query.fields);
      const inclusions = related.inclusions(principal, call.query);
      const order = sortOrder(resource, principal, call.query.sort);
      const filters = filtersOf(resource, principal, call.query);
      const parentId = parent === undefined ? undefined : idOf(parent, call, "id");
      const list = listKey(resource, parentId, order, filters.text);
      const at = call.query.cursor === undefined ? undefined : await openPlace(call.cursors, list, call.query.cursor);
      const selection = {
        scope: scopeFor(principal, resource.access.read),
        where: {
          all: [
            ...(resource.parent === undefined
              ? []
              : [{ field: resource.parent.field, op: "eq", value: parentId ?? "" } as const]),
            ...filters.conditions,
          ],
        },
      };
      // Both at once: where the parent is not there for the caller, what was found below it is not shown.
      const [rows] = await Promise.all([
        call.rows.list(resource, {
          ...selection,
          order,
          ...borderOf(at),
          limit: limit + 1,
          fields: fieldsToRead(fields, inclusions, order),
        }),
        parent === undefined ? undefined : requireParent(call, parent, parentId ?? "", "read"),
      ]);
      const page = await pageOf(call.cursors, list, order, at, rows, limit);
      const total =
        call.query.total === true ? await call.rows.count(resource, selection, countedAtMost + 1) : undefined;
      return answerPage(call.request, {
        ...page,
        data: await presentRows(call, resource, page.rows, fields, inclusions),
        limit,
        ...(total === undefined
          ? {}
          : {
              extra: {
                total: Math.min(total, countedAtMost),
                total_is_exact: total <= countedAtMost,
                total_is_minimum: total > countedAtMost,
              },
            }),
      });
    },
  });
};

const borderOf = (at: PagePosition | undefined): Pick<ListQuery, "after" | "before"> => {
  if (at?.direction === "prev") return { before: at.place };
  return at === undefined || at.place.length === 0 ? {} : { after: at.place };
};

/** The rows to show, of which `rows` may hold one more in the direction of reading, and the cursors of the pages on both sides. */
const pageOf = async (
  cursors: CursorSigner,
  list: string,
  order: readonly SortKey[],
  at: PagePosition | undefined,
  rows: readonly Row[],
  limit: number,
): Promise<{ rows: readonly Row[]; next: string | null; prev: string | null }> => {
  const more = rows.length > limit;
  const backwards = at?.direction === "prev";
  const shown = backwards ? rows.slice(-limit) : rows.slice(0, limit);
  const seal = (direction: PagePosition["direction"], row: Row | undefined): Promise<string> => {
    // An empty page has no row to go on from; what lies on its other side is the whole list, from this end of it.
    const place: Place = row === undefined ? [] : placeOf(row, order);
    return sealPlace(cursors, list, direction, place);
  };
  const came = at !== undefined && at.place.length > 0;
  return {
    rows: shown,
    next: (backwards ? came : more) ? await seal("next", shown.at(-1)) : null,
    prev: (backwards ? more : came) ? await seal("prev", shown[0]) : null,
  };
};
