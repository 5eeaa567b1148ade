import type { ListEffect } from "../version.ts";

/**
 * The newer version answers every list as `{ data, page }`. The older one answers the bare array,
 * with links to the neighbours in `Link` and the total, if requested, in `X-Total-Count`. Lists
 * that are included in a row are objects in both, because they have no headers to page by.
 */
export const wrapLists = (): ListEffect => ({ on: "lists" });
