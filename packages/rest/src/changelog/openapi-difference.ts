import type { JsonSchema } from "@postern/core";
import { isObject } from "@postern/core/internal";
import { propertiesOf, referenced, sameJson } from "../json-schema/json-schema.ts";
import { finish, type Steps } from "../limits/steps.ts";
import { listIn, objectIn, operationsIn, type Part, type PlacedOperation } from "../openapi/document-parts.ts";
import { writtenOut } from "../openapi/shared-parts.ts";
import { schemasOf, withoutNames } from "../openapi/shared-schemas.ts";

type Direction = "request" | "response";

interface DifferenceTarget {
  readonly type: "endpoint" | "parameter" | "field" | "response";
  /** The operation's id. Absent for fields of named schemas, which many operations share. */
  readonly operation?: string;
  /**
   * `query`, `header` or `path` for parameters; for fields, whether the field is sent or answered.
   */
  readonly location?: string;
  /**
   * The parameter or, beginning with the schema's name, the field: `post_create.title`,
   * `user.subscription.status`.
   */
  readonly name?: string;
  /** The resource whose row or body has the field. */
  readonly resource?: string;
  /** The field's name in the resource. */
  readonly field?: string;
}

/** One difference between two documents. */
export interface Difference {
  readonly kind: "added" | "removed" | "changed";
  readonly target: DifferenceTarget;
  /** Whether it breaks clients of the older document. */
  readonly breaking: boolean;
  /** What changed, if not the whole thing: `required`, `type`, `enum`, `maxLength`, … */
  readonly what?: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

const changed = (
  target: DifferenceTarget,
  what: string,
  from: unknown,
  to: unknown,
  breaking: boolean,
): readonly Difference[] => [{ kind: "changed", target, what, from, to, breaking }];

/** The names in two objects, each once. */
const namesIn = (older: object, newer: object): readonly string[] => Object.keys({ ...older, ...newer });

/** Keywords that limit values, and whether a larger number allows more or less. */
const limits: Readonly<Record<string, "more" | "less">> = {
  maxLength: "more",
  maxItems: "more",
  maximum: "more",
  minLength: "less",
  minItems: "less",
  minimum: "less",
};

/**
 * Whether a list contains each of some names at most once. Its greatest length then follows from
 * the names.
 */
const holdsNames = ({ items }: JsonSchema): boolean => isObject(items) && Array.isArray(items.enum);

const limitDifferences = (older: JsonSchema, newer: JsonSchema, site: DifferenceTarget): readonly Difference[] =>
  Object.entries(limits).flatMap(([what, larger]) => {
    const [from, to] = [older[what], newer[what]];
    if (from === to || (what === "maxItems" && holdsNames(older) && holdsNames(newer))) return [];
    const none = larger === "more" ? Infinity : -Infinity;
    const grew = Number(to ?? none) > Number(from ?? none);
    const takesMore = grew === (larger === "more");
    return changed(site, what, from, to, site.location === "request" && !takesMore);
  });

const enumDifferences = (older: JsonSchema, newer: JsonSchema, site: DifferenceTarget): readonly Difference[] => {
  const [from, to] = [older.enum, newer.enum];
  if (!Array.isArray(from) || !Array.isArray(to) || sameJson(from, to)) return [];
  // A new value in answers is announced and does not break clients: they ignore values that they do
  // not know.
  const breaking = site.location === "request" && from.some((value) => !to.includes(value));
  return changed(site, "enum", from, to, breaking);
};

const memberDifferences = (older: JsonSchema, newer: JsonSchema, site: DifferenceTarget): readonly Difference[] => {
  const [before, after] = [propertiesOf(older), propertiesOf(newer)];
  const requiredIn = (schema: JsonSchema, name: string): boolean =>
    Array.isArray(schema.required) && schema.required.includes(name);
  const resource = newer["x-resource"] ?? older["x-resource"];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name): readonly Difference[] => {
    const target: DifferenceTarget = {
      ...site,
      name: `${site.name}.${name}`,
      ...(typeof resource === "string"
        ? { resource, field: name }
        : site.field === undefined
          ? {}
          : { field: `${site.field}.${name}` }),
    };
    const [from, to] = [before.get(name), after.get(name)];
    const request = site.location === "request";
    if (from === undefined) return [{ kind: "added", target, to, breaking: request && requiredIn(newer, name) }];
    if (to === undefined) return [{ kind: "removed", target, from, breaking: true }];
    const [was, is] = [requiredIn(older, name), requiredIn(newer, name)];
    const required = was === is ? [] : changed(target, "required", was, is, request ? is : was);
    return [...required, ...schemaDifferences(from, to, target)];
  });
};

/**
 * If a value may have one of several forms (for example, if it may be null), compares form by form.
 */
