import { useRef, useState } from "preact/hooks";
import { hasJustWritten } from "../api.ts";
import { route } from "../router.ts";

/**
 * Rows that stay where they are while the pointer is over them, so that nobody presses the button of
 * another row: what is known of a row is renewed, one that is gone stays, and new ones wait. Other filters
 * make another list, which shows at once, as what somebody has changed here does.
 */
export const useSteadyRows = <Row>(rows: readonly Row[] | undefined, keyOf: (row: Row) => string) => {
  const [isOver, setOver] = useState(false);
  const shown = useRef<readonly Row[] | undefined>(undefined);
  const filters = JSON.stringify([...route.value.query]);
  const before = useRef(filters);
  if (before.current !== filters) {
    before.current = filters;
    shown.current = undefined;
  }
  if (isOver && !hasJustWritten() && shown.current !== undefined && rows !== undefined) {
    const byKey = new Map(rows.map((row) => [keyOf(row), row]));
    const kept = shown.current.map((row) => byKey.get(keyOf(row)) ?? row);
    const keys = new Set(kept.map(keyOf));
    // More of the same list, below what is there, moves nothing.
    const last = kept.at(-1);
    const at = last === undefined ? -1 : rows.findIndex((row) => keyOf(row) === keyOf(last));
    shown.current = at === -1 ? kept : [...kept, ...rows.slice(at + 1).filter((row) => !keys.has(keyOf(row)))];
  } else shown.current = rows;
  return {
    rows: shown.current,
    /** How many new rows wait. */
    waiting: Math.max(0, (rows?.length ?? 0) - (shown.current?.length ?? 0)),
    over: { onPointerEnter: () => setOver(true), onPointerLeave: () => setOver(false) },
  };
};
