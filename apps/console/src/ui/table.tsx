import type { ComponentChildren } from "preact";
import { count, counted } from "../format.ts";
import { Empty } from "./basics.tsx";
import { useSteadyRows } from "./steady-rows.ts";

interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers stand on the right, in figures of one width. */
  readonly isNumber?: boolean;
  /** Left out on a narrow screen. */
  readonly isMinor?: boolean;
  /** Takes the room that is left, and is cut. The whole text stands in its tooltip. */
  readonly isLong?: boolean;
}

/** How many rows there are, as far as that is known. */
export interface Total {
  readonly count?: number | undefined;
  /** There may be more than have been counted. */
  readonly isLeast?: boolean;
}

interface TableProps<Row> {
  readonly caption: string;
  /** What a row is, and several of them: `["entry", "entries"]`. */
  readonly noun: string | readonly [one: string, many: string];
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[] | undefined;
  /** How many there are, if these are not all. */
  readonly total?: Total;
  readonly keyOf: (row: Row) => string;
  /** Where a row leads. */
  readonly hrefOf?: (row: Row) => string | undefined;
  readonly empty?: ComponentChildren;
}

const classOf = <Row,>({ isNumber, isMinor, isLong }: Column<Row>): string =>
  [isNumber ? "number" : "", isMinor ? "minor" : "", isLong ? "long" : ""].join(" ").trim();

/** `12 jobs`, `100 of 1,234 jobs`, `100 of 10,000 or more jobs`. */
export const countText = (shown: number, noun: TableProps<unknown>["noun"], total: Total = {}): string => {
  const [one, many] = typeof noun === "string" ? [noun, `${noun}s`] : noun;
  const all = total.count ?? shown;
  if (all <= shown && total.isLeast !== true) return counted(shown, one, many);
  return `${count(shown)} of ${count(all)}${total.isLeast === true ? " or more" : ""} ${many}`;
};

/** The whole of a text that is cut, where a pointer rests on it. */
const showWhole = (event: { readonly currentTarget: HTMLElement }): void => {
  const { currentTarget: cell } = event;
  cell.title = cell.scrollWidth > cell.clientWidth ? cell.textContent : "";
};

/** A table of a few hundred rows at most. Longer lists are drawn by `VirtualList`. */
export const Table = <Row,>({ caption, noun, columns, rows, total, keyOf, hrefOf, empty }: TableProps<Row>) => {
  const { rows: shown, over } = useSteadyRows(rows, keyOf);
  if (rows?.length === 0) return <>{empty ?? <Empty title="There is nothing here." />}</>;
  return (
    <div class="table" {...over}>
      <table aria-busy={rows === undefined}>
        <caption>
          <span class="unseen">{caption}: </span>
          {shown === undefined ? "" : countText(shown.length, noun, total)}
        </caption>
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
          {(shown ?? []).map((row) => {
            const href = hrefOf?.(row);
            return (
              <tr key={keyOf(row)} class={href === undefined ? "" : "leads"}>
                {columns.map((column, at) => (
                  <td
                    key={column.head}
                    class={classOf(column)}
                    onPointerEnter={column.isLong === true ? showWhole : undefined}
                  >
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
