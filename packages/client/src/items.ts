import { linksOf } from "./links.ts";

/** What a call of a list operation gives. */
export interface PageResult<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

type ItemOf<Data> = Data extends readonly (infer Item)[]
  ? Item
  : Data extends { readonly data: readonly (infer Item)[] }
    ? Item
    : never;

const cursorIn = ({ response }: PageResult<unknown>): string | undefined => {
  const next = linksOf(response.headers.get("link")).find(({ rel }) => rel === "next");
  return next === undefined ? undefined : (new URL(next.target, "http://list").searchParams.get("cursor") ?? undefined);
};

/**
 * Every item of a list, page after page, in every version: `for await (const post of items((cursor) => client.GET("/users/{id}/posts", …)))`. The
 * next page is asked for when the items of the one before have been taken.
 * @throws what the server answered instead of a page.
 */
export async function* items<Data>(
  page: (cursor: string | undefined) => Promise<PageResult<Data>>,
): AsyncGenerator<ItemOf<Data>, void, undefined> {
  let cursor: string | undefined;
  do {
    const result = await page(cursor);
    if (result.data === undefined) throw result.error ?? new TypeError(`${result.response.status} is no page`);
    const data: unknown = result.data;
    // A list is an array, or holds it as `data`; `ItemOf` says the same to the compiler.
    yield* (Array.isArray(data) ? data : (data as { data: unknown[] }).data) as ItemOf<Data>[];
    cursor = cursorIn(result);
  } while (cursor !== undefined);
}
