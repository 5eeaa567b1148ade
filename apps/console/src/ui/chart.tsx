import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { coordinate } from "../format.ts";
import { Button } from "./basics.tsx";
import { Table } from "./table.tsx";

export interface Line {
  readonly name: string;
  /** The token that colours it. */
  readonly tone: "accent" | "bad" | "warn" | "soft";
  /** One value for each moment; null where nothing was measured. */
  readonly values: readonly (number | null)[];
  /** What stands beside its name while nobody points at a moment. */
  readonly whole: string;
}

/** The unit that all lines of a chart have. */
interface Scale {
  readonly text: (value: number) => string;
  /** The values of the lines across, from the bottom to the top, for the greatest value. */
  readonly marksOf: (most: number) => readonly number[];
  /** Each step up is ten times as much, from 1 on. The marks are named. */
  readonly isLog?: boolean;
}

interface ChartProps extends Scale {
  readonly title: string;
  /** What it shows, for those who do not see it. */
  readonly label: string;
  readonly moments: readonly string[];
  readonly lines: readonly Line[];
  /** Whether the last moment is not over yet; what leads to it is dashed. */
  readonly isFilling: boolean;
}

const width = 1_000;
const height = 100;

/** How long the stroke of a value is whose neighbours have none. */
const aloneWidth = 10;

/** The parts of a line between moments without a value. One value alone is a short stroke. */
const pathOf = (values: readonly (number | null)[], xOf: (at: number) => number, yOf: (value: number) => number) => {
  let isOpen = false;
  return values
    .map((value, at) => {
      const wasOpen = isOpen;
      isOpen = value !== null;
      if (value === null) return "";
      const isAlone = !wasOpen && (values[at + 1] ?? null) === null;
      const place = `${coordinate(xOf(at) - (isAlone ? aloneWidth / 2 : 0))} ${coordinate(yOf(value))}`;
      if (isAlone) return `M${place}h${aloneWidth}`;
      return wasOpen ? `L${place}` : `M${place}`;
    })
    .join("");
};

interface PlotProps extends Scale, Pick<ChartProps, "lines" | "moments" | "isFilling"> {
  readonly pointed: number | undefined;
  readonly onPoint: (at: number | undefined) => void;
}

const Plot = ({ lines, text, marksOf, isLog = false, moments, isFilling, pointed, onPoint }: PlotProps) => {
  const marks = marksOf(Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0))));
  const top = marks.at(-1) ?? 1;
  const yOf = (value: number): number =>
    height * (1 - (isLog ? Math.log(Math.max(1, value)) / Math.log(top) : value / top));
  const last = Math.max(1, moments.length - 1);
  const xOf = (at: number): number => (at / last) * width;
  const cut = isFilling ? moments.length - 1 : moments.length;
  return (
    <div class="plot">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        onPointerMove={(event) => {
          const { left, width: wide } = event.currentTarget.getBoundingClientRect();
          const at = Math.round(((event.clientX - left) / wide) * last);
          onPoint(Math.min(last, Math.max(0, at)));
        }}
        onPointerLeave={() => onPoint(undefined)}
      >
        <path class="grid" d={marks.map((mark) => `M0 ${yOf(mark)}H${width}`).join("")} />
        {pointed === undefined ? null : <path class="pointed" d={`M${xOf(pointed)} 0V${height}`} />}
        {lines.map(({ name, tone, values }) => (
          <g key={name} class={`line ${tone}`}>
            <path d={pathOf(values.slice(0, cut), xOf, yOf)} />
            {isFilling ? (
              <path class="filling" d={pathOf(values.slice(cut - 1), (at) => xOf(at + cut - 1), yOf)} />
            ) : null}
          </g>
        ))}
      </svg>
      {(isLog ? marks : [top]).map((mark) => (
        <span
          key={mark}
          class="mark number"
          ref={(label) => label?.style.setProperty("top", `${coordinate((yOf(mark) / height) * 100)}%`)}
        >
          {text(mark)}
        </span>
      ))}
    </div>
  );
};

/** The charts that somebody wants to read as tables, on whatever page they are. */
const tables = signal<readonly string[]>([]);

/** Lines over time, of one unit. A button shows the same numbers as a table. */
export const Chart = ({ title, label, moments, lines, isFilling, ...scale }: ChartProps) => {
  const asTable = tables.value.includes(title);
  const toggle = (): void => {
    tables.value = asTable ? tables.value.filter((one) => one !== title) : [...tables.value, title];
  };
  const [pointed, setPointed] = useState<number | undefined>();
  const shown = pointed !== undefined && pointed < moments.length ? pointed : undefined;
  const textAt = ({ values }: Line, at: number): string => {
    const value = values[at];
    return value == null ? "–" : scale.text(value);
  };
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        <span class="soft number">{shown === undefined ? "" : moments[shown]}</span>
        <Button kind="quiet" label={`${title} as ${asTable ? "a chart" : "a table"}`} onPress={toggle}>
          {asTable ? "Chart" : "Table"}
        </Button>
      </figcaption>
      {asTable ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a place that scrolls must be reached by keyboard
        <section class="chart-table" tabIndex={0} aria-label={title}>
          <Table
            caption={label}
            noun="step"
            rows={moments.map((moment, at) => ({ moment, at })).toReversed()}
            keyOf={({ at }) => String(at)}
            columns={[
              {
                head: "From",
                cell: ({ moment, at }) => `${moment}${isFilling && at === moments.length - 1 ? " …" : ""}`,
              },
              ...lines.map((line) => ({
                head: line.name,
                cell: ({ at }: { readonly at: number }) => textAt(line, at),
                isNumber: true,
              })),
            ]}
          />
        </section>
      ) : (
        <div role="img" aria-label={`${label}: ${lines.map((line) => `${line.name} ${line.whole}`).join(", ")}`}>
          <Plot {...scale} {...{ lines, moments, isFilling, pointed: shown, onPoint: setPointed }} />
          <p class="plot-ends soft number">
            <span>{moments[0]}</span>
            <span>{moments.at(-1)}</span>
          </p>
          <ul class="legend">
            {lines.map((line) => (
              <li key={line.name} class={`line ${line.tone}`}>
                <span class="soft">{line.name}</span>{" "}
                <span class="number">{shown === undefined ? line.whole : textAt(line, shown)}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </figure>
  );
};
