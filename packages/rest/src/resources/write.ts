import type { Field, Resource } from "@postern/core";
import { AppError, type Fault } from "@postern/core";
import { allows, describeFaults, uuidText } from "@postern/core/internal";
import { z } from "zod";
import { marks } from "../json-schema/json-schema.ts";

type Values = Readonly<Record<string, unknown>>;

const isWritable = (field: Field): boolean => field.write !== "nobody";
const isShown = (field: Field): boolean => field.read !== "nobody";
const isReadOnly = (field: Field): boolean => !isWritable(field) && isShown(field);

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
 * A body that writes a resource. The mark tells versions and documentation so, and the id makes it a
 * named component of the document.
 */
const bodySchema = (resource: Resource, verb: string, shape: z.ZodRawShape): z.ZodObject =>
  z.strictObject(shape).meta({ id: `${componentStem(resource)}_${verb}`, [marks.resource]: resource.name });

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
  bodySchema(resource, "create", members(resource, isWritable, member));

/**
 * The same for a row below its owner that is not created below a path of theirs: the body may name
 * the owner.
 */
export const createOwnSchema = (resource: Resource): z.ZodObject => {
  const owner = resource.fields[resource.owner];
  return bodySchema(resource, "create_own", {
    ...members(resource, isWritable, member),
    ...(owner === undefined ? {} : { [resource.owner]: optional(owner) }),
  });
};

const optional = (field: Field): z.ZodType => field.schema.meta(told(field)).optional();

const parentOf = ({ fields, parent }: Resource): Field | undefined =>
  parent === undefined ? undefined : fields[parent.field];

/**
 * What a caller may send to replace a row: the same members as for a new row, and read-only
 * members, which must have their present values (for a row that is read, edited and put back). Some
 * callers cannot read a member: they leave it out without changing it, so it has no default here.
 * `completed` fills in what this caller may read and left out.
 */
export const replaceSchema = (resource: Resource): z.ZodObject =>
  bodySchema(resource, "replace", {
    ...members(resource, isWritable, (field) => (field.read === "everyone" ? member(field) : optional(field))),
    ...members(resource, isReadOnly, (field) =>
      z
        .unknown()
        .optional()
        // A caller who creates a row by PUT names its parent here.
        .meta(field === parentOf(resource) ? told(field) : { readOnly: true, ...told(field) }),
    ),
  });

/**
 * What a caller may send to change a row: any of those members. Their values are checked after they
 * are merged into the row.
 */
export const patchSchema = (resource: Resource): z.ZodObject => {
  const anyValue = (field: Field): z.ZodType => {
    const { $schema: _dialect, ...described } = z.toJSONSchema(field.schema, { io: "input", unrepresentable: "any" });
    const meta = { ...described, ...told(field), ...(isWritable(field) ? {} : { readOnly: true }) };
    return z.unknown().optional().meta(meta);
  };
  return bodySchema(
    resource,
    "update",
    members(resource, (field) => isShown(field) || isWritable(field), anyValue),
  );
};

/** A row as a caller who may read it sees it. With `fields`, only those are present. */
export const rowSchema = (resource: Resource): z.ZodObject => {
  const known = rowSchemas.get(resource);
  if (known !== undefined) return known;
  const made = namedRow(
    resource,
    componentStem(resource),
    z.object({
      ...members(resource, isShown, optional),
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
    .filter(([, field]) => isReadOnly(field))
    .map(([name]) => name);

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
