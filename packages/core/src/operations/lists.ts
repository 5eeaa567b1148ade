import { z } from "zod";
import { AppError } from "../errors/index.ts";
import type { Answer, RequestFacts } from "./operation.ts";

/** Query parameters that every list has. */
export const pageParameters = {
  limit: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, { error: "a whole number from 1 to 100" })
    .transform(Number)
    .refine((limit) => limit <= 100, { error: "a whole number from 1 to 100" })
    .optional()
    .meta({ description: "How many items at the most, 1 to 100; 20 unless given." }),
  cursor: z
    .string()
    .max(4096)
    .optional()
    .meta({ description: "Where the page begins: `next_cursor` of the page before." }),
};

export const defaultLimit = 20;

/** `{ data, page }`, as every list is answered. */
export const listOf = (item: z.ZodType) =>
  z.object({
    data: z.array(item),
    page: z.object({
      limit: z.int().min(1).max(100),
      has_more: z.boolean(),
      next_cursor: z.string().nullable(),
      prev_cursor: z.string().nullable(),
    }),
  });

/**
 * Answers one page. `items` holds one more than `limit` when there are more to come; `cursorAfter` seals the place behind an item.
 */
export const answerList = async <Item>(
  facts: RequestFacts,
  items: readonly Item[],
  limit: number,
  present: (item: Item) => unknown,
  cursorAfter: (item: Item) => Promise<string>,
): Promise<Answer> => {
  const shown = items.slice(0, limit);
  const last = shown.at(-1);
  const next = items.length > limit && last !== undefined ? await cursorAfter(last) : null;
  return {
    status: 200,
    headers: next === null ? {} : { link: `<${nextTarget(facts.target, next)}>; rel="next"` },
    body: {
      data: shown.map(present),
      page: { limit, has_more: next !== null, next_cursor: next, prev_cursor: null },
    },
  };
};

/** The same request with another cursor: everything else stays as the caller spelled it. */
const nextTarget = (target: string, cursor: string): string => {
  const [path = "", query = ""] = target.split("?", 2);
  const others = query.split("&").filter((part) => part !== "" && !part.startsWith("cursor="));
  return `${path}?${[...others, `cursor=${cursor}`].join("&")}`;
};

/** What a cursor holds: which list it belongs to and the place behind the last item seen. */
const cursorContent = z.tuple([z.string(), z.union([z.string(), z.number()])]);

export const cursorFor = (list: string, place: string | number): string => JSON.stringify([list, place]);

/** @throws AppError `invalid_cursor` when the cursor belongs to another list. */
export const placeIn = (list: string, content: string): string | number => {
  const parsed = cursorContent.parse(JSON.parse(content));
  if (parsed[0] !== list) throw new AppError("invalid_cursor", { detail: "This cursor was issued for another list." });
  return parsed[1];
};
