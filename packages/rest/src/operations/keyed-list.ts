import type { ErrorCode } from "@postern/core";
import { fingerprint, utf8Encode } from "@postern/core/internal";
import { z } from "zod";
import { marks } from "../json-schema/json-schema.ts";
import { neighboursOf, openPlace, type PagePosition } from "../resources/list-cursors.ts";
import { fieldsParameter, namesAmong } from "../resources/shape-parameters.ts";
import { type EngineCall, type Operation, type OperationAnswer, type RequestFacts, tableEntry } from "./operation.ts";
import {
  answerPage,
  countedAtMost,
  countedFacts,
  defaultLimit,
  listOf,
  pageParameters,
  totalFacts,
  totalParameter,
} from "./page.ts";

type ListKey = string | number;

/**
 * The part of a list to read. With `after` the items are in ascending order of their keys, with
 * `before` or without either in descending order.
 */
interface KeyedBorder<Key extends ListKey> {
  readonly before?: Key;
  readonly after?: Key;
  readonly limit: number;
}

type Filters = Readonly<Record<string, unknown>>;

/**
 * A list of things that are not rows of a resource, such as events and jobs. It follows the
 * conventions of all lists.
 */
export interface KeyedList<Item, Key extends ListKey> {
  readonly id: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** What an item looks like, by the name of its kind. */
  readonly item: z.ZodObject;
  readonly name: string;
  /**
   * The member that the list is sorted by, the order if there is no `sort`, and the smallest
   * possible key.
   */
  readonly key: { readonly member: string; readonly usual: "rising" | "falling"; readonly first: Key };
  /** The parameters that narrow it: `filter[state]`, `filter[received_at][gte]`. */
  readonly filters: Readonly<Record<string, z.ZodType>>;
  /** Default: 20. */
  readonly usualLimit?: number;
  /**
   * If present, `Accept: application/x-ndjson` gets the items as lines: this many unless `limit` is
   * given, up to `mostLineBytes`, with the next page in `Link`.
   */
  readonly usualLines?: number;
  read(filters: Filters, border: KeyedBorder<Key>): Promise<readonly Item[]>;
  /** How many there are, counted up to `atMost`. */
  count(filters: Filters, atMost: number): Promise<number>;
  keyOf(item: Item): Key;
  /** Scopes that are not needed to call it, but widen what it answers; each with what it adds. */
  readonly widerScopes?: Readonly<Record<string, string>>;
  /** As that of the operation: codes of faults that the schemas of `filters` do not tell. */
  readonly checkedAfterSchema?: readonly string[];
  present(
    items: readonly Item[],
    call: Pick<EngineCall, "may" | "note">,
  ): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** NDJSON: each line is an item as JSON. */
const linesType = "application/x-ndjson";
const mostLineBytes = 4 * 1024 * 1024;

const errors = ["invalid_fields", "invalid_filter", "invalid_cursor"] as const satisfies readonly ErrorCode[];

const queryOf = <Item, Key extends ListKey>({ key, filters }: KeyedList<Item, Key>) =>
  z.strictObject({
    ...pageParameters,
    total: totalParameter,
    fields: fieldsParameter,
    sort: z
      .enum([key.member, `-${key.member}`])
      .optional()
      .meta({
        description: `The order, with \`-\` in front for descending. Default: \`${key.usual === "falling" ? "-" : ""}${key.member}\`.`,
      }),
    ...Object.fromEntries(Object.entries(filters).map(([parameter, schema]) => [parameter, schema.optional()])),
  });

/** Makes the operation of a list of things that are not rows. Only administrators may call it. */
export const keyedList = <Item, Key extends ListKey>(list: KeyedList<Item, Key>): Operation => {
  const { item, name, key, usualLimit = defaultLimit } = list;
  return tableEntry({
    id: list.id,
    method: "GET",
    path: list.path,
    access: "admin",
    summary: list.summary,
    tag: "admin",
    ...(list.widerScopes === undefined ? {} : { widerScopes: list.widerScopes }),
    ...(list.checkedAfterSchema === undefined ? {} : { checkedAfterSchema: list.checkedAfterSchema }),
    query: z.lazy(() => queryOf(list)),
    list: true,
    success: {
      status: 200,
      description: list.description,
      body: z.lazy(() => listOf(selectable(item, name), countedFacts)),
      ...(list.usualLines === undefined ? {} : { alternatives: [linesType] }),
    },
    errors,
    handle: async (call) => {
      const isLines = list.usualLines !== undefined && call.request.accepted === linesType;
      const { total, fields, sort, cursor, limit: wanted, ...asked } = call.query as Query;
      const limit = wanted ?? (isLines ? list.usualLines : undefined) ?? usualLimit;
      const names = namesAmong(Object.keys(item.shape), fields, name);
      const falling = sort === undefined ? key.usual === "falling" : sort.startsWith("-");
      const origin = `${list.id}:${fingerprint(JSON.stringify([falling, Object.entries(asked).toSorted()]), 2)}`;
      const at = cursor === undefined ? undefined : await openPlace(call.cursors, origin, cursor);
      const backwards = at?.direction === "prev";
      const found = await list.read(asked, { ...borderOf(list, falling !== backwards, at), limit: limit + 1 });
      const kept = found.slice(0, limit);
      const shown = backwards ? kept.toReversed() : kept;
      const rows = (await list.present(shown, call)).map((row) =>
        Object.fromEntries(names.map((member) => [member, row[member]])),
      );
      const lines = isLines ? fitting(rows.map((row) => `${JSON.stringify(row)}\n`)) : undefined;
      const fits = lines?.length ?? shown.length;
      const placeAt = (one: Item | undefined) => (one === undefined ? [] : [list.keyOf(one)]);
      const { next, prev } = await neighboursOf(call.cursors, origin, {
        at,
        more: found.length > limit || fits < shown.length,
        first: placeAt(shown[0]),
        last: placeAt(shown[fits - 1]),
      });
      if (lines !== undefined) return answerLines(call.request, lines, next);
      const extra = total === true ? totalFacts(await list.count(asked, countedAtMost + 1)) : undefined;
      return answerPage(call.request, { data: rows, limit, next, prev, extra });
    },
  });
};

const fitting = (lines: readonly string[]): readonly string[] => {
  let bytes = 0;
  const tooMany = lines.findIndex((line, index) => {
    bytes += utf8Encode(line).length;
    return bytes > mostLineBytes && index > 0;
  });
  return tooMany === -1 ? lines : lines.slice(0, tooMany);
};

const answerLines = (facts: RequestFacts, lines: readonly string[], next: string | null): OperationAnswer => {
  const { headers } = answerPage(facts, { data: [], limit: lines.length, next, prev: null });
  return { status: 200, headers: { ...headers, "content-type": linesType, vary: "Accept" }, text: lines.join("") };
};

/**
 * An item. `fields` may leave out some of its members. Documents describe whole items separately.
 */
const selectable = (item: z.ZodObject, name: string): z.ZodType => {
  const { examples } = item.meta() ?? {};
  return item
    .partial()
    .meta({ id: name, [marks.always]: Object.keys(item.shape), ...(examples === undefined ? {} : { examples }) });
};

interface Query extends Filters {
  readonly limit?: number;
  readonly total?: boolean;
  readonly fields?: string;
  readonly sort?: string;
  readonly cursor?: string;
}

const borderOf = <Key extends ListKey>(
  { key }: Pick<KeyedList<unknown, Key>, "key">,
  falls: boolean,
  at: PagePosition | undefined,
): Omit<KeyedBorder<Key>, "limit"> => {
  // A cursor is signed, and this list has put one of its own keys into it.
  const place = at?.place[0] as Key | undefined;
  if (!falls) return { after: place ?? key.first };
  return place === undefined ? {} : { before: place };
};
