import { z } from "zod";
import { AppError } from "../errors/app-error.ts";
import { didYouMean } from "../errors/did-you-mean.ts";
import { parseBody } from "../errors/schema-faults.ts";
import type { Field } from "../model/field.ts";
import type { Resource, ResourceShape } from "../model/resource.ts";
import { uuidText } from "../model/text.ts";
import { type Comparable, type Condition, equals, everything } from "../ports/condition.ts";
import type { Ids } from "../ports/ids.ts";
import {
  type AccessScope,
  allRows,
  type ResourceReads,
  type ResourceRepository,
  type Row,
  type SortKey,
  scopeOf,
} from "../ports/resource-repository.ts";
import type { OpenWrites } from "../writes/open-writes.ts";
import { requireAnother } from "./keep-one.ts";
import type { ListRows, ReadRow, RowOfShape, RowReads, RowStore } from "./row-types.ts";
import { changedRow, newRow } from "./written-values.ts";

/** What the stores of all resources share in one transaction. */
export interface RowParts {
  readonly resources: ResourceRepository;
  /** The hooks of its writes. */
  readonly writes: OpenWrites;
  readonly ids: Ids;
  /** The present time, as rows store times. */
  readonly now: () => string;
}

const theApplication = allRows("the application itself");
const writer = { admin: true, isApplication: true } as const;
export const serverSet: readonly string[] = ["id", "created_at", "updated_at", "revision"];
const ownIds = z.object({ id: uuidText });
const mostRows = 1_000;

/** How values of a resource are checked before they are written. */
interface RowSchemas {
  readonly created: z.ZodType<Readonly<Record<string, unknown>>>;
  readonly changed: z.ZodType<Readonly<Record<string, unknown>>>;
}

const known = new WeakMap<Resource, RowSchemas>();

const schemasOf = (resource: Resource): RowSchemas => {
  const made = known.get(resource);
  if (made !== undefined) return made;
  const fields = Object.entries(resource.fields).filter(([name]) => !serverSet.includes(name));
  const of = (schema: (field: Field) => z.ZodType): z.ZodType<Readonly<Record<string, unknown>>> =>
    z.strictObject(Object.fromEntries(fields.map(([name, field]) => [name, schema(field)])));
  const schemas = {
    created: of((field) => (field.default === undefined ? field.schema : field.schema.default(field.default))),
    changed: of((field) => field.schema.optional()),
  };
  known.set(resource, schemas);
  return schemas;
};

/** Checks some values of a row. */
export const changeSchema = (resource: Resource): RowSchemas["changed"] => schemasOf(resource).changed;

/** A value that is `undefined` is not given. */
export const givenValues = (values: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** @throws TypeError for a field that the resource does not have. */
const fieldOf = ({ name: resource, fields }: Resource, name: string): Pick<Field, "schema"> => {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field !== undefined) return field;
  if (name === "revision") return { schema: z.int() };
  const names = Object.keys(fields);
  throw new TypeError(
    `a ${resource} has no field "${name}"${didYouMean([name], names) || `; it has ${names.join(", ")}`}`,
  );
};

/**
 * A condition of rows with these values, in the form in which their fields store them.
 * @throws TypeError for a field that is not there; AppError `validation_failed` for a value that the
 *   field cannot have.
 */
const conditionOf = (resource: Resource, values: object): Condition => ({
  all: Object.entries(values).map(([name, wanted]): Condition => {
    const { schema } = fieldOf(resource, name);
    // To take it for absent would find any row.
    if (wanted === undefined) throw new TypeError(`the value of "${name}" is undefined, and no row has that`);
    const one = (value: unknown): Condition => {
      const parsed: Readonly<Record<string, unknown>> = parseBody(z.object({ [name]: schema }), { [name]: value }, []);
      return equals(name, parsed[name] as Comparable);
    };
    return Array.isArray(wanted) ? { any: wanted.map(one) } : one(wanted);
  }),
});

/** A total order: a list that does not end with the id gets it as its last key. */
const orderOf = (resource: Resource, order: readonly string[]): readonly SortKey[] => {
  const keys = order.map((key): SortKey => {
    const field = key.replace(/^-/, "");
    fieldOf(resource, field);
    return { field, direction: key.startsWith("-") ? "desc" : "asc" };
  });
  return keys.some(({ field }) => field === "id") ? keys : [...keys, { field: "id", direction: "asc" }];
};

const notThere = ({ name }: Resource, what: string): AppError =>
  new AppError("not_found", { detail: `There is no ${name} with this ${what}.` });

// A row has the values of its fields. What they are, only the caller's compiler knows.
const typed = (row: Row): RowOfShape<ResourceShape> => row as RowOfShape<ResourceShape>;

