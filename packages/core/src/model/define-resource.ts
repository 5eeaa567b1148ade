import { equals } from "../ports/condition.ts";
import { type Field, id, timestamp } from "./field.ts";
import { listFault } from "./list-access.ts";
import type { AccessRule, Lifecycle, Resource, ResourceDefinition } from "./resource.ts";

const identifier = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
const pathSegment = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** Kept by the storage adapter beside the declared fields. */
const reserved = new Set(["id", "revision", "created_at", "updated_at"]);
const listable = { filter: "everyone", sort: "everyone" } as const;

/** Names become paths, columns and parts of index names; MySQL takes 64 characters for the longest of these. */
const longestName = 30;
/** What stands at these paths below a version is not a resource. */
const takenPaths = new Set(["admin", "changelog", "deprecations", "docs", "health", "oauth", "problems", "webhooks"]);

/**
 * Declares a resource.
 * @throws TypeError, when the declaration is read, for one that cannot work: it names the resource and says what is wrong.
 */
export const defineResource = (definition: ResourceDefinition): Resource => {
  const { name, plural, owner, parent } = definition;
  const reject = (what: string): never => {
    throw new TypeError(`resource "${name}": ${what}`);
  };
  const checkName = (what: string, given: string, form: RegExp, called: string): void => {
    if (!form.test(given)) reject(`${what} must be ${called}`);
    if (given.length > longestName) reject(`${what} is longer than ${longestName} characters`);
  };
  checkName("the name", name, identifier, "snake_case");
  checkName(`the plural "${plural}"`, plural, pathSegment, "kebab-case");
  if (takenPaths.has(plural) || /^v\d+$/.test(plural)) reject(`the path /${plural} is taken`);
  for (const [fieldName, field] of Object.entries(definition.fields)) {
    checkName(`the field "${fieldName}"`, fieldName, identifier, "snake_case");
    if (reserved.has(fieldName)) reject(`every resource has a field "${fieldName}" already`);
    // Parsers would take what a body inherits for what it says.
    for (const member of [fieldName, field.references?.as ?? ""]) {
      if (member in Object.prototype) reject(`every object has a "${member}" already`);
    }
    const fault = fieldFault(field) ?? listFault(field) ?? renameFault(field, definition.fields);
    if (fault !== undefined) reject(`the field "${fieldName}" ${fault}`);
  }
  const fields: Record<string, Field> = {
    id: id(),
    ...definition.fields,
    created_at: timestamp({ ...listable, description: "When it was created." }),
    updated_at: timestamp({ ...listable, description: "When it was last changed." }),
  };
  if (!Object.hasOwn(fields, owner)) reject(`the owner field "${owner}" is not declared`);
  if (owner !== "id" && fields[owner]?.references?.resource !== "user") {
    reject(`the owner field "${owner}" must be a reference to "user"`);
  }
  if (parent !== undefined && fields[parent.field]?.references?.resource !== parent.resource) {
    reject(`the parent field "${parent.field}" must be a reference to "${parent.resource}"`);
  }
  for (const order of definition.lists ?? []) {
    const wrong = orderFault(order, fields);
    if (wrong !== undefined) reject(`the list [${order.map((key) => `"${key}"`).join(", ")}] ${wrong}`);
  }
  const fault = definition.lifecycle === undefined ? undefined : lifecycleFault(definition.lifecycle, fields);
  if (fault !== undefined) reject(`its lifecycle ${fault}`);
  return {
    ...definition,
    fields,
    fieldNames: Object.keys(fields),
    table: plural.replaceAll("-", "_"),
  };
};

/** What is wrong with a field by itself, if anything is. */
const fieldFault = ({ kind, unique, maxLength = 0, default: value, schema }: Field): string | undefined => {
  if (unique && (["long-text", "json", "boolean", "decimal"].includes(kind) || maxLength > 255)) {
    return "cannot be unique: that takes an index, which long texts, JSON, decimals and truth values do not get";
  }
  if (value !== undefined && !schema.safeParse(value).success) return "has a default that it would not take itself";
  return undefined;
};

const renameFault = ({ renamedFrom }: Field, fields: Readonly<Record<string, Field>>): string | undefined => {
  if (renamedFrom === undefined) return undefined;
  if (!identifier.test(renamedFrom) || reserved.has(renamedFrom)) return `cannot have been called "${renamedFrom}"`;
  if (Object.hasOwn(fields, renamedFrom)) return `was called "${renamedFrom}", which is another field now`;
  const heirs = Object.values(fields).filter((field) => field.renamedFrom === renamedFrom);
  return heirs.length > 1 ? `is not the only one that was called "${renamedFrom}"` : undefined;
};

const mostOrderKeys = 3;

const orderFault = (order: readonly string[], fields: Readonly<Record<string, Field>>): string | undefined => {
  const names = order.map((key) => key.replace(/^-/, ""));
  if (names.length < 1 || names.length > mostOrderKeys)
    return `has ${names.length} fields: one to ${mostOrderKeys} are possible`;
  if (new Set(names).size < names.length) return "names a field twice";
  const unsorted = names.find((name) => !Object.hasOwn(fields, name) || fields[name]?.sort === "nobody");
  return unsorted === undefined ? undefined : `names "${unsorted}", by which no caller can sort`;
};

const lifecycleFault = (
  { field, initial, moves, stamps }: Lifecycle,
  fields: Readonly<Record<string, Field>>,
): string | undefined => {
  const states = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (states?.kind !== "choice") return `names the field "${field}", which is no choice of states`;
  const named = [...initial, ...Object.keys(moves), ...Object.values(moves).flat(), ...Object.keys(stamps)];
  const unknown = named.find((state) => !states.schema.safeParse(state).success);
  if (unknown !== undefined) return `names the state "${unknown}", which "${field}" does not have`;
  if (initial.length === 0) return "has no state to begin in";
  if (typeof states.default === "string" && !initial.includes(states.default)) {
    return `does not begin in "${states.default}", the default of "${field}"`;
  }
  const stamp = Object.values(stamps).find((stamped) => {
    const target = Object.hasOwn(fields, stamped) ? fields[stamped] : undefined;
    return target?.kind !== "timestamp" || !target.nullable;
  });
  return stamp === undefined ? undefined : `stamps "${stamp}", which is no timestamp that can be empty`;
};

/** The caller's own rows: those whose `field` holds the caller's id. */
export const ownedBy =
  (field: string): AccessRule =>
  ({ userId }) =>
    equals(field, userId);

/** Rows that satisfy any of the rules. */
export const anyOf =
  (...rules: readonly AccessRule[]): AccessRule =>
  (caller) => ({ any: rules.map((rule) => rule(caller)) });

/** Rows whose `field` has this value, whoever asks. */
export const where =
  (field: string, value: string): AccessRule =>
  () =>
    equals(field, value);

/** Rows whose reference `via` leads to a row of `resource` that satisfies the rule. */
export const through =
  (via: string, resource: string, rule: AccessRule): AccessRule =>
  (caller) => ({ via, resource, where: rule(caller) });
