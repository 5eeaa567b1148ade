import type { ListEffect } from "../version.ts";

/**
 * The newer version answers every list as `{ data, page }`; it was the bare array, with the neighbours in `Link` and the total, where it was asked for, in
 * `X-Total-Count`. Lists included in a row are objects in both: they have no headers to page by.
 */
export const wrapLists = (): ListEffect => ({ on: "lists" });