const listed = (
  resources: ResourceReads,
  resource: Resource,
  scope: AccessScope,
  where: Condition,
  options: ListRows<ResourceShape>,
): Promise<readonly Row[]> => {
  const { order = ["id"], after, limit = mostRows } = options;
  const keys = orderOf(resource, order);
  const place = after === undefined ? {} : { after: keys.map(({ field }) => after[field] as string | number | null) };
  return resources.list(resource, { scope, where, order: keys, limit, ...place });
};

/** The rows of one resource in a transaction that only reads; `scope` says which of them there are. */
export const createRowReads = (
  resources: ResourceReads,
  resource: Resource,
  scope: AccessScope = theApplication,
): RowReads => ({
  get: async (id) => {
    const row = await resources.find(resource, id, scope);
    if (row === undefined) throw notThere(resource, "id");
    return typed(row);
  },
  find: async (values) => {
    const where = conditionOf(resource, values);
    const what = Object.keys(values).join(" and ");
    if (what === "") throw new TypeError("find needs at least one value; list returns all rows");
    const [row, another] = await listed(resources, resource, scope, where, { limit: 2 });
    if (row === undefined) throw notThere(resource, what);
    if (another !== undefined) {
      throw new TypeError(`several ${resource.plural} have this ${what}; find is for one, and list for all of them`);
    }
    return typed(row);
  },
  list: async (values = {}, options = {}) => {
    const where = { all: [conditionOf(resource, values), options.where ?? everything] };
    return (await listed(resources, resource, scope, where, options)).map(typed);
  },
  scopedTo: (where) => createRowReads(resources, resource, scopeOf({ all: [scope.where, where] })),
});

/** The rows of one resource in one transaction; `scope` says which of them there are. */
export const createRowStore = (parts: RowParts, resource: Resource, scope: AccessScope = theApplication): RowStore => {
  const { resources, writes, ids, now } = parts;
  const reads = createRowReads(resources, resource, scope);

  /** The row as it is, which nobody else changes from now on. */
  const held = async (id: string): Promise<Row> => {
    await resources.hold(resource, { scope, where: equals("id", id) }, 1);
    const row = await resources.find(resource, id, scope);
    if (row === undefined) throw notThere(resource, "id");
    return row;
  };

  const update = async (id: string, changes: object): Promise<Row> => {
    const values = parseBody(changeSchema(resource), givenValues(changes), serverSet);
    const stored = await held(id);
    const change = changedRow(resource, values, { writer, stored, now: now() });
    if (change.changed.length === 0) return stored;
    const { row, more } = await writes.ask(resource, { stored, row: change.row });
    await requireAnother(resource, resources, stored, row);
    const known = { expectedRevision: Number(stored.revision), stored, isAsked: true } as const;
    const result = await resources.update(resource, { id, scope }, { ...change.changes, ...more }, known);
    if (result === "done") return row;
    throw new AppError("unavailable", { detail: `This ${resource.name} is being changed by others at the moment.` });
  };

  return {
    get: async (id, { hold = false }: ReadRow = {}) => (hold ? typed(await held(id)) : reads.get(id)),
    find: async (values, { hold = false }: ReadRow = {}) => {
      const row = await reads.find(values);
      if (!hold) return row;
      // It may have changed before it was locked.
      await resources.hold(resource, { scope, where: equals("id", row.id) }, 1);
      return reads.scopedTo(equals("id", row.id)).find(values);
    },
    list: reads.list,
    create: async (values, { id: ownId } = {}) => {
      const checked = parseBody(schemasOf(resource).created, givenValues(values), serverSet);
      const id = ownId === undefined ? ids.uuid() : parseBody(ownIds, { id: ownId }, []).id;
      const made = newRow(resource, { id, given: checked, writer, now: now() });
      const { row } = await writes.ask(resource, { row: made.row });
      await resources.insert(resource, row, { isAsked: true });
      if (scope !== theApplication && (await resources.find(resource, id, scope, ["id"])) === undefined) {
        throw new AppError("forbidden", { detail: `This ${resource.name} would be outside of the scope.` });
      }
      return typed({ ...row, revision: 1 });
    },
    update: async (id, changes) => typed(await update(id, changes)),
    move: async (id, state, changes = {}) => {
      const { lifecycle, name } = resource;
      if (lifecycle === undefined) throw new TypeError(`a ${name} has no lifecycle; change it with update`);
      return typed(await update(id, { ...changes, [lifecycle.field]: state }));
    },
    remove: async (id) => {
      const stored = await held(id);
      await writes.ask(resource, { stored });
      await requireAnother(resource, resources, stored, undefined);
      const result = await resources.delete(resource, id, scope, { stored, isAsked: true });
      if (result !== "done") throw notThere(resource, "id");
    },
    scopedTo: (where) => createRowStore(parts, resource, scopeOf({ all: [scope.where, where] })),
  };
};
