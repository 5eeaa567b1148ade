import type { ComponentChildren } from "preact";
import { type Address, type Readable, withQuery } from "../address.ts";
import { call, type Page, useLive } from "../api.ts";
import { Button, Fault } from "./basics.tsx";
import { useKept } from "./place.ts";
import type { Total } from "./table.tsx";

interface PagedProps<Row> {
  /** The path of the list with its filters. */
  readonly path: Address<Readable<Page<Row>>>;
  readonly everyMs?: number;
  readonly children: (rows: readonly Row[] | undefined, refresh: () => void, total: Total) => ComponentChildren;
}

/** So long a count of all rows stays as it is. */
const countsEveryMs = 30_000;

/** How many rows a list has in all, which is asked beside its rows: they come sooner. */
export const useTotal = (path: Address<Readable<Page<unknown>>> | undefined, everyMs = countsEveryMs): Total => {
  const { data } = useLive(path === undefined ? undefined : withQuery(path, { limit: 1, total: "true" }), everyMs);
  return { count: data?.page.total, isLeast: data?.page.total_is_minimum === true };
};

interface More<Row> {
  readonly path: string;
  readonly rows: readonly Row[];
  readonly next: string | null;
}

/**
 * A list of the API. The first page stays up to date; further ones come when they are asked for, and are
 * there again on the way back. How many there are is asked only where there is more than a page.
 */
export const Paged = <Row,>({ path, everyMs = 0, children }: PagedProps<Row>) => {
  const { data, fault, refresh } = useLive(path, everyMs);
  const [kept, setMore] = useKept<More<Row> | undefined>("more", undefined);
  const more = kept?.path === path ? kept : undefined;
  const first = data?.page?.next_cursor ?? null;
  const next = more === undefined ? first : more.next;
  const total = useTotal(first === null ? undefined : path);
  const read = async (): Promise<void> => {
    const page = await call("GET", withQuery(path, { cursor: next ?? "" }));
    setMore({ path, rows: [...(more?.rows ?? []), ...page.data], next: page.page.next_cursor });
  };
  const rows = data === undefined ? undefined : [...data.data, ...(more?.rows ?? [])];
  return (
    <>
      <Fault fault={fault} />
      {fault !== undefined && rows === undefined
        ? null
        : children(rows, refresh, first === null ? { count: rows?.length } : total)}
      {next === null ? null : (
        <p class="more">
          <Button onPress={read}>Show more</Button>
        </p>
      )}
    </>
  );
};
