import { AppError } from "../errors/index.ts";
import type { FieldValue } from "../model/field-value.ts";
import { jsonFault } from "../model/json-value.ts";
import { inNfc } from "../model/normal-form.ts";
import type { Resource } from "../model/resource.ts";
import type { Condition } from "../ports/condition.ts";
import {
  type Cascade,
  type ListQuery,
  leftOutMember,
  type Place,
  type ReadOptions,
  type ResourceRepository,
  type Row,
  type Selection,
  type SortKey,
} from "../ports/resource-repository.ts";
import { utf8Encode } from "../runtime.ts";
import type { Journal } from "./journal.ts";
import { asStored, compareValues, type FindRow, satisfies } from "./memory-condition.ts";

/** Every resource that a caller has named, with its rows by id. */
export type Tables = Map<string, { readonly resource: Resource; readonly rows: Map<string, Row> }>;

const pick = (row: Row, fields: readonly string[] | undefined): Row =>
  fields === undefined ? row : Object.fromEntries(fields.map((name) => [name, row[name] ?? null]));

const bytesOf = (value: FieldValue): number =>
  typeof value === "string"
    ? utf8Encode(value).length
    : typeof value === "object" && value !== null
      ? utf8Encode(JSON.stringify(value)).length
      : 0;

/** The fields whose values count as bytes. */
const textFields = ({ fields }: Resource): readonly string[] =>
  Object.entries(fields).flatMap(([name, { kind }]) => (["text", "long-text", "json"].includes(kind) ? [name] : []));

/** The part of a row that was asked for. */
const read = (row: Row, { fields, longest = Number.POSITIVE_INFINITY }: ReadOptions): Row => {
  const picked = pick(row, fields);
  const long = Object.entries(picked)
    .map(([name, value]): [string, number] => [name, bytesOf(value)])
    .filter(([, bytes]) => bytes > longest);
  if (long.length === 0) return picked;
  const blanks = Object.fromEntries(long.map(([name]) => [name, null]));
  return { ...picked, ...blanks, [leftOutMember]: Object.fromEntries(long) };
};

/** Nulls come last in either direction. */
const compareBy =
  (order: readonly SortKey[], value: (row: Row, index: number) => FieldValue | undefined) =>
  (left: Row, right: Row): number => {
    for (const [index, { field, direction }] of order.entries()) {
      const a = left[field];
      const b = value(right, index);
      if (a === null || b === null) {
        if (a !== b) return a === null ? 1 : -1;
      } else {
        const compared = compareValues(a, b);
        if (compared !== 0) return direction === "asc" ? compared : -compared;
      }
    }
    return 0;
  };

const inOrder = (rows: readonly Row[], order: readonly SortKey[]): readonly Row[] =>
  rows.toSorted(compareBy(order, (row, index) => row[order[index]?.field ?? "id"]));

const page = (rows: readonly Row[], { order, after, before, limit }: ListQuery): readonly Row[] => {
  const whole = inOrder(rows, order);
  const toPlace = (place: Place) => {
    const compare = compareBy(order, (_row, index) => place[index]);
    return (row: Row): number => compare(row, row);
  };
  if (before !== undefined) {
    const side = toPlace(before);
    return whole.filter((row) => before.length === 0 || side(row) < 0).slice(-limit);
  }
  if (after === undefined) return whole.slice(0, limit);
  const side = toPlace(after);
  return whole.filter((row) => side(row) > 0).slice(0, limit);
};

const takenError = (name: string): AppError =>
  new AppError("conflict", {
    detail: `This ${name} is taken.`,
    faults: [{ pointer: `/${name}`, code: "taken", detail: "already in use" }],
  });

