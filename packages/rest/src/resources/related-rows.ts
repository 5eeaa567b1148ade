import { allRows, type FieldValue, type Resource, type Row } from "@postern/core";
import { leftOutMember, type SortKey } from "@postern/core/ports";
import { principalOf, scopeFor } from "../access/principal.ts";
import { isShortened, longestOf, rowBytes, type TextBytes, type Weight } from "../limits/answer-memory.ts";
import type { EngineCall } from "../operations/operation.ts";
import type { Inclusion } from "./shape-parameters.ts";
import { sortOrder } from "./sort-parameter.ts";

/** How many rows of a to-many relation come with each row. */
export const includedAtMost = 20;

/**
 * Rows that were read together, without their longest texts, and the rows that are included in
 * them.
 */
export interface RowSet {
  readonly resource: Resource;
  /** The fields to answer with. */
  readonly fields: readonly string[];
  /** The fields that are read. */
  readonly read: readonly string[];
  readonly related: readonly Related[];
}

/** The rows of one inclusion. */
export interface Related extends RowSet {
  readonly inclusion: Inclusion;
  /** The order of the rows below a row. */
  readonly order: readonly SortKey[];
  /** The related rows of a row: the one it refers to, or the first of the many below it. */
  rowsOf(row: Row): readonly Row[];
  /** Whether there are more rows below it. */
  hasMore(row: Row): boolean;
  /**
   * The fields of one of these rows that the answer shows. They are fewer than `fields` if the
   * caller may not read the row itself.
   */
  fieldsOf(row: Row): readonly string[];
}

/**
 * The fields to read: those in `fields`, and those that identify and order rows and find their
 * related rows.
 */
export const fieldsToRead = (
  fields: readonly string[],
  inclusions: readonly Inclusion[],
  order: readonly { readonly field: string }[] = [],
): readonly string[] => {
  const needed = [
    "id",
    ...order.map(({ field }) => field),
    ...inclusions.flatMap(({ relation }) => (relation.kind === "one" ? [relation.field] : [])),
  ].filter((name) => !fields.includes(name));
  return needed.length === 0 ? fields : [...new Set([...fields, ...needed])];
};

/** How many bytes the first reads of some rows and of their included rows may return. */
export const readAheadOf = (rows: number, inclusions: readonly Inclusion[]): number =>
  inclusions.reduce(
    (sum, { relation, inclusions: deeper }) =>
      sum + readAheadOf(relation.kind === "one" ? rows : rows * (includedAtMost + 1), deeper),
    rows * longestOf(rows),
  );

/** Reads the rows to include in some rows, with one query for each relation. */
export const readRelated = async (
  call: EngineCall,
  rows: readonly Row[],
  inclusions: readonly Inclusion[],
): Promise<readonly Related[]> => {
  const related: Related[] = [];
  for (const inclusion of inclusions) {
    related.push(await (inclusion.relation.kind === "one" ? readOne : readMany)(call, rows, inclusion));
  }
  return related;
};

/**
 * The rows that each row refers to: the requested fields if the caller may read the row, otherwise
 * its public fields.
 */
const readOne = async (call: EngineCall, rows: readonly Row[], inclusion: Inclusion): Promise<Related> => {
  const { relation, fields, inclusions } = inclusion;
  const { resource } = relation;
  const ids = [...new Set(rows.map((row) => row[relation.field]))].filter((id) => typeof id === "string");
  const read = fieldsToRead(fields, inclusions);
  const scope = scopeFor(principalOf(call), resource.access.read);
  const found =
    ids.length === 0
      ? []
      : await call.rows.findEach(resource, ids, scope, { fields: read, longest: longestOf(ids.length) });
  const readable = new Set(found.map(({ id }) => id));
  const others = await readPublic(
    call,
    resource,
    ids.filter((id) => !readable.has(id)),
  );
  const all = [...found, ...others];
  const byId = new Map(all.map((row) => [row.id, [row]]));
  const shown = fields.filter((name) => publicFields(resource).includes(name));
  return {
    inclusion,
    resource,
    fields,
    read,
    order: [],
    related: await readRelated(call, all, inclusions),
    rowsOf: (row) => byId.get(row[relation.field] ?? null) ?? [],
    hasMore: () => false,
    fieldsOf: ({ id }) => (readable.has(id ?? null) ? fields : shown),
  };
};

const publicFields = ({ public: shown = [] }: Resource): readonly string[] => ["id", ...shown];

/**
 * The fields that everyone may see of rows that a readable row refers to. There are none if the
 * resource has no public fields.
 */
const readPublic = async (call: EngineCall, resource: Resource, ids: readonly string[]): Promise<readonly Row[]> =>
  ids.length === 0 || resource.public === undefined
    ? []
    : call.rows.findEach(resource, ids, allRows("public fields"), { fields: publicFields(resource) });

