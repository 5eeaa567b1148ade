import { equals, type ListQuery, type Resource } from "@postern/core";
import { z } from "zod";
import { principalOf, scopeFor } from "../access/principal.ts";
import { longestOf } from "../limits/answer-memory.ts";
import { type EngineCall, type Operation, tableEntry } from "../operations/operation.ts";
import {
  answerPage,
  countedAtMost,
  countedFacts,
  defaultLimit,
  listOf,
  pageParameters,
  totalFacts,
  totalParameter,
} from "../operations/page.ts";
import { filterParameters, filtersOf } from "./filter-parameters.ts";
import { presentRows } from "./included-rows.ts";
import { listKey, neighboursOf, openPlace, type PagePosition, placeOf } from "./list-cursors.ts";
import { fieldsToRead, readAheadOf } from "./related-rows.ts";
import { oneSpoken, spoken } from "./resource-words.ts";
import { idOf, requireParentOrBelow } from "./row-in-path.ts";
import { fieldsParameter, type Includable, includable, selectFields } from "./shape-parameters.ts";
import { sortOrder, sortParameter } from "./sort-parameter.ts";

const listQuery = (resource: Resource, related: Includable) =>
  z.strictObject({
    ...pageParameters,
    total: totalParameter,
    fields: fieldsParameter,
    ...related.parameters(),
    sort: sortParameter(resource),
    ...filterParameters(resource),
  });

/**
 * The operation that lists the rows below one parent. Without a parent it lists all rows that the
 * caller may read.
 */
export const listOperation = (
  resource: Resource,
  parent: Resource | undefined,
  resources: ReadonlyMap<string, Resource>,
): Operation => {
  const related = includable(resource, resources);
  return tableEntry({
    id:
      parent === undefined && resource.parent !== undefined ? `${resource.plural}.list-all` : `${resource.plural}.list`,
    method: "GET",
    path: parent === undefined ? `/${resource.plural}` : `/${parent.plural}/{id}/${resource.plural}`,
    access: "user",
    summary:
      parent === undefined
        ? `List the ${spoken(resource.plural)} you may read`
        : `List the ${spoken(resource.plural)} of ${oneSpoken(parent.name)} that you may read`,
    tag: resource.plural,
    query: z.lazy(() => listQuery(resource, related)),
    misnomers: related.misnomers,
    list: true,
    success: {
      status: 200,
      description:
        "One page, oldest first unless `sort` says otherwise. If more items would make the answer too large, it has fewer than `limit` items and a next page.",
      body: z.lazy(() => listOf(related.withRelations(), countedFacts)),
    },
    errors: [
      "invalid_fields",
      "invalid_sort",
      "invalid_filter",
      "invalid_include",
      "invalid_cursor",
      "query_too_slow",
      "answer_too_large",
      ...(parent === undefined ? [] : (["not_found"] as const)),
    ],
    handle: async (call) => {
      const { limit = defaultLimit } = call.query;
      const { parentId, fields, inclusions, order, selection, list } = wantedList(resource, parent, related, call);
      const at = call.query.cursor === undefined ? undefined : await openPlace(call.cursors, list, call.query.cursor);
      const read = fieldsToRead(fields, inclusions, order);
      await call.memory.forRows(readAheadOf(limit + 1, inclusions));
      // Both run at once. If the parent does not exist for the caller, the rows below it are not
      // shown.
      const [rows] = await Promise.all([
        call.rows.list(resource, {
          order,
          limit: limit + 1,
          fields: read,
          longest: longestOf(limit + 1),
          ...selection,
          ...borderOf(at),
        }),
        parent === undefined ? undefined : requireParentOrBelow(call, parent, parentId ?? "", resource),
      ]);
      const backwards = at?.direction === "prev";
      const found = backwards ? rows.slice(-limit) : rows.slice(0, limit);
      // Counted from the place where the page begins. Rows that do not fit are at its far end.
      const nearest = backwards ? found.toReversed() : found;
      const { data, count } = await presentRows(call, nearest, { resource, fields, read, inclusions });
      const shown = backwards ? found.slice(-count) : found.slice(0, count);
      const { next, prev } = await neighboursOf(call.cursors, list, {
        at,
        more: rows.length > count,
        first: placeOf(shown[0], order),
        last: placeOf(shown.at(-1), order),
      });
      const extra =
        call.query.total === true
          ? totalFacts(await call.rows.count(resource, selection, countedAtMost + 1))
          : undefined;
      return answerPage(call.request, { data: backwards ? data.toReversed() : data, limit, next, prev, extra });
    },
  });
};

/**
 * The list that a call asks for: its rows, their order, and what is shown of each. `list` is the
 * text that its cursors are bound to.
 * @throws AppError `invalid_fields`, `invalid_sort`, `invalid_filter`, `invalid_include`
 */
const wantedList = (
  resource: Resource,
  parent: Resource | undefined,
  related: Includable,
  call: EngineCall<z.infer<ReturnType<typeof listQuery>>>,
) => {
  const principal = principalOf(call);
  const fields = selectFields(resource, principal, call.query.fields);
  const inclusions = related.inclusions(principal, call.query);
  const order = sortOrder(resource, principal, call.query.sort);
  const filters = filtersOf(resource, principal, call.query);
  const parentId = parent === undefined ? undefined : idOf(parent, call, "id");
  const below =
    resource.parent === undefined || parentId === undefined ? [] : [equals(resource.parent.field, parentId)];
  const selection = {
    scope: scopeFor(principal, resource.access.read),
    where: { all: [...below, ...filters] },
  };
  const list = listKey(resource, parentId, order, filters);
  return { parentId, fields, inclusions, order, selection, list };
};

const borderOf = (at: PagePosition | undefined): Pick<ListQuery, "after" | "before"> => {
  if (at?.direction === "prev") return { before: at.place };
  return at === undefined || at.place.length === 0 ? {} : { after: at.place };
};
