import { linksOf } from "./links.ts";

/** The result of calling a list operation. */
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
 * Yields every item of a list, page after page, in every version:
 * `for await (const post of items((cursor) => client.GET("/users/{id}/posts", …)))`. It asks for
 * the next page when you have taken all items of the page before.
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
    // A list is an array, or has one as `data`. `ItemOf` tells the compiler the same.
    yield* (Array.isArray(data) ? data : (data as { data: unknown[] }).data) as ItemOf<Data>[];
    cursor = cursorIn(result);
  } while (cursor !== undefined);
}
