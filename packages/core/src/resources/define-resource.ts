import { equals } from "../ports/condition.ts";
import { type Field, id, timestamp } from "./field.ts";
import type { AccessRule, Resource, ResourceDefinition } from "./resource.ts";

const identifier = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
const pathSegment = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** Kept by the storage adapter beside the declared fields. */
const reserved = new Set(["id", "revision", "created_at", "updated_at"]);

/**
 * Declares a resource.
 * @throws TypeError, when the declaration is read, for a name that is no snake_case identifier, a reserved field name, an owner or parent field
 *   that is not declared, or a required field that nobody can write and that no reference fills.
 */
export const defineResource = (definition: ResourceDefinition): Resource => {
  const { name, plural, owner, parent } = definition;
  const reject = (what: string): never => {
    throw new TypeError(`resource "${name}": ${what}`);
  };
  if (!identifier.test(name)) reject("the name must be snake_case");
  if (!pathSegment.test(plural)) reject(`the plural "${plural}" must be kebab-case`);
  for (const fieldName of Object.keys(definition.fields)) {
    if (!identifier.test(fieldName)) reject(`the field "${fieldName}" must be snake_case`);
    if (reserved.has(fieldName)) reject(`every resource has a field "${fieldName}" already`);
  }
  const fields: Record<string, Field> = {
    id: id(),
    ...definition.fields,
    created_at: timestamp({ description: "When it was created." }),
    updated_at: timestamp({ description: "When it was last changed." }),
  };
  if (!(owner in fields)) reject(`the owner field "${owner}" is not declared`);
  if (parent !== undefined && fields[parent.field]?.references?.resource !== parent.resource) {
    reject(`the parent field "${parent.field}" must be a reference to "${parent.resource}"`);
  }
  return {
    ...definition,
    fields,
    fieldNames: Object.keys(fields),
    table: plural.replaceAll("-", "_"),
  };
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
