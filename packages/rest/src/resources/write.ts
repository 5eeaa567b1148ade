import type { Field, FieldValue, Resource, Row } from "@postern/core";
import { AppError } from "@postern/core";
import { allows, describeFaults, type Fault, inNfc, type Settled, uuidText } from "@postern/core/parts";
import { z } from "zod";
import { marks } from "../json-schema/json-schema.ts";
import { quotedNames } from "../versions/quoted-names.ts";

type Values = Readonly<Record<string, unknown>>;

const isWritable = (field: Field): boolean => field.write !== "nobody";
const isShown = (field: Field): boolean => field.read !== "nobody";

/** What the documentation says about a field in addition to its schema. */
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

/** Names of components that are made from a resource's name, and those of the engine itself. */
const derivedName = /_(create|create_own|replace|update|selection)$|_with_|^(page|counted_page|problem)$/;

/**
 * What the names of a resource's components begin with: its own name. If that could be the name of
 * another component, it gets a mark that no name of a resource has. So the components of a resource
 * `post_create` differ from those of `post`.
 */
export const componentStem = ({ name }: Pick<Resource, "name">): string =>
  derivedName.test(name) ? `${name}-row` : name;

/**
 * Marks a schema as belonging to a resource, for versions and documentation. It becomes a named
 * component of the document.
 */
const named = (resource: Resource, id: string, schema: z.ZodObject): z.ZodObject =>
  schema.meta({ id, [marks.resource]: resource.name });

/** The members that every caller gets with a whole row. */
export const alwaysShown = ({ fields }: Resource): readonly string[] =>
  Object.entries(fields).flatMap(([name, { read }]) => (read === "everyone" ? [name] : []));

/** The same for a schema of rows as they are answered. */
export const namedRow = (resource: Resource, id: string, schema: z.ZodObject): z.ZodObject =>
  schema.meta({ id, [marks.resource]: resource.name, [marks.always]: alwaysShown(resource) });

/**
 * What a caller may send to create a row. Members that only administrators may set are optional.
 */
export const createSchema = (resource: Resource): z.ZodObject =>
  named(resource, `${componentStem(resource)}_create`, z.strictObject(members(resource, isWritable, member)));

/**
 * The same for a row below its owner that is not created below a path of theirs: the body may name
 * the owner.
 */
export const createOwnSchema = (resource: Resource): z.ZodObject => {
  const owner = resource.fields[resource.owner];
  return named(
    resource,
    `${componentStem(resource)}_create_own`,
    z.strictObject({
      ...members(resource, isWritable, member),
      ...(owner === undefined ? {} : { [resource.owner]: owner.schema.meta(told(owner)).optional() }),
    }),
  );
};

/**
 * A member of a row that some callers cannot read. They leave it out without changing it, so it has
 * no default here.
 */
const unseenMember = (field: Field): z.ZodType => field.schema.meta(told(field)).optional();

const parentOf = ({ fields, parent }: Resource): Field | undefined =>
  parent === undefined ? undefined : fields[parent.field];

/**
 * What a caller may send to replace a row: the same members as for a new row, and read-only
 * members, which must have their present values (for a row that is read, edited and put back).
 * `completed` fills in what this caller may read and left out.
 */
export const replaceSchema = (resource: Resource): z.ZodObject =>
  named(
    resource,
    `${componentStem(resource)}_replace`,
    z.strictObject({
      ...members(resource, isWritable, (field) => (field.read === "everyone" ? member(field) : unseenMember(field))),
      ...members(
        resource,
        (field) => !isWritable(field) && isShown(field),
        (field) =>
          z
            .unknown()
            .optional()
            // A caller who creates a row by PUT names its parent here.
            .meta(field === parentOf(resource) ? told(field) : { readOnly: true, ...told(field) }),
      ),
    }),
  );

/**
 * What a caller may send to change a row: any of those members. Their values are checked after they
 * are merged into the row.
 */
export const patchSchema = (resource: Resource): z.ZodObject =>
  named(
    resource,
    `${componentStem(resource)}_update`,
    z.strictObject(
      members(
        resource,
        (field) => isShown(field) || isWritable(field),
        (field) => {
          const { $schema: _dialect, ...described } = z.toJSONSchema(field.schema, {
            io: "input",
            unrepresentable: "any",
          });
          return z
            .unknown()
            .optional()
            .meta({ ...described, ...told(field), ...(isWritable(field) ? {} : { readOnly: true }) });
        },
      ),
    ),
  );