export const memoryResources = (tables: Tables, journal: Journal): ResourceRepository => {
  /**
   * A resource gets its table with the first call that names it. Before that, no row can have been
   * stored.
   */
  const tableOf = (resource: Resource): Map<string, Row> => {
    const known = tables.get(resource.name);
    if (known !== undefined) return known.rows;
    const rows = new Map<string, Row>();
    tables.set(resource.name, { resource, rows });
    return rows;
  };
  const find: FindRow = (name, id) => tables.get(name)?.rows.get(String(id));

  /** Whether rows of the resource satisfy the condition. */
  const meets = (resource: Resource, condition: Condition): ((row: Row) => boolean) => {
    const compared = asStored(condition, resource, (name) => tables.get(name)?.resource);
    return (row) => satisfies(row, compared, find);
  };

  const selected = (resource: Resource, { scope, where }: Selection): readonly Row[] =>
    [...tableOf(resource).values()].filter(
      meets(resource, { all: where === undefined ? [scope.where] : [scope.where, where] }),
    );

  const storedForm = (resource: Resource, row: Row): Row =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, inNfc(resource.fields[name], value)]));

  const requireUnique = (resource: Resource, row: Row): void => {
    for (const [name, field] of Object.entries(resource.fields)) {
      if (!field.unique || row[name] === null) continue;
      const taken = [...tableOf(resource).values()].some((other) => other[name] === row[name] && other.id !== row.id);
      if (taken) throw takenError(name);
    }
  };

  const requireReferences = (resource: Resource, row: Row): void => {
    for (const [name, { references }] of Object.entries(resource.fields)) {
      if (references === undefined || row[name] === null) continue;
      if (find(references.resource, row[name]) === undefined) {
        throw new AppError("not_found", { detail: `There is no such ${references.resource}.` });
      }
    }
  };

  const requireJson = (resource: Resource, changes: Partial<Row>): void => {
    for (const [name, value] of Object.entries(changes)) {
      const fault = resource.fields[name]?.kind === "json" ? jsonFault(value, name) : undefined;
      if (fault !== undefined) throw new TypeError(`resource "${resource.name}": ${fault}`);
    }
  };

  const remove = (resource: Resource, id: string, cascade?: Cascade): void => {
    journal.delete(tableOf(resource), id);
    for (const { resource: other } of [...tables.values()]) {
      for (const [name, { references }] of Object.entries(other.fields)) {
        if (references?.resource !== resource.name) continue;
        for (const row of [...tableOf(other).values()]) {
          if (row[name] !== id) continue;
          remove(other, String(row.id), cascade);
          if (cascade?.resources.has(other.name)) cascade.deleted(other, [row]);
        }
      }
    }
  };

  return {
    insert: async (resource, given) => {
      if (tableOf(resource).has(String(given.id))) throw takenError("id");
      requireJson(resource, given);
      const row = storedForm(resource, given);
      requireUnique(resource, row);
      requireReferences(resource, row);
      journal.set(tableOf(resource), String(row.id), { ...row, revision: 1 });
    },
    find: async (resource, id, scope, fields) => {
      const row = tableOf(resource).get(id);
      return row !== undefined && meets(resource, scope.where)(row) ? pick(row, fields) : undefined;
    },
    list: async (resource, query) => page(selected(resource, query), query).map((row) => read(row, query)),
    findEach: async (resource, ids, scope, options = {}) =>
      selected(resource, { scope, where: { field: "id", in: ids } }).map((row) => read(row, options)),
    listBelow: async (resource, { parents, order, limit, ...query }) => {
      const rows = inOrder(selected(resource, query), order);
      return parents.ids.flatMap((id) =>
        rows
          .filter((row) => row[parents.field] === id)
          .slice(0, limit)
          .map((row) => read(row, query)),
      );
    },
    usage: async (resource, selection, asked) => {
      const rows = selected(resource, selection);
      const texts = textFields(resource);
      const bytesIn = (row: Row): number => texts.reduce((sum, name) => sum + bytesOf(row[name] ?? null), 0);
      return { rows: rows.length, bytes: asked.bytes ? rows.reduce((sum, row) => sum + bytesIn(row), 0) : 0 };
    },
    count: async (resource, selection, atMost) => Math.min(selected(resource, selection).length, atMost),
    hold: async (resource, selection, limit) =>
      selected(resource, selection)
        .map(({ id }) => String(id))
        .toSorted()
        .slice(0, limit),
    update: async (resource, { id, scope }, changes, options) => {
      const row = tableOf(resource).get(id);
      if (row === undefined || !meets(resource, scope.where)(row)) return "missing";
      if (options?.expectedRevision !== undefined && options.expectedRevision !== row.revision) return "stale";
      requireJson(resource, changes);
      const next = { ...row, ...storedForm(resource, changes), revision: Number(row.revision) + 1 };
      requireUnique(resource, next);
      requireReferences(resource, next);
      journal.set(tableOf(resource), id, next);
      return "done";
    },
    delete: async (resource, id, scope, options) => {
      const row = tableOf(resource).get(id);
      if (row === undefined || !meets(resource, scope.where)(row)) return "missing";
      if (options?.expectedRevision !== undefined && options.expectedRevision !== row.revision) return "stale";
      remove(resource, id, options?.cascade);
      return "done";
    },
    deleteWhere: async (resource, scope, where) => {
      const gone = selected(resource, { scope, where });
      for (const row of gone) remove(resource, String(row.id));
      return gone.length;
    },
  };
};
