import type { ComponentChildren } from "preact";
import { Empty } from "./basics.tsx";

interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers stand on the right, in figures of one width. */
  readonly isNumber?: boolean;
  /** Left out on a narrow screen. */
  readonly isMinor?: boolean;
  /** Takes the room that is left, and is cut. */
  readonly isLong?: boolean;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[] | undefined;
  readonly keyOf: (row: Row) => string;
  /** Where a row leads. */
  readonly hrefOf?: (row: Row) => string | undefined;
  readonly empty?: ComponentChildren;
}

const classOf = <Row,>({ isNumber, isMinor, isLong }: Column<Row>): string =>
  [isNumber ? "number" : "", isMinor ? "minor" : "", isLong ? "long" : ""].join(" ").trim();

/** A table of a few hundred rows at most. Longer lists are drawn by `VirtualList`. */
export const Table = <Row,>({ caption, columns, rows, keyOf, hrefOf, empty }: TableProps<Row>) => {
  if (rows?.length === 0) return <>{empty ?? <Empty title="There is nothing here." />}</>;
  return (
    <div class="table">
      <table aria-busy={rows === undefined}>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.head} scope="col" class={classOf(column)}>
                {column.head === "" ? <span class="unseen">Actions</span> : column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(rows ?? []).map((row) => {
            const href = hrefOf?.(row);
            return (
              <tr key={keyOf(row)} class={href === undefined ? "" : "leads"}>
                {columns.map((column, at) => (
                  <td key={column.head} class={classOf(column)}>
                    {at === 0 && href !== undefined ? <a href={href}>{column.cell(row)}</a> : column.cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      {rows === undefined ? <p class="waiting">Loading…</p> : null}
    </div>
  );
};