const alternativeDifferences = (older: JsonSchema, newer: JsonSchema, site: DifferenceTarget): readonly Difference[] =>
  (["anyOf", "oneOf"] as const).flatMap((what): readonly Difference[] => {
    const [from, to] = [listIn(older[what]), listIn(newer[what])];
    if (from.length === to.length) {
      return from.flatMap((schema, index) => schemaDifferences(schema, to[index] ?? {}, site));
    }
    const takesMore = to.length > from.length && from.length > 0;
    const breaking = site.location === "request" ? !takesMore : takesMore || to.length === 0;
    return changed(site, what, older[what], newer[what], breaking);
  });

/** Whether a schema limits neither the type of a value nor the value: bytes of a body have none. */
const allowsAnyType = (schema: JsonSchema): boolean =>
  ["$ref", "type", "anyOf", "oneOf", "allOf", "not", "enum", "const"].every((key) => !(key in schema));

const schemaDifferences = (older: JsonSchema, newer: JsonSchema, site: DifferenceTarget): readonly Difference[] => {
  const [from, to] = [referenced(older) ?? older.type, referenced(newer) ?? newer.type];
  if (!sameJson(from, to)) {
    const breaking = !allowsAnyType(site.location === "request" ? newer : older);
    return changed(site, "type", from ?? "any", to ?? "any", breaking);
  }
  const items =
    isObject(older.items) && isObject(newer.items)
      ? schemaDifferences(older.items, newer.items, { ...site, name: `${site.name}[]` })
      : [];
  const pattern =
    older.pattern === newer.pattern || site.location === "response"
      ? []
      : changed(site, "pattern", older.pattern, newer.pattern, newer.pattern !== undefined);
  return [
    ...alternativeDifferences(older, newer, site),
    ...limitDifferences(older, newer, site),
    ...enumDifferences(older, newer, site),
    ...pattern,
    ...memberDifferences(older, newer, site),
    ...items,
  ];
};

const parameterDifferences = (operation: string, older: Part, newer: Part): readonly Difference[] => {
  const byName = (value: Part) => new Map(listIn(value.parameters).map((one) => [`${one.in} ${one.name}`, one]));
  const [before, after] = [byName(older), byName(newer)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key): readonly Difference[] => {
    const [from, to] = [before.get(key), after.get(key)];
    const { in: location, name } = to ?? from ?? {};
    const target: DifferenceTarget = { type: "parameter", operation, location: String(location), name: String(name) };
    if (from === undefined) return [{ kind: "added", target, breaking: to?.required === true }];
    if (to === undefined) return [{ kind: "removed", target, breaking: true }];
    const [was, is] = [from.required === true, to.required === true];
    const required = was === is ? [] : changed(target, "required", was, is, is);
    const site: DifferenceTarget = { type: "field", location: "request", operation, name: String(name) };
    const inside = schemaDifferences(objectIn(from, "schema"), objectIn(to, "schema"), site);
    return [...required, ...inside.map((difference) => ({ ...difference, target }))];
  });
};

const contentDifferences = (operation: string, direction: Direction, older: Part, newer: Part): readonly Difference[] =>
  namesIn(older, newer).flatMap((type): readonly Difference[] => {
    const target: DifferenceTarget = { type: "response", operation, location: direction, name: type };
    if (!(type in newer)) return [{ kind: "removed", target, breaking: true }];
    if (!(type in older)) return [{ kind: "added", target, breaking: false }];
    const [from, to] = [objectIn(older, type, "schema"), objectIn(newer, type, "schema")];
    return schemaDifferences(from, to, { type: "field", location: direction, operation, name: operation }).map(
      (difference) =>
        difference.what === "type" && difference.target.name === operation
          ? { ...difference, target: { ...target, name: "body" } }
          : difference,
    );
  });

/**
 * Whether every caller that an older alternative allowed is still allowed by a newer one: it has
 * the same schemes and requires no further scope. The first scope of an alternative excludes
 * nobody, because credentials with limited scopes were introduced together with it.
 */
const letsIn = (older: Part, newer: Part): boolean => {
  const schemes = Object.keys(newer);
  if (!sameJson(schemes.toSorted(), Object.keys(older).toSorted())) return false;
  return schemes.every((name) => {
    const [had, needs] = [older[name], newer[name]];
    return !Array.isArray(had) || had.length === 0 || (Array.isArray(needs) && needs.every((one) => had.includes(one)));
  });
};

/**
 * Compares who may call. Each way to authenticate is one alternative. If there are none, everybody
 * may call.
 */
const securityDifferences = (operation: string, older: unknown, newer: unknown): readonly Difference[] => {
  if (sameJson(older, newer)) return [];
  const ways = (value: unknown): readonly Part[] => (listIn(value).length === 0 ? [{}] : listIn(value));
  const [from, to] = [ways(older), ways(newer)];
  const isOpen = to.some((way) => Object.keys(way).length === 0);
  const breaking = !isOpen && from.some((way) => !to.some((one) => letsIn(way, one)));
  return changed({ type: "endpoint", operation }, "security", older, newer, breaking);
};

const bodyDifferences = (operation: string, older: Part, newer: Part): readonly Difference[] => {
  const [from, to] = [older, newer].map(({ requestBody }) => objectIn(requestBody).required === true);
  if (from === to) return [];
  const target: DifferenceTarget = { type: "response", operation, location: "request", name: "body" };
  return changed(target, "required", from, to, to === true);
};

