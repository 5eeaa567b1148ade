import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { placeOf, route } from "../router.ts";

interface VirtualListProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  /** The height of a row in pixels. */
  readonly rowHeight: number;
  readonly draw: (row: Row) => ComponentChildren;
  readonly keyOf: (row: Row) => string;
  /** Called when somebody comes near the end. */
  readonly onEnd: () => void;
  /** Called with whether the first row is in sight. */
  readonly onTop: (isAtTop: boolean) => void;
}

const spare = 12;

/** A list of any length, of which only the rows in sight are in the page. On the way back it is where it was left. */
export const VirtualList = <Row,>({ label, rows, rowHeight, draw, keyOf, onEnd, onTop }: VirtualListProps<Row>) => {
  const element = useRef<HTMLElement>(null);
  const place = useRef(placeOf(route.value.entry)).current;
  const [{ top, height }, setPlace] = useState({ top: Number(place.get("rows") ?? 0), height: 800 });
  const read = (): void => {
    const { scrollTop = 0, clientHeight = 800 } = element.current ?? {};
    place.set("rows", scrollTop);
    setPlace({ top: scrollTop, height: clientHeight });
  };
  useLayoutEffect(() => {
    element.current?.scrollTo(0, top);
    read();
    addEventListener("resize", read);
    return () => removeEventListener("resize", read);
  }, []);
  const first = Math.max(0, Math.floor(top / rowHeight) - spare);
  const last = Math.min(rows.length, Math.ceil((top + height) / rowHeight) + spare);
  useEffect(() => {
    if (last >= rows.length - spare) onEnd();
    onTop(first === 0 && top < rowHeight);
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a place that scrolls must be reached by keyboard
    <section class="virtual" ref={element} onScroll={read} tabIndex={0} aria-label={label}>
      <svg class="room" width="1" height={rows.length * rowHeight} aria-hidden="true" />
      <ol class="slice" start={first + 1} ref={(list) => list?.style.setProperty("top", `${first * rowHeight}px`)}>
        {rows.slice(first, last).map((row) => (
          <li key={keyOf(row)}>{draw(row)}</li>
        ))}
      </ol>
    </section>
  );
};
