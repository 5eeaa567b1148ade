import { AppError } from "@postern/core";
import { z } from "zod";
import { marks } from "../json-schema/json-schema.ts";
import type { CursorSigner, OperationAnswer, RequestFacts } from "./operation.ts";

/** Query parameters that every list has. */
export const pageParameters = {
  limit: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, { error: "a whole number from 1 to 100" })
    .transform(Number)
    .refine((limit) => limit <= 100, { error: "a whole number from 1 to 100" })
    .optional()
    .meta({ description: "How many items at the most, 1 to 100; 20 unless given." }),
  cursor: z.string().max(12_000).optional().meta({
    description:
      "Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, sort and filter.",
  }),
};

export const defaultLimit = 20;

/** What a page says of itself and its neighbours. */
export const pageFacts = z.object({
  limit: z.int().min(1).max(100),
  has_more: z.boolean().meta({ description: "Whether there is a next page." }),
  next_cursor: z.string().max(12_000).nullable(),
  prev_cursor: z.string().max(12_000).nullable(),
});

/** `{ data, page }`, as every list is answered. */
export const listOf = (item: z.ZodType, page: z.ZodType = pageFacts) =>
  z.object({ data: z.array(item).max(100), page }).meta({ [marks.list]: true });

export interface Page {
  readonly data: readonly unknown[];
  readonly limit: number;
  /** Cursors of the neighbours; null where there is none. */
  readonly next: string | null;
  readonly prev: string | null;
  /** Further members of `page`. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A page as it stands in an answer. */
export const presentPage = ({ data, limit, next, prev, extra }: Page) => ({
  data,
  page: { limit, has_more: next !== null, next_cursor: next, prev_cursor: prev, ...extra },
});

/** Answers a page, with links to the first one and to its neighbours (RFC 8288) that keep all other parameters. */
export const answerPage = ({ target }: RequestFacts, page: Page): OperationAnswer => {
  const links = [
    `<${targetWith(target, undefined)}>; rel="first"`,
    ...(page.prev === null ? [] : [`<${targetWith(target, page.prev)}>; rel="prev"`]),
    ...(page.next === null ? [] : [`<${targetWith(target, page.next)}>; rel="next"`]),
  ];
  return { status: 200, headers: { link: links.join(", ") }, body: presentPage(page) };
};

/**
 * Answers one page of a list that is only read forwards. `items` holds one more than `limit` when there are more to come; `cursorAfter` seals the
 * place behind an item.
 */
export const answerList = async <Item>(
  facts: RequestFacts,
  items: readonly Item[],
  limit: number,
  present: (item: Item) => unknown,
  cursorAfter: (item: Item) => Promise<string>,
): Promise<OperationAnswer> => {
  const shown = items.slice(0, limit);
  const last = shown.at(-1);
  const next = items.length > limit && last !== undefined ? await cursorAfter(last) : null;
  return answerPage(facts, { data: shown.map(present), limit, next, prev: null });
};

/** What a URI has in its path and query (RFC 3986, section 3.4); a caller's brackets are not among it, nor what would end a link. */
const foreign = /[^\w\-.~!$&'()*+,;=:@/?%]/g;

/** The same request with another cursor, or none: everything else stays as the caller spelled it, in the characters of a URI. */
const targetWith = (target: string, cursor: string | undefined): string => {
  const end = target.indexOf("?");
  const path = end === -1 ? target : target.slice(0, end);
  const query = end === -1 ? "" : target.slice(end + 1);
  const others = query.split("&").filter((part) => part !== "" && decoded(part.split("=", 1)[0] ?? "") !== "cursor");
  const parts = cursor === undefined ? others : [...others, `cursor=${cursor}`];
  const link = parts.length === 0 ? path : `${path}?${parts.join("&")}`;
  return link.replaceAll(foreign, encodeURIComponent);
};

const decoded = (name: string): string => {
  try {
    return decodeURIComponent(name);
  } catch {
    // No parameter of ours is spelled like that.
    return name;
  }
};

/** What a cursor holds: which list it belongs to, and the place in it. */
export const cursorFor = (list: string, place: unknown): string => JSON.stringify([list, place]);

/** The place of an item that has a number. */
export const numberedPlace = z.number();

/** The place that a cursor of this list holds. @throws AppError `invalid_cursor` for any other cursor, and for what is none. */
export const placeIn = async <Place>(
  cursors: CursorSigner,
  list: string,
  cursor: string,
  schema: z.ZodType<Place>,
): Promise<Place> => {
  const content = await cursors.openCursor(cursor).catch((cause: unknown) => {
    if (cause instanceof AppError) throw invalidCursor("This is no cursor of this server.", cause);
    throw cause;
  });
  const [origin, place]: unknown[] = z.array(z.unknown()).parse(JSON.parse(content));
  const parsed = schema.safeParse(place);
  if (origin === list && parsed.success) return parsed.data;
  throw invalidCursor(
    "This cursor was issued for another list, or for this one in another order or with another filter.",
    undefined,
  );
};

const invalidCursor = (detail: string, cause: unknown): AppError =>
  new AppError("invalid_cursor", {
    detail,
    faults: [{ parameter: "cursor", code: "invalid_cursor", detail: "take it from a page of this very list" }],
    cause,
  });
