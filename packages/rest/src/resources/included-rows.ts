import type { Row } from "@postern/core";
import {
  type AnswerBounds,
  atMostTextBytes,
  exactTextBytes,
  isShortened,
  type TextBytes,
  tooLarge,
} from "../limits/answer-memory.ts";
import type { EngineCall } from "../operations/operation.ts";
import { presentPage } from "../operations/page.ts";
import { listKey, placeOf, sealPlace } from "./list-cursors.ts";
import {
  heldBytes,
  includedAtMost,
  type Related,
  type RowSet,
  readRelated,
  readWhole,
  scaleFor,
  withWhole,
} from "./related-rows.ts";
import { locationOf } from "./row-in-path.ts";
import { type Inclusion, present } from "./shape-parameters.ts";

type Shown = Record<string, unknown>;

/** The parts of rows that an answer shows. */
export interface Presentation extends Pick<RowSet, "resource" | "fields" | "read"> {
  readonly inclusions: readonly Inclusion[];
}

/** As many of the first rows as fit into one answer. */
export interface PresentedRows {
  readonly data: readonly Shown[];
  /**
   * How many of the rows these are. A row that was deleted since then counts, but is not in `data`.
   */
  readonly count: number;
}

/**
 * Prepares rows for an answer: the selected fields, and what was included. The list ends before the
 * row that would exceed the answer's bounds. Not much more is read than may be answered: long texts
 * of rows that do not fit stay in the database.
 * @throws AppError `answer_too_large` when the first row alone exceeds them.
 */
export const presentRows = async (
  call: EngineCall,
  rows: readonly Row[],
  { resource, fields, read, inclusions }: Presentation,
): Promise<PresentedRows> => {
  const data: Shown[] = [];
  let bounds = call.answerBounds;
  let count = 0;
  const step = Math.max(1, Math.floor(call.answerBounds.rows / rowsWith(inclusions)));
  while (count < rows.length) {
    const some = rows.slice(count, count + step);
    const related = inclusions.length === 0 ? [] : await readRelated(call, some, inclusions);
    const set = { resource, fields, read, related };
    const part = await presentSome(call, some, set, { bounds, isAll: step >= rows.length });
    data.push(...part.data);
    count += part.count;
    bounds = part.bounds;
    if (part.count < some.length) break;
  }
  const [first] = rows;
  if (count === 0 && first !== undefined) throw tooLarge(resource, first, inclusions, call.answerBounds);
  return { data, count };
};

/** How many rows one row can bring along, itself included. */
const rowsWith = (inclusions: readonly Inclusion[]): number =>
  inclusions.reduce(
    (sum, { relation, inclusions: deeper }) => sum + (relation.kind === "one" ? 1 : includedAtMost) * rowsWith(deeper),
    1,
  );

const presentSome = async (
  call: EngineCall,
  rows: readonly Row[],
  set: RowSet,
  { bounds, isAll }: { readonly bounds: AnswerBounds; readonly isAll: boolean },
): Promise<PresentedRows & { readonly bounds: AnswerBounds }> => {
  const roughly = fitting(rows, set, bounds, atMostTextBytes);
  const shortened = hasLeftOut(rows, set);
  if (roughly.count === rows.length && !shortened) {
    return { data: await showAll(call, set, rows), count: roughly.count, bounds: roughly.bounds };
  }
  const first = fitting(rows, set, bounds, exactTextBytes);
  const kept = rows.slice(0, first.count);
  if (!shortened) return { data: await showAll(call, set, kept), count: first.count, bounds: first.bounds };
  if (isAll) call.memory.keepForRows(heldBytes(rows, set));
  // If the rows arrive in several steps, take all the memory that the answer may still need at once.
  const bytes = bounds.bytes - first.bounds.bytes;
  await call.memory.forTexts(isAll ? bytes : bounds.bytes);
  const whole = await readWhole(call, set, kept);
  const now = kept.map((row) => (whole.has(row) ? whole.get(row) : row));
  const there = now.filter((row) => row !== undefined);
  const wholeSet = { ...set, related: set.related.map((each) => withWhole(each, whole)) };
  // Some texts are longer in JSON than in the database.
  const fits = fitting(there, wholeSet, bounds, exactTextBytes);
  const last = there[fits.count];
  return {
    data: await showAll(call, wholeSet, there.slice(0, fits.count)),
    count: last === undefined ? now.length : now.indexOf(last),
    bounds: fits.bounds,
  };
};

const fitting = (
  rows: readonly Row[],
  set: RowSet,
  bounds: AnswerBounds,
  textBytes: TextBytes,
): { readonly count: number; readonly bounds: AnswerBounds } => {
  const weigh = scaleFor(set, textBytes);
  let left = bounds.bytes;
  let leftRows = bounds.rows;
  let count = 0;
  for (const row of rows) {
    const weight = weigh(row);
    if (weight.bytes + 1 > left || weight.rows > leftRows) break;
    left -= weight.bytes + 1;
    leftRows -= weight.rows;
    count += 1;
  }
  return { count, bounds: { bytes: left, rows: leftRows } };
};

const hasLeftOut = (rows: readonly Row[], set: RowSet): boolean =>
  rows.some((row) => isShortened(row) || set.related.some((each) => hasLeftOut(each.rowsOf(row), each)));

const showAll = async (call: EngineCall, set: RowSet, rows: readonly Row[]): Promise<Shown[]> =>
  set.related.length === 0 ? rows.map((row) => present(row, set.fields)) : Promise.all(rows.map(presenter(call, set)));

/** Makes a row's answer only once, however often it is included. */
const presenter = (
  call: EngineCall,
  set: RowSet,
  fieldsOf: Related["fieldsOf"] = () => set.fields,
): ((row: Row) => Promise<Shown>) => {
  const known = new Map<Row, Promise<Shown>>();
  const below = set.related.map((related) => ({ related, show: presenter(call, related, related.fieldsOf) }));
  const make = async (row: Row): Promise<Shown> => {
    const shown: Shown = present(row, fieldsOf(row));
    for (const { related, show } of below) {
      const data = await Promise.all(related.rowsOf(row).map(show));
      const { name, kind } = related.inclusion.relation;
      shown[name] = kind === "one" ? (data[0] ?? null) : await pageBelow(call, set, row, related, data);
    }
    return shown;
  };
  return (row) => {
    const made = known.get(row) ?? make(row);
    known.set(row, made);
    return made;
  };
};

/** The first rows below a row, like the first page of their own list. */
const pageBelow = async (
  call: EngineCall,
  { resource }: RowSet,
  row: Row,
  related: Related,
  data: readonly Shown[],
): Promise<unknown> => {
  const id = String(row.id);
  const key = listKey(related.resource, id, related.order);
  const last = placeOf(related.rowsOf(row).at(-1), related.order);
  const next = related.hasMore(row) ? await sealPlace(call.cursors, key, "next", last) : null;
  const page = presentPage({ data, limit: includedAtMost, next, prev: null });
  return { ...page, link: `${locationOf(resource, call, id)}/${related.resource.plural}` };
};
