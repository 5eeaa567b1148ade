import { didYouMean } from "../errors/did-you-mean.ts";
import {
  type OptionRules,
  oneOf,
  option,
  optionFaults,
  required,
  unknownOptions,
  wrongOptions,
} from "./declaration-faults.ts";
import type { Field } from "./field.ts";
import { listFault } from "./list-access.ts";
import type { Lifecycle, ResourceDefinition } from "./resource.ts";
import { type AccessRule, fieldsOf, isRule } from "./rules.ts";

const identifier = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
const pathSegment = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** The columns that the storage adapter keeps in addition to the declared fields. */
const reserved = new Set(["id", "revision", "created_at", "updated_at"]);

/**
 * Names become paths, columns and parts of index names; MySQL takes 64 characters for the longest
 * of these.
 */
const longestName = 30;
/** The paths below a version that something other than a resource uses. */
const takenPaths = new Set(["admin", "changelog", "deprecations", "docs", "health", "oauth", "problems", "webhooks"]);

const audience = oneOf("everyone", "admin", "nobody");

const fieldOptions: OptionRules = {
  kind: required(option.aText),
  schema: required({
    is: (value) => option.anObject.is(value) && "safeParse" in Object(value),
    says: "a schema, as `text(…)`, `integer(…)` and the other kinds of fields make one",
  }),
  description: required(option.aText),
  read: required(audience),
  write: required(audience),
  writtenByDefault: option.trueOrFalse,
  filter: required(audience),
  sort: required(audience),
  nullable: required(option.trueOrFalse),
  unique: required(option.trueOrFalse),
  default: option.anything,
  example: option.anything,
  maxLength: { is: (value) => Number.isInteger(value) && Number(value) > 0, says: "a whole number above 0" },
  precision: option.anObject,
  choices: option.aList,
  renamedFrom: option.aText,
  recentSignIn: option.trueOrFalse,
  settle: option.aFunction,
  references: option.anObject,
};

const referenceOptions: OptionRules = {
  resource: required(option.aText),
  onDelete: required(oneOf("cascade")),
  as: option.aText,
};

const aRule = { is: isRule, says: 'a rule, such as ownedBy("user_id"), with `through` at most three deep' };

const accessOptions: OptionRules = {
  read: required(aRule),
  update: required(aRule),
  create: aRule,
  delete: required(aRule),
};

const resourceOptions: OptionRules = {
  name: required(option.aText),
  plural: required(option.aText),
  description: required(option.aText),
  fields: required(option.anObject),
  owner: required(option.aText),
  access: required({
    ...option.anObject,
    says: '{ read, update, delete }: who may do what, such as ownedBy("user_id")',
  }),
  parent: option.anObject,
  lifecycle: option.anObject,
  keepsOne: option.anObject,
  lists: option.aList,
  public: option.aList,
};

const partOptions: Readonly<Record<"parent" | "lifecycle" | "keepsOne", OptionRules>> = {
  parent: {
    resource: required(option.aText),
    field: required(option.aText),
    createRequires: required(oneOf("read", "update")),
    listAll: option.trueOrFalse,
  },
  lifecycle: {
    field: required(option.aText),
    initial: required(option.aList),
    moves: required(option.anObject),
    stamps: required(option.anObject),
  },
  keepsOne: { field: required(option.aText), value: required(option.aText), detail: required(option.aText) },
};

/** The end of a sentence: the names that the declaration probably meant. */
const meant = (name: string, fields: Fields): string =>
  didYouMean([name], Object.keys(fields)) || `; there are ${Object.keys(fields).join(", ")}`;

type Fields = Readonly<Record<string, Field>>;

/**
 * Everything that is wrong with a resource's declaration by itself. `fields` are the declared ones
 * and those that every resource has.
 */
