import type { Field, FieldValue, Lifecycle, Resource, Row, Settled } from "@postern/core";
import { AppError, type Fault } from "@postern/core";
import { uuidText } from "@postern/core/parts";
import { z } from "zod";
import { marks } from "../json-schema/json-schema.ts";

type Values = Readonly<Record<string, unknown>>;

const isWritable = (field: Field): boolean => field.write !== "nobody";
const isShown = (field: Field): boolean => field.read !== "nobody";

/** What the documentation says of a field beside its schema. */
const told = ({ description, example }: Field) => ({
  description,
  ...(example === undefined ? {} : { examples: [example] }),
});

const member = (field: Field): z.ZodType => {
  const described = field.schema.meta(told(field));
  if (field.write === "admin") return described.optional();
  return field.default === undefined ? described : described.default(field.default);
};

const members = (resource: Resource, include: (field: Field) => boolean, schemaOf: (field: Field) => z.ZodType) =>
  Object.fromEntries(
    Object.entries(resource.fields)
      .filter(([, field]) => include(field))
      .map(([name, field]) => [name, schemaOf(field)]),
  );

/** Marks a schema as being about a resource, for the versions seam and the documentation; a part of the document with a name of its own. */
export const named = (resource: Resource, id: string, schema: z.ZodObject): z.ZodObject =>
  schema.meta({ id, [marks.resource]: resource.name });

/** What a caller may send to create a row. Members that only administrators may set are optional. */
export const createSchema = (resource: Resource): z.ZodObject =>
  named(resource, `${resource.name}_create`, z.strictObject(members(resource, isWritable, member)));

/** What a caller may send to replace a row: the same, and read-only members, which must then be what they are (a row read, edited and put back). */
export const replaceSchema = (resource: Resource): z.ZodObject =>
  named(
    resource,
    `${resource.name}_replace`,
    z.strictObject({
      ...members(resource, isWritable, member),
      ...members(
        resource,
        (field) => !isWritable(field) && isShown(field),
        (field) =>
          z
            .unknown()
            .optional()
            .meta({ readOnly: true, ...told(field) }),
      ),
    }),
  );

/** What a caller may send to change a row: any of those members. Their values are looked at once they are merged into the row. */
export const patchSchema = (resource: Resource): z.ZodObject =>
  named(
    resource,
    `${resource.name}_update`,
    z.strictObject(
      members(resource, isShown, (field) => {
        const { $schema: _dialect, ...described } = z.toJSONSchema(field.schema, {
          io: "input",
          unrepresentable: "any",
        });
        return z
          .unknown()
          .optional()
          .meta({ ...described, ...told(field) });
      }),
    ),
  );

/** What a row looks like to whoever may read it. With `fields=` only `id` is certain. */
export const rowSchema = (resource: Resource): z.ZodObject => {
  const known = rowSchemas.get(resource);
  if (known !== undefined) return known;
  const made = named(
    resource,
    resource.name,
    z.object({
      ...members(resource, isShown, (field) => field.schema.meta(told(field)).optional()),
      id: uuidText.meta({ description: resource.fields.id?.description }),
    }),
  );
  rowSchemas.set(resource, made);
  return made;
};

/** One schema for each resource: rows stand in many places of a document, and are described in one. */
const rowSchemas = new WeakMap<Resource, z.ZodObject>();

/** Members that exist but that nobody can write. */
export const readOnlyFields = (resource: Resource): readonly string[] =>
  Object.entries(resource.fields)
    .filter(([, field]) => !isWritable(field) && isShown(field))
    .map(([name]) => name);

const settledValue = (field: Field, given: FieldValue, stored: FieldValue | undefined, now: string): Settled =>
  field.settle === undefined ? { value: given } : field.settle(given, stored, now);

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/**
 * The values a write stores, taken from a body that the schema has accepted.
 *
 * A member that only administrators may write keeps what it was when it is left out, by administrators too: a PUT that was written for
 * ordinary members must not take a role away.
 * @throws AppError `field_read_only` for a member that this caller cannot write, unless it is what it already was.
 */
export const writtenValues = (
  resource: Resource,
  body: Values,
  writer: { readonly admin: boolean },
  stored: Row | undefined,
  now: string,
): Row => {
  const values: Record<string, FieldValue> = {};
  const faults: Fault[] = [];
  for (const [name, field] of Object.entries(resource.fields)) {
    const given = body[name];
    const open = field.write === "everyone" || (field.write === "admin" && writer.admin);
    if (given === undefined) {
      if (isWritable(field) && stored === undefined && field.default !== undefined) values[name] = field.default;
    } else {
      // The schema's output is what the field's own schema returned, a FieldValue.
      const settled = settledValue(field, given as FieldValue, stored?.[name], now);
      if (open && "value" in settled) values[name] = settled.value;
      else if (!("value" in settled)) {
        faults.push({
          pointer: `/${name}/${settled.fixed}`,
          code: "field_read_only",
          detail: "this is set by the server",
        });
      } else if (stored === undefined || !same(settled.value, stored[name])) {
        faults.push({ pointer: `/${name}`, code: "field_read_only", detail: "you cannot change this" });
      }
    }
  }
  if (faults.length === 0) return values;
  const names = faults.map((fault) => ("pointer" in fault ? fault.pointer.slice(1) : "")).join(", ");
  throw new AppError("field_read_only", { detail: `You cannot set ${names}.`, faults });
};

/**
 * What a state change brings with it: the stamp of the state that is entered for the first time.
 * @throws AppError `state_conflict` for a move that the lifecycle does not have.
 */
export const enteredState = (
  lifecycle: Lifecycle | undefined,
  next: Row,
  stored: Row | undefined,
  now: string,
): Row => {
  if (lifecycle === undefined) return {};
  const to = String(next[lifecycle.field]);
  const from = stored?.[lifecycle.field];
  if (from === to) return {};
  const allowed = from === undefined ? lifecycle.initial : (lifecycle.moves[String(from)] ?? []);
  if (!allowed.includes(to)) {
    const choices = allowed.length === 0 ? "nothing" : allowed.join(" or ");
    throw new AppError("state_conflict", {
      detail:
        from === undefined
          ? `A new one can be ${choices}, not ${to}.`
          : `From ${String(from)} it can become ${choices}, not ${to}.`,
      faults: [{ pointer: `/${lifecycle.field}`, code: "state_conflict", detail: `not ${to}` }],
    });
  }
  const stamp = lifecycle.stamps[to];
  return stamp === undefined || (stored?.[stamp] ?? null) !== null ? {} : { [stamp]: now };
};
