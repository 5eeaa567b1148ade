import type { Condition, Resource, Row } from "@postern/core";
import { fingerprint } from "@postern/core/internal";
import type { Place, SortKey } from "@postern/core/ports";
import { z } from "zod";
import type { CursorSigner } from "../operations/operation.ts";
import { cursorFor, placeIn } from "../operations/page.ts";

/**
 * Where a page is: right after a place, or right before it. The empty place is the start of the
 * list for `next`, its end for `prev`.
 */
export interface PagePosition {
  readonly direction: "next" | "prev";
  readonly place: Place;
}

const position = z
  .tuple([z.enum(["next", "prev"])], z.union([z.string(), z.number(), z.null()]))
  .transform(([direction, ...place]): PagePosition => ({ direction, place }));

/**
 * What the cursors of a list are bound to: the list, its order and its filter. A hash keeps it
 * short. A cursor contains the place, but not the list, its order or its filter.
 */
export const listKey = (
  resource: Resource,
  parentId: string | undefined,
  order: readonly SortKey[],
  filters: readonly Condition[] = [],
): string => {
  const text = JSON.stringify([order, JSON.stringify(filters)]);
  return `${resource.plural}:${parentId ?? ""}:${fingerprint(text, 2)}`;
};

/** The place of a row; the empty one if there is none. */
export const placeOf = (row: Row | undefined, order: readonly SortKey[]): Place =>
  row === undefined
    ? []
    : order.map(({ field }) => {
        const value = row[field];
        return typeof value === "string" || typeof value === "number" ? value : null;
      });

export const sealPlace = (
  signer: CursorSigner,
  list: string,
  direction: PagePosition["direction"],
  place: Place,
): Promise<string> => signer.sealCursor(cursorFor(list, [direction, ...place]));

/** @throws AppError `invalid_cursor` for a cursor that was not issued for this list. */
export const openPlace = (signer: CursorSigner, list: string, cursor: string): Promise<PagePosition> =>
  placeIn(signer, list, cursor, position);

interface FoundPage {
  readonly at: PagePosition | undefined;
  /** Whether there is more in the direction of reading. */
  readonly more: boolean;
  /**
   * Where it begins and ends, in the list's order. An empty page has no place to continue from, so
   * the page on its other side begins at this end of the list.
   */
  readonly first: Place;
  readonly last: Place;
}

/** The cursors of the pages on either side of a page; null if there is none. */
export const neighboursOf = async (
  signer: CursorSigner,
  list: string,
  { at, more, first, last }: FoundPage,
): Promise<{ readonly next: string | null; readonly prev: string | null }> => {
  const backwards = at?.direction === "prev";
  const came = at !== undefined && at.place.length > 0;
  return {
    next: (backwards ? came : more) ? await sealPlace(signer, list, "next", last) : null,
    prev: (backwards ? more : came) ? await sealPlace(signer, list, "prev", first) : null,
  };
};