const headerDifferences = (operation: string, older: Part, newer: Part): readonly Difference[] =>
  namesIn(older, newer).flatMap((name): readonly Difference[] => {
    const target: DifferenceTarget = { type: "response", operation, location: "header", name };
    if (!(name in newer)) return [{ kind: "removed", target, from: older[name], breaking: true }];
    return name in older ? [] : [{ kind: "added", target, to: newer[name], breaking: false }];
  });

const responseDifferences = (operation: string, older: Part, newer: Part): readonly Difference[] => {
  const [before, after] = [objectIn(older, "responses"), objectIn(newer, "responses")];
  return namesIn(before, after).flatMap((status): readonly Difference[] => {
    // Only a success or a redirection.
    if (!/^[23]/.test(status)) return [];
    const target: DifferenceTarget = { type: "response", operation, location: "response", name: status };
    if (!(status in after)) return [{ kind: "removed", target, breaking: true }];
    if (!(status in before)) return [{ kind: "added", target, breaking: false }];
    const [from, to] = [objectIn(before, status), objectIn(after, status)];
    return [
      ...headerDifferences(operation, objectIn(from, "headers"), objectIn(to, "headers")),
      ...contentDifferences(operation, "response", objectIn(from, "content"), objectIn(to, "content")),
    ];
  });
};

const directionsOf = (document: Part): ReadonlyMap<string, Direction> => {
  const schemas = schemasOf(document);
  const found = new Map<string, Direction>();
  const follow = (value: unknown, direction: Direction): void => {
    if (Array.isArray(value)) for (const one of value) follow(one, direction);
    if (!isObject(value)) return;
    const name = referenced(value);
    if (name !== undefined && found.get(name) !== "request" && found.get(name) !== direction) {
      found.set(name, direction);
      follow(schemas[name], direction);
    }
    for (const member of Object.values(value)) follow(member, direction);
  };
  for (const { operation } of operationsIn(document)) {
    follow(operation.responses, "response");
    follow(operation.requestBody, "request");
  }
  return found;
};

/**
 * All differences between two documents, the older one first, that matter to clients. Texts,
 * examples and what the documents share through components do not.
 */
export const openApiDifferences = (before: Part, after: Part): readonly Difference[] =>
  finish(differenceSteps(writtenOut(before), writtenOut(after)));

const byId = (document: Part): ReadonlyMap<string, PlacedOperation> =>
  new Map(operationsIn(document).map((one) => [one.id, one]));

/**
 * The same for documents that are written out already, one operation or schema per step, so that a
 * server answers requests in between.
 */
export function* differenceSteps(before: Part, after: Part): Steps<readonly Difference[]> {
  // If only one document gives a schema a name, that is not a difference.
  const [inOlder, inNewer] = [withoutNames(before, after), withoutNames(after, before)];
  const differences: Difference[] = [];
  const [olderOperations, newerOperations] = [byId(before), byId(after)];
  for (const id of new Set([...olderOperations.keys(), ...newerOperations.keys()])) {
    yield;
    const [from, to] = [olderOperations.get(id), newerOperations.get(id)];
    const older = from && { ...from, operation: { security: before.security, ...inOlder(from.operation) } };
    const newer = to && { ...to, operation: { security: after.security, ...inNewer(to.operation) } };
    differences.push(...operationDifferences(id, older, newer));
  }
  yield;
  const [olderSchemas, newerSchemas] = [schemasOf(before), schemasOf(after)];
  const directions = directionsOf(after);
  for (const [name, newer] of Object.entries(newerSchemas)) {
    const older = olderSchemas[name];
    if (older === undefined) continue;
    yield;
    const site: DifferenceTarget = { type: "field", location: directions.get(name) ?? "response", name };
    differences.push(...schemaDifferences(inOlder(older), inNewer(newer), site));
  }
  return differences;
}

const placeOf = ({ method, path }: PlacedOperation): string => `${method} ${path}`;

const operationDifferences = (
  id: string,
  from: PlacedOperation | undefined,
  to: PlacedOperation | undefined,
): readonly Difference[] => {
  const target: DifferenceTarget = { type: "endpoint", operation: id };
  if (from === undefined) return [{ kind: "added", target, to: to && placeOf(to), breaking: false }];
  if (to === undefined) return [{ kind: "removed", target, from: placeOf(from), breaking: true }];
  const moved = placeOf(from) === placeOf(to) ? [] : changed(target, "path", placeOf(from), placeOf(to), true);
  const bodies = [from, to].map(({ operation }) => objectIn(operation, "requestBody", "content"));
  return [
    ...moved,
    ...parameterDifferences(id, from.operation, to.operation),
    ...securityDifferences(id, from.operation.security, to.operation.security),
    ...bodyDifferences(id, from.operation, to.operation),
    ...contentDifferences(id, "request", bodies[0] ?? {}, bodies[1] ?? {}),
    ...responseDifferences(id, from.operation, to.operation),
  ];
};
