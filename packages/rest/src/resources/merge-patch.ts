import type { JsonSchema } from "@postern/core";
import { exceedsJson, isObject, maxJsonBytes } from "@postern/core/internal";
import { branchesOf, type Described, isNullable, propertiesOf, resolved } from "../json-schema/json-schema.ts";

type Members = Readonly<Record<string, unknown>>;

const objectOf = (schema: JsonSchema, components: Described["components"]): JsonSchema =>
  [schema, ...branchesOf(schema)]
    .map((form) => resolved({ schema: form, components }))
    .find(({ properties }) => isObject(properties)) ?? {};

/** Whether an object of the caller's own members has more of them than any field can hold. */
const isTooLarge = (described: JsonSchema, given: Members): boolean =>
  propertiesOf(described).size === 0 && exceedsJson(given, maxJsonBytes);

/**
 * Merges a patch into a row (RFC 7396): members of `patch` replace, objects merge, and null removes
 * a member. If `body` says that a member can be null, null makes it null, as PUT does. Null is also
 * kept for a member that `row` lacks: the caller means that member although they cannot see it. An
 * object that no field can hold replaces the old value: it is refused whatever it is merged with,
 * and merging would only cost time.
 */
export const patchRow = (body: Described | undefined, row: Members, patch: Members): Members => {
  const components = body?.components ?? {};
  const merge = (schema: JsonSchema, target: Members, given: Members): Members => {
    const properties = propertiesOf(schema);
    const merged = new Map(Object.entries(target));
    for (const [name, value] of Object.entries(given)) {
      const before = merged.get(name);
      const member = properties.get(name) ?? {};
      const described = objectOf(member, components);
      if (isObject(value) && !isTooLarge(described, value)) {
        merged.set(name, merge(described, isObject(before) ? before : {}, value));
      } else if (value === null && !isNullable(member)) merged.delete(name);
      else merged.set(name, value);
    }
    // Not by assignment, which would treat a member named "__proto__" as the prototype.
    return Object.fromEntries(merged);
  };
  const known = body === undefined ? {} : resolved(body);
  const isUnseen = (name: string): boolean => !Object.hasOwn(row, name) && propertiesOf(known).has(name);
  // The row itself contains every member that the caller can see. The objects in it may not.
  const unseen = Object.keys(patch).filter((name) => patch[name] === null && isUnseen(name));
  return { ...merge(known, row, patch), ...Object.fromEntries(unseen.map((name) => [name, null])) };
};
