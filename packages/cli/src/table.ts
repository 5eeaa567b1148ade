import { styleText } from "node:util";
import stringWidth from "string-width";
import { relativeTime } from "./moment.ts";
import { escaped, type Terminal } from "./terminal.ts";

/** How a table looks to a person. */
interface Look {
  /** No row is wider, in cells of the terminal. */
  readonly width: number;
  readonly hasColours: boolean;
  /** Times are shown by their distance from here, in epoch milliseconds; `undefined`: as they are. */
  readonly now: number | undefined;
}

type Row = readonly unknown[];

/** Lines up, and leaves everything as it is. */
export const plain: Look = { width: Number.POSITIVE_INFINITY, hasColours: false, now: undefined };

/** `NO_COLOR`, `FORCE_COLOR` and `TERM=dumb` mean what they mean elsewhere. */
const hasColours = ({ stdout, environment: { NO_COLOR, FORCE_COLOR, TERM } }: Terminal): boolean => {
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return FORCE_COLOR !== "0";
  return stdout.isTTY === true && TERM !== "dumb";
};

/** How a table looks on this terminal; `undefined` where other programs read. */
export const lookOf = (terminal: Terminal): Look | undefined =>
  terminal.stdout.isTTY === true
    ? { width: terminal.stdout.columns ?? 80, hasColours: hasColours(terminal), now: Date.now() }
    : undefined;

const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** A path, an amount or nothing, as one line. */
const cell = (value: unknown, now: number | undefined): string => {
  if (value === null || value === undefined || value === "") return "-";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  if (now !== undefined && isTime.test(text)) return relativeTime(Date.parse(text), now);
  return escaped(text.replaceAll(/[\n\t]/g, " "));
};

const graphemes = new Intl.Segmenter();

/** The text in so many cells of a terminal, padded, or cut with `…`. */
const fitted = (text: string, width: number): string => {
  const natural = stringWidth(text);
  if (natural <= width) return text + " ".repeat(width - natural);
  let shown = "";
  let taken = 0;
  for (const { segment } of graphemes.segment(text)) {
    const wide = stringWidth(segment);
    if (taken + wide > width - 1) break;
    shown += segment;
    taken += wide;
  }
  return `${shown}…${" ".repeat(width - 1 - taken)}`;
};

const gap = "  ";
/** A column that has to give way keeps so much. */
const narrowest = 8;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/**
 * The widths of the columns that are shown. The widest gives way first. The first column stays
 * whole, as commands take what stands there. Where even narrow columns do not fit, the last ones
 * are left out.
 */
const widthsIn = (natural: readonly number[], width: number): readonly number[] => {
  const [first = 0, ...others] = natural;
  const left = width - first - gap.length * others.length;
  if (sum(others) <= left) return natural;
  if (others.length === 0) return [Math.max(1, Math.min(first, width))];
  if (sum(others.map((one) => Math.min(one, narrowest))) > left) return widthsIn(natural.slice(0, -1), width);
  let widest = Math.max(...others);
  const cut = (most: number): number[] => others.map((one) => (one > narrowest ? Math.min(one, most) : one));
  while (sum(cut(widest)) > left) widest -= 1;
  return [first, ...cut(widest)];
};

const good = ["processed", "done", "active", "ok", "finished"];
const bad = ["dead", "failed", "quarantined", "refused", "denied"];
const passing = ["retrying", "blocked", "paused", "cancelled", "ignored"];

/** The text in this style, without the spaces behind it. */
const inStyle = (style: "dim" | "green" | "red" | "yellow", text: string): string => {
  const shown = text.trimEnd();
  return styleText(style, shown, { validateStream: false }) + text.slice(shown.length);
};

/** A state in its colour. The word says the same without it. */
const coloured = (text: string): string => {
  const state = text.trimEnd();
  if (good.includes(state)) return inStyle("green", text);
  if (bad.includes(state)) return inStyle("red", text);
  return passing.includes(state) ? inStyle("yellow", text) : text;
};

const isState = (heading: string): boolean => heading === "state" || heading === "result";

/**
 * Rows under headings. For a person the columns line up, no row wraps, times are relative and
 * states have colours. For other programs, without a look, they are separated by tabs, exact and
 * whole. Without a heading that says something, there is no line of headings. All that strangers
 * may have written is escaped.
 */
export const table = (headings: readonly string[], rows: readonly Row[], look: Look | undefined): string => {
  // What is far wider than the terminal is not measured to its end.
  const most = (look?.width ?? Number.POSITIVE_INFINITY) * 8;
  const lines = rows.map((row) => row.map((value) => cell(value, look?.now).slice(0, most)));
  const titles = headings.map((heading) => heading.toUpperCase());
  const all = titles.some((title) => title !== "") ? [titles, ...lines] : lines;
  if (look === undefined) return all.map((line) => `${line.join("\t")}\n`).join("");
  const natural = headings.map((_, column) =>
    all.reduce((most, row) => Math.max(most, stringWidth(row[column] ?? "")), 0),
  );
  const widths = widthsIn(natural, look.width);
  return all
    .map((line) => {
      const texts = widths.map((width, column) => {
        const text = fitted(line[column] ?? "", width);
        if (!look.hasColours) return text;
        if (line === titles) return inStyle("dim", text);
        return isState(headings[column] ?? "") ? coloured(text) : text;
      });
      return `${texts.join(gap).trimEnd()}\n`;
    })
    .join("");
};

/** Writes a text of `table` to stdout, with its colours. */
export const writeStyled = ({ stdout, styled }: Terminal, text: string): void =>
  styled === undefined ? void stdout.write(text) : styled(text);

/** Writes a table to stdout as it looks there. */
export const printTable = (terminal: Terminal, headings: readonly string[], rows: readonly Row[]): void =>
  writeStyled(terminal, table(headings, rows, lookOf(terminal)));

/** Writes facts about one thing to stdout, a line each. They are whole and exact. */
export const printFacts = (terminal: Terminal, facts: Readonly<Record<string, unknown>>): void =>
  writeStyled(terminal, table(["", ""], Object.entries(facts), terminal.stdout.isTTY === true ? plain : undefined));
