import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Address, type Readable, withQuery } from "../address.ts";
import { call, type Page, useLive } from "../api.ts";
import { Button, Fault } from "./basics.tsx";

interface PagedProps<Row> {
  /** The path of the list with its filters. */
  readonly path: Address<Readable<Page<Row>>>;
  readonly everyMs?: number;
  readonly children: (rows: readonly Row[] | undefined, refresh: () => void) => ComponentChildren;
}

/** A list of the API. The first page stays up to date; further ones come when they are asked for. */
export const Paged = <Row,>({ path, everyMs = 0, children }: PagedProps<Row>) => {
  const { data, fault, refresh } = useLive(path, everyMs);
  const [more, setMore] = useState<{ rows: readonly Row[]; next: string | null } | undefined>();
  useEffect(() => setMore(undefined), [path]);
  const next = more === undefined ? (data?.page?.next_cursor ?? null) : more.next;
  const read = async (): Promise<void> => {
    const page = await call("GET", withQuery(path, { cursor: next ?? "" }));
    setMore({ rows: [...(more?.rows ?? []), ...page.data], next: page.page.next_cursor });
  };
  return (
    <>
      <Fault fault={fault} />
      {fault !== undefined && data === undefined
        ? null
        : children(data === undefined ? undefined : [...data.data, ...(more?.rows ?? [])], refresh)}
      {next === null ? null : (
        <p class="more">
          <Button onPress={read}>Show more</Button>
        </p>
      )}
    </>
  );
};