export const resourceFaults = (definition: ResourceDefinition, fields: Fields): readonly string[] => {
  const place = definition?.name === undefined ? "defineResource" : `resource "${String(definition.name)}"`;
  const unknown = unknownOptions(place, definition, resourceOptions);
  const wrong = wrongOptions(place, definition, resourceOptions);
  if (wrong.length > 0) return [...unknown, ...wrong];
  const parts = (["parent", "lifecycle", "keepsOne"] as const).flatMap((name) =>
    definition[name] === undefined ? [] : optionFaults(`${place}, ${name}`, definition[name], partOptions[name]),
  );
  return [
    ...unknown,
    ...nameFaults(definition).map((fault) => `${place}: ${fault}`),
    ...Object.entries(definition.fields).flatMap(([name, field]) =>
      fieldFaults(name, field, definition.fields).map((fault) => `${place}${fault}`),
    ),
    ...parts,
    ...ownerFaults(definition, fields).map((fault) => `${place}: ${fault}`),
    ...(parts.length > 0 ? [] : partFaults(definition, fields).map((fault) => `${place}: ${fault}`)),
    ...accessFaults(place, definition, fields),
  ];
};

const formFaults = (what: string, given: string, form: RegExp, called: string): readonly string[] => [
  ...(form.test(given) ? [] : [`${what} must be ${called}`]),
  ...(given.length > longestName ? [`${what} is longer than ${longestName} characters`] : []),
];

const nameFaults = ({ name, plural }: ResourceDefinition): readonly string[] => [
  ...formFaults("the name", name, identifier, "snake_case"),
  ...formFaults(`the plural "${plural}"`, plural, pathSegment, "kebab-case"),
  ...(takenPaths.has(plural) || /^v\d+$/.test(plural) ? [`the path /${plural} is taken`] : []),
];

/** Each fault continues the text that names the resource: with `, field …` or `: …`. */
const fieldFaults = (name: string, field: Field, fields: Fields): readonly string[] => {
  const unknown = unknownOptions(`, field "${name}"`, field, fieldOptions);
  const wrong = wrongOptions(`, field "${name}"`, field, fieldOptions);
  const names = [
    ...formFaults(`the field "${name}"`, name, identifier, "snake_case").map((fault) => `: ${fault}`),
    ...(reserved.has(name) ? [`: every resource has a field "${name}" already`] : []),
    ...relationFaults(field),
    ...unknown,
  ];
  const referred =
    field?.references === undefined ? [] : wrongOptions(`, field "${name}"`, field.references, referenceOptions);
  if (wrong.length + referred.length > 0) return [...names, ...wrong, ...referred];
  // A parser could mistake a member that every object inherits for one that the body contains.
  const inherited = [name, field.references?.as ?? ""].filter((member) => member in Object.prototype);
  const value = valueFault(field) ?? listFault(field) ?? renameFault(field, fields);
  return [
    ...names,
    ...inherited.map((member) => `: every object has a "${member}" already`),
    ...(value === undefined ? [] : [`: the field "${name}" ${value}`]),
  ];
};

/** The name of a relation is part of `include`, and a member of rows. */
const relationFaults = (field: Field): readonly string[] => {
  const name = field?.references?.as;
  if (typeof name !== "string") return [];
  return formFaults(`the relation "${name}"`, name, identifier, "snake_case").map((fault) => `: ${fault}`);
};

const valueFault = ({ kind, unique, maxLength = 0, default: value, schema }: Field): string | undefined => {
  if (unique && (["long-text", "json", "boolean", "decimal"].includes(kind) || maxLength > 255)) {
    return "cannot be unique: that takes an index, which long texts, JSON, decimals and truth values do not get";
  }
  if (unique && value !== undefined && value !== null) {
    return "is unique and has a default: the second row that leaves it out could not be stored; leave out one of the two";
  }
  if (value !== undefined && !schema.safeParse(value).success) return "has a default that it would not take itself";
  return undefined;
};

const renameFault = ({ renamedFrom }: Field, fields: Fields): string | undefined => {
  if (renamedFrom === undefined) return undefined;
  if (!identifier.test(renamedFrom) || reserved.has(renamedFrom)) return `cannot have been called "${renamedFrom}"`;
  if (Object.hasOwn(fields, renamedFrom)) return `was called "${renamedFrom}", which is another field now`;
  const heirs = Object.values(fields).filter((field) => field.renamedFrom === renamedFrom);
  return heirs.length > 1 ? `is not the only one that was called "${renamedFrom}"` : undefined;
};

const ownerFaults = ({ owner }: ResourceDefinition, fields: Fields): readonly string[] => {
  if (!Object.hasOwn(fields, owner)) return [`the owner field "${owner}" is not declared${meant(owner, fields)}`];
  return owner === "id" || fields[owner]?.references?.resource === "user"
    ? []
    : [`the owner field "${owner}" must be a reference to "user"`];
};