/** A row as a caller who may read it sees it. With `fields`, only those are present. */
export const rowSchema = (resource: Resource): z.ZodObject => {
  const known = rowSchemas.get(resource);
  if (known !== undefined) return known;
  const made = namedRow(
    resource,
    componentStem(resource),
    z.object({
      ...members(resource, isShown, (field) => field.schema.meta(told(field)).optional()),
      id: uuidText.meta({ description: resource.fields.id?.description }).optional(),
    }),
  );
  rowSchemas.set(resource, made);
  return made;
};

/**
 * One schema for each resource: rows occur in many places of a document, and are described in one.
 */
const rowSchemas = new WeakMap<Resource, z.ZodObject>();

/** Members that exist but that no caller can write. */
export const readOnlyFields = (resource: Resource): readonly string[] =>
  Object.entries(resource.fields)
    .filter(([, field]) => !isWritable(field) && isShown(field))
    .map(([name]) => name);

const settledValue = (field: Field, given: FieldValue, stored: FieldValue | undefined, now: string): Settled =>
  field.settle === undefined ? { value: given } : field.settle(given, stored, now);

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/**
 * A body that replaces a row. A field that this caller may read and left out gets its default. A
 * field that they cannot read stays as it is unless they send it.
 * @throws AppError `validation_failed` for a member that they may read, and that has no default.
 */
export const completed = (resource: Resource, body: Values, writer: { readonly admin: boolean }): Values => {
  const whole: Record<string, unknown> = { ...body };
  const faults: Fault[] = [];
  for (const [name, { read, write, default: value }] of Object.entries(resource.fields)) {
    const isLeftOut = write === "everyone" && read !== "everyone" && body[name] === undefined;
    if (!isLeftOut || !allows(read, writer.admin)) continue;
    if (value === undefined) faults.push({ pointer: `/${name}`, code: "required", detail: "this is required" });
    else whole[name] = value;
  }
  if (faults.length === 0) return whole;
  throw new AppError("validation_failed", { detail: describeFaults(faults), faults });
};

/** One write of a row: who makes it, over which row, and when. */
interface Write {
  readonly writer: { readonly admin: boolean };
  /** The row before the write; `undefined` for a new row. */
  readonly stored: Row | undefined;
  /** The time of the write, as rows store times. */
  readonly now: string;
}

/**
 * The values a write stores, taken from a body that the schema has accepted.
 *
 * A member that only administrators may write keeps its value when it is left out. This holds for
 * administrators, too: a PUT that was written for ordinary members must not take a role away.
 * @throws AppError `field_read_only` for a member that this caller cannot write. A member that they
 *   may read can be sent with the value that it already has. With a member that they may not read,
 *   that would tell them whether they have guessed its value.
 */
export const writtenValues = (resource: Resource, body: Values, { writer, stored, now }: Write): Row => {
  const values: Record<string, FieldValue> = {};
  const faults: Fault[] = [];
  for (const name of resource.fieldNames) {
    const field = resource.fields[name];
    if (field === undefined) continue;
    const given = body[name];
    const open = field.write === "everyone" || (field.write === "admin" && writer.admin);
    if (given === undefined) {
      if (isWritable(field) && stored === undefined && field.default !== undefined) values[name] = field.default;
    } else {
      // The schema's output is what the field's own schema returned: a FieldValue.
      const settled = settledValue(field, given as FieldValue, stored?.[name], now);
      if (open && "value" in settled) values[name] = settled.value;
      else if (!("value" in settled)) {
        faults.push({
          pointer: `/${name}/${settled.fixed}`,
          code: "field_read_only",
          detail: "this is set by the server",
        });
      } else if (
        stored === undefined ||
        !allows(field.read, writer.admin) ||
        !same(settled.value, inNfc(field, stored[name]))
      ) {
        faults.push({ pointer: `/${name}`, code: "field_read_only", detail: "you cannot change this" });
      }
    }
  }
  if (faults.length === 0) return values;
  const names = quotedNames(faults.map((fault) => ("pointer" in fault ? fault.pointer.slice(1) : "")));
  throw new AppError("field_read_only", { detail: `You cannot set ${names}.`, faults });
};

/**
 * The fields that a state change sets: the stamp of a state that is entered for the first time.
 * @throws AppError `state_conflict` for a move that the lifecycle does not have.
 */
export const enteredState = ({ lifecycle, fields }: Resource, next: Row, stored: Row | undefined, now: string): Row => {
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
          : // Not every caller may know the state that the row is in.
            fields[lifecycle.field]?.read === "everyone"
            ? `From ${String(from)} it can become ${choices}, not ${to}.`
            : `It cannot become ${to} from the state that it is in.`,
      faults: [{ pointer: `/${lifecycle.field}`, code: "state_conflict", detail: `not ${to}` }],
    });
  }
  const stamp = lifecycle.stamps[to];
  return stamp === undefined || (stored?.[stamp] ?? null) !== null ? {} : { [stamp]: now };
};