const readMany = async (call: EngineCall, rows: readonly Row[], inclusion: Inclusion): Promise<Related> => {
  const { relation, fields, inclusions } = inclusion;
  const { resource } = relation;
  const order = sortOrder(resource, call.principal, undefined);
  const read = fieldsToRead(fields, inclusions, [...order, { field: relation.field }]);
  const limit = includedAtMost + 1;
  const found =
    rows.length === 0
      ? []
      : await call.rows.listBelow(resource, {
          scope: scopeFor(principalOf(call), resource.access.read),
          parents: { field: relation.field, ids: [...new Set(rows.map(({ id }) => String(id)))] },
          order,
          limit,
          fields: read,
          longest: longestOf(rows.length * limit),
        });
  const byParent = new Map<FieldValue | undefined, Row[]>();
  for (const row of found) {
    const below = byParent.get(row[relation.field]);
    if (below === undefined) byParent.set(row[relation.field], [row]);
    else below.push(row);
  }
  const kept = new Map([...byParent].map(([id, below]) => [id, below.slice(0, includedAtMost)]));
  return {
    inclusion,
    resource,
    fields,
    read,
    order,
    related: await readRelated(call, [...kept.values()].flat(), inclusions),
    rowsOf: ({ id }) => kept.get(id) ?? [],
    hasMore: ({ id }) => (byParent.get(id)?.length ?? 0) > includedAtMost,
    fieldsOf: () => fields,
  };
};

/** A page of included rows has members of its own in addition to the rows. */
const pageBytes = 1024;

/**
 * Measures how much the rows of a set add to an answer. Each row is measured once, however often it
 * is included.
 */
export const scaleFor = (set: RowSet, textBytes: TextBytes): ((row: Row) => Weight) => {
  // Nothing is included, so no row is measured twice.
  if (set.related.length === 0) return (row) => ({ bytes: rowBytes(row, set.fields, textBytes), rows: 1 });
  const known = new Map<Row, Weight>();
  const below = set.related.map((each) => ({ each, weigh: scaleFor(each, textBytes) }));
  return (row) => {
    const weighed = known.get(row);
    if (weighed !== undefined) return weighed;
    let bytes = rowBytes(row, set.fields, textBytes);
    let rows = 1;
    for (const { each, weigh } of below) {
      bytes += each.inclusion.relation.name.length + (each.inclusion.relation.kind === "many" ? pageBytes : 8);
      for (const one of each.rowsOf(row)) {
        const weight = weigh(one);
        bytes += weight.bytes + 1;
        rows += weight.rows;
      }
    }
    const weight = { bytes, rows };
    known.set(row, weight);
    return weight;
  };
};

/** A text takes two bytes for each of its units in memory, at most. */
const inMemory: TextBytes = (text) => text.length * 2;
/** The bytes that a row takes in addition to its values. */
const emptyRowBytes = 200;

/**
 * About how many bytes some rows take in memory, with their included rows. Texts that were left out
 * take none. A row that is included several times counts once.
 */
export const heldBytes = (rows: readonly Row[], set: RowSet): number => {
  let bytes = 0;
  for (const row of new Set(rows)) {
    bytes += emptyRowBytes + rowBytes({ ...row, [leftOutMember]: {} }, set.read, inMemory);
  }
  for (const each of set.related) bytes += heldBytes([...new Set(rows.flatMap((row) => each.rowsOf(row)))], each);
  return bytes;
};

/** The rows that were read again completely. They replace the rows without their texts. */
export type WholeRows = ReadonlyMap<Row, Row | undefined>;

/**
 * Reads rows again completely, if something was left out of them. A row that has changed is
 * answered as it is now. A row that is gone, or that the caller may no longer read, is `undefined`.
 */
export const readWhole = async (call: EngineCall, set: RowSet, rows: readonly Row[]): Promise<WholeRows> => {
  const whole = new Map<Row, Row | undefined>();
  const partial = [...new Set(rows)].filter(isShortened);
  if (partial.length > 0) {
    const ids = [...new Set(partial.map(({ id }) => String(id)))];
    const scope = scopeFor(principalOf(call), set.resource.access.read);
    const found = await call.rows.findEach(set.resource, ids, scope, { fields: [...new Set([...set.read, "id"])] });
    const byId = new Map(found.map((row) => [row.id, row]));
    for (const row of partial) whole.set(row, byId.get(row.id ?? null));
  }
  for (const each of set.related) {
    const below = rows.flatMap((row) => each.rowsOf(row));
    for (const [row, now] of await readWhole(call, each, below)) whole.set(row, now);
  }
  return whole;
};

/** The same rows, with the complete ones in place of the others. Their relations stay the same. */
export const withWhole = (set: Related, whole: WholeRows): Related => {
  const before = new Map([...whole].flatMap(([row, now]) => (now === undefined ? [] : [[now, row]])));
  const now = (row: Row): readonly Row[] => {
    if (!whole.has(row)) return [row];
    const read = whole.get(row);
    return read === undefined ? [] : [read];
  };
  return {
    ...set,
    related: set.related.map((each) => withWhole(each, whole)),
    rowsOf: (row) => set.rowsOf(before.get(row) ?? row).flatMap(now),
    hasMore: (row) => set.hasMore(before.get(row) ?? row),
  };
};