/** For parts of a declaration that are optional. */
const partFaults = (
  { parent, lists = [], lifecycle, keepsOne, public: shown = [] }: ResourceDefinition,
  fields: Fields,
): readonly string[] => {
  const faults: string[] = [];
  if (parent !== undefined && fields[parent.field]?.references?.resource !== parent.resource) {
    faults.push(`the parent field "${parent.field}" must be a reference to "${parent.resource}"`);
  }
  for (const order of lists) {
    const wrong = orderFault(order, fields);
    if (wrong !== undefined) faults.push(`the list [${order.map((key) => `"${key}"`).join(", ")}] ${wrong}`);
  }
  for (const name of shown) {
    const fault = publicFault(name, fields);
    if (fault !== undefined) faults.push(`public names "${name}", ${fault}`);
  }
  const fault = lifecycle === undefined ? undefined : lifecycleFault(lifecycle, fields);
  if (fault !== undefined) faults.push(`its lifecycle ${fault}`);
  if (keepsOne !== undefined && !Object.hasOwn(fields, keepsOne.field)) {
    faults.push(`keepsOne names the field "${keepsOne.field}", which is not declared${meant(keepsOne.field, fields)}`);
  }
  return faults;
};

const longestPublic = 255;

const publicFault = (name: string, fields: Fields): string | undefined => {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field === undefined) return `which is not declared${meant(name, fields)}`;
  if (field.read !== "everyone") return "which not every caller may read";
  return ["long-text", "json"].includes(field.kind) || (field.maxLength ?? 0) > longestPublic
    ? `which is too long: ${longestPublic} characters at the most`
    : undefined;
};

const mostOrderKeys = 3;

const orderFault = (order: readonly string[], fields: Fields): string | undefined => {
  const names = order.map((key) => key.replace(/^-/, ""));
  if (names.length < 1 || names.length > mostOrderKeys)
    return `has ${names.length} fields: one to ${mostOrderKeys} are possible`;
  if (new Set(names).size < names.length) return "names a field twice";
  const unsorted = names.find((name) => !Object.hasOwn(fields, name) || fields[name]?.sort === "nobody");
  return unsorted === undefined ? undefined : `names "${unsorted}", by which no caller can sort`;
};

const lifecycleFault = ({ field, initial, moves, stamps }: Lifecycle, fields: Fields): string | undefined => {
  const states = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (states?.kind !== "choice") return `names the field "${field}", which is no choice of states`;
  const named = [...initial, ...Object.keys(moves), ...Object.values(moves).flat(), ...Object.keys(stamps)];
  const unknown = named.find((state) => !states.schema.safeParse(state).success);
  if (unknown !== undefined) return `names the state "${unknown}", which "${field}" does not have`;
  if (initial.length === 0) return "has no state to begin in";
  if (typeof states.default === "string" && !initial.includes(states.default)) {
    return `does not begin in "${states.default}", the default of "${field}"`;
  }
  if (states.nullable) return `is kept in "${field}", which can be null: no row can begin in no state`;
  if (states.write !== "everyone" && typeof states.default !== "string") {
    return `cannot begin: not everyone can write "${field}", and it has no default; give it one of ${initial.join(", ")}`;
  }
  const stamp = Object.values<string | undefined>(stamps).find((stamped = "") => {
    const target = Object.hasOwn(fields, stamped) ? fields[stamped] : undefined;
    return target?.kind !== "timestamp" || !target.nullable;
  });
  return stamp === undefined ? undefined : `stamps "${stamp}", which is no timestamp that can be empty`;
};

const accessFaults = (place: string, { access }: ResourceDefinition, fields: Fields): readonly string[] => {
  const shape = optionFaults(`${place}, access`, access, accessOptions);
  if (shape.length > 0) return shape;
  return Object.entries<AccessRule>({ ...access }).flatMap(([right, rule]) =>
    [...new Set(fieldsOf(rule))]
      .filter((name) => !Object.hasOwn(fields, name))
      .map((name) => `${place}, access.${right}: there is no field "${name}"${meant(name, fields)}`),
  );
};
