import { AppError } from "@postern/core";
import { z } from "zod";
import { marks } from "../json-schema/json-schema.ts";
import type { CursorSigner, OperationAnswer, RequestFacts } from "./operation.ts";

/**
 * The value of a parameter that is absent. As `default` it would be lost when texts are converted.
 */
export const usualMark = "x-usual";

/**
 * The names that a parameter takes, in the newest version. Documents list them in the names of
 * their own version.
 */
export const namesMark = "x-names";

/**
 * A parameter that is a whole number from 1 to `most`, at most 999; without it, `usual` holds. It
 * arrives as text. Documents describe it as a number, and not by the pattern of the text.
 */
export const countParameter = (most: number, usual: number, description: string) => {
  const error = `a whole number from 1 to ${most}`;
  const documented = { type: "integer", minimum: 1, maximum: most, [usualMark]: usual, pattern: undefined };
  return z
    .string()
    .regex(/^[1-9]\d{0,2}$/, { error })
    .transform(Number)
    .refine((count) => count <= most, { error })
    .optional()
    .meta({ description, ...documented });
};

export const defaultLimit = 20;

/** Query parameters that every list has. */
export const pageParameters = {
  limit: countParameter(100, defaultLimit, "The greatest number of items."),
  cursor: z.string().max(12_000).optional().meta({
    description:
      "Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, with the same sort and filter.",
  }),
};

/** A first page. Cursors mean something to the server only. */
const examplePage = { limit: defaultLimit, has_more: true, next_cursor: "9rjq4JZmTmGf3H0mCq1c2A", prev_cursor: null };

/** The facts that a page contains about itself and its neighbours. */
export const pageFacts = z
  .object({
    limit: z.int().min(1).max(100),
    has_more: z.boolean().meta({ description: "Whether there is a next page." }),
    next_cursor: z.string().max(12_000).nullable(),
    prev_cursor: z.string().max(12_000).nullable(),
  })
  .meta({ id: "page", examples: [examplePage] });

/** Counting stops at this number. */
export const countedAtMost = 10_000;

export const totalParameter = z
  .enum(["true", "false"])
  .transform((text) => text === "true")
  .optional()
  .meta({
    description: `Whether \`page.total\` is wanted; it counts up to ${countedAtMost}.`,
    type: "boolean",
    [usualMark]: false,
    enum: undefined,
  });

export const countedFacts = pageFacts
  .extend({
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
  })
  .meta({ id: "counted_page", examples: [examplePage] });

/**
 * The members of a page about the number of items. At most `countedAtMost` items, and one more,
 * were counted.
 */
export const totalFacts = (counted: number) => ({
  total: Math.min(counted, countedAtMost),
  total_is_exact: counted <= countedAtMost,
  total_is_minimum: counted > countedAtMost,
});

/** `{ data, page }`, the form of every list. */
export const listOf = (item: z.ZodType, page: z.ZodType = pageFacts) =>
  z.object({ data: z.array(item).max(100), page }).meta({ [marks.list]: true });

export interface Page {
  readonly data: readonly unknown[];
  readonly limit: number;
  /** Cursors of the neighbouring pages; null if there is none. */
  readonly next: string | null;
  readonly prev: string | null;
  /** Further members of `page`. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/** A page as an answer shows it. */
export const presentPage = ({ data, limit, next, prev, extra }: Page) => ({
  data,
  page: { limit, has_more: next !== null, next_cursor: next, prev_cursor: prev, ...extra },
});

/**
 * Answers a page, with links to the first page and to its neighbours (RFC 8288). The links keep all
 * other parameters.
 */
export const answerPage = ({ target }: RequestFacts, page: Page): OperationAnswer => {
  const first = withoutCursor(target);
  const at = (cursor: string): string => `${first}${first.includes("?") ? "&" : "?"}cursor=${cursor}`;
  const links = [
    `<${first}>; rel="first"`,
    ...(page.prev === null ? [] : [`<${at(page.prev)}>; rel="prev"`]),
    ...(page.next === null ? [] : [`<${at(page.next)}>; rel="next"`]),
  ];
  return { status: 200, headers: { link: links.join(", ") }, body: presentPage(page) };
};

/**
 * Characters that a path or query cannot contain (RFC 3986, section 3.4). Brackets are among them,
 * and characters that would end a link.
 */
const foreign = /[^\w\-.~!$&'()*+,;=:@/?%]/g;

/**
 * The same request without its cursor. Everything else stays as the caller spelled it, in the
 * characters of a URI.
 */
const withoutCursor = (target: string): string => {
  const end = target.indexOf("?");
  const path = end === -1 ? target : target.slice(0, end);
  const query = end === -1 ? "" : target.slice(end + 1);
  const others = query.split("&").filter((part) => part !== "" && decoded(part.split("=", 1)[0] ?? "") !== "cursor");
  const link = others.length === 0 ? path : `${path}?${others.join("&")}`;
  return link.replaceAll(foreign, encodeURIComponent);
};

const decoded = (name: string): string => {
  try {
    return decodeURIComponent(name);
  } catch {
    // None of our parameters is spelled this way.
    return name;
  }
};

/** The content of a cursor: which list it belongs to, and the place in it. */
export const cursorFor = (list: string, place: unknown): string => JSON.stringify([list, place]);

/**
 * The place in a cursor of this list.
 * @throws AppError `invalid_cursor` for any other cursor, and for anything that is not a cursor.
 */
export const placeIn = async <Place>(
  cursors: CursorSigner,
  list: string,
  cursor: string,
  schema: z.ZodType<Place>,
): Promise<Place> => {
  const content = await cursors.openCursor(cursor).catch((cause: unknown) => {
    if (cause instanceof AppError) throw invalidCursor("This is not a cursor of this server.", cause);
    throw cause;
  });
  const [origin, place]: unknown[] = z.array(z.unknown()).parse(JSON.parse(content));
  const parsed = schema.safeParse(place);
  if (origin === list && parsed.success) return parsed.data;
  throw invalidCursor("This cursor was issued for another list, or for this list with another order or filter.");
};

const invalidCursor = (detail: string, cause?: unknown): AppError =>
  new AppError("invalid_cursor", {
    detail,
    faults: [{ parameter: "cursor", code: "invalid_cursor", detail: "take it from a page of the same list" }],
    cause,
  });
