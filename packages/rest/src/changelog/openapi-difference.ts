import type { JsonSchema } from "@postern/core";
import { isObject } from "@postern/core/parts";
import { propertiesOf, referenced } from "../json-schema/json-schema.ts";

type Direction = "request" | "response";

/** Where a difference lies. */
interface DifferenceTarget {
  readonly type: "endpoint" | "parameter" | "field" | "response";
  /** The operation's id; absent for fields of named schemas, which many operations share. */
  readonly operation?: string;
  /** `query`, `header` or `path` for parameters; whether a field is taken or answered. */
  readonly location?: string;
  /** The parameter or, from the schema's own name on, the field: `post_create.title`, `user.subscription.status`. */
  readonly name?: string;
  /** The resource whose row or body the field stands in. */
  readonly resource?: string;
  /** Its name in the resource. */
  readonly field?: string;
}

/** One thing in which two documents differ. */
export interface Difference {
  readonly kind: "added" | "removed" | "changed";
  readonly target: DifferenceTarget;
  /** Whether who relies on the older document notices. */
  readonly breaking: boolean;
  /** What changed, where it is not the thing as a whole: `required`, `type`, `enum`, `maxLength`, … */
  readonly what?: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

type Value = Readonly<Record<string, unknown>>;

const objectIn = (value: unknown, ...path: readonly string[]): Value =>
  path.reduce<Value>((at, name) => (isObject(at[name]) ? at[name] : {}), isObject(value) ? value : {});

const listIn = (value: unknown): readonly Value[] => (Array.isArray(value) ? value.filter(isObject) : []);

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

interface PlacedOperation {
  readonly place: string;
  readonly operation: Value;
}

const operationsOf = (document: Value): ReadonlyMap<string, PlacedOperation> => {
  const found = new Map<string, PlacedOperation>();
  for (const [path, methods] of Object.entries(objectIn(document, "paths"))) {
    for (const [method, operation] of Object.entries(objectIn(methods))) {
      if (isObject(operation))
        found.set(String(operation.operationId), { place: `${method.toUpperCase()} ${path}`, operation });
    }
  }
  return found;
};

/** In which schema a member stands, and what is known of it there. */
interface Site {
  readonly direction: Direction;
  readonly name: string;
  readonly operation?: string;
  readonly resource?: string;
  readonly field?: string;
}

const targetAt = ({ direction, ...site }: Site): DifferenceTarget => ({ type: "field", location: direction, ...site });

/** Limits, by whether a larger value takes more. */
const limits: Readonly<Record<string, "more" | "less">> = {
  maxLength: "more",
  maxItems: "more",
  maximum: "more",
  minLength: "less",
  minItems: "less",
  minimum: "less",
};

const limitDifferences = (older: JsonSchema, newer: JsonSchema, site: Site): readonly Difference[] =>
  Object.entries(limits).flatMap(([what, larger]): Difference[] => {
    const [from, to] = [older[what], newer[what]];
    if (from === to) return [];
    const none = larger === "more" ? Infinity : -Infinity;
    const grew = Number(to ?? none) > Number(from ?? none);
    const takesMore = grew === (larger === "more");
    return [
      { kind: "changed", target: targetAt(site), what, from, to, breaking: site.direction === "request" && !takesMore },
    ];
  });

const enumDifferences = (older: JsonSchema, newer: JsonSchema, site: Site): readonly Difference[] => {
  if (!Array.isArray(older.enum) || !Array.isArray(newer.enum) || same(older.enum, newer.enum)) return [];
  const gone = older.enum.some((value) => !(newer.enum as unknown[]).includes(value));
  // A value that is new in answers is announced, not broken: clients ignore what they do not know.
  return [
    {
      kind: "changed",
      target: targetAt(site),
      what: "enum",
      from: older.enum,
      to: newer.enum,
      breaking: site.direction === "request" && gone,
    },
  ];
};

const memberDifferences = (older: JsonSchema, newer: JsonSchema, site: Site): readonly Difference[] => {
  const [before, after] = [propertiesOf(older), propertiesOf(newer)];
  const requiredIn = (schema: JsonSchema, name: string): boolean =>
    Array.isArray(schema.required) && schema.required.includes(name);
  const resource = newer["x-resource"] ?? older["x-resource"];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name): readonly Difference[] => {
    const inside: Site = {
      ...site,
      name: `${site.name}.${name}`,
      ...(typeof resource === "string"
        ? { resource, field: name }
        : site.field === undefined
          ? {}
          : { field: `${site.field}.${name}` }),
    };
    const [from, to] = [before.get(name), after.get(name)];
    const target = targetAt(inside);
    const request = site.direction === "request";
    if (from === undefined) return [{ kind: "added", target, to, breaking: request && requiredIn(newer, name) }];
    if (to === undefined) return [{ kind: "removed", target, from, breaking: true }];
    const [was, is] = [requiredIn(older, name), requiredIn(newer, name)];
    const required: readonly Difference[] =
      was === is
        ? []
        : [{ kind: "changed", target, what: "required", from: was, to: is, breaking: request ? is : was }];
    return [...required, ...schemaDifferences(from, to, inside)];
  });
};

/** Where a value may have one of several forms, as with what may be null, form by form. */
const alternativeDifferences = (older: JsonSchema, newer: JsonSchema, site: Site): readonly Difference[] =>
  (["anyOf", "oneOf"] as const).flatMap((what): readonly Difference[] => {
    const [from, to] = [listIn(older[what]), listIn(newer[what])];
    if (from.length === to.length) {
      return from.flatMap((schema, index) => schemaDifferences(schema, to[index] ?? {}, site));
    }
    const takesMore = to.length > from.length && from.length > 0;
    const breaking = site.direction === "request" ? !takesMore : takesMore || to.length === 0;
    return [{ kind: "changed", target: targetAt(site), what, from: older[what], to: newer[what], breaking }];
  });

const schemaDifferences = (older: JsonSchema, newer: JsonSchema, site: Site): readonly Difference[] => {
  const [from, to] = [referenced(older) ?? older.type, referenced(newer) ?? newer.type];
  if (!same(from, to)) {
    return [
      { kind: "changed", target: targetAt(site), what: "type", from: from ?? "any", to: to ?? "any", breaking: true },
    ];
  }
  const items =
    isObject(older.items) && isObject(newer.items)
      ? schemaDifferences(older.items, newer.items, { ...site, name: `${site.name}[]` })
      : [];
  const pattern: readonly Difference[] =
    older.pattern === newer.pattern || site.direction === "response"
      ? []
      : [
          {
            kind: "changed",
            target: targetAt(site),
            what: "pattern",
            from: older.pattern,
            to: newer.pattern,
            breaking: newer.pattern !== undefined,
          },
        ];
  return [
    ...alternativeDifferences(older, newer, site),
    ...limitDifferences(older, newer, site),
    ...enumDifferences(older, newer, site),
    ...pattern,
    ...memberDifferences(older, newer, site),
    ...items,
  ];
};

const parameterDifferences = (operation: string, older: Value, newer: Value): readonly Difference[] => {
  const byName = (value: Value) => new Map(listIn(value.parameters).map((one) => [`${one.in} ${one.name}`, one]));
  const [before, after] = [byName(older), byName(newer)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key): readonly Difference[] => {
    const [from, to] = [before.get(key), after.get(key)];
    const { in: location, name } = to ?? from ?? {};
    const target: DifferenceTarget = { type: "parameter", operation, location: String(location), name: String(name) };
    if (from === undefined) return [{ kind: "added", target, breaking: to?.required === true }];
    if (to === undefined) return [{ kind: "removed", target, breaking: true }];
    const required: readonly Difference[] =
      from.required === to.required
        ? []
        : [
            {
              kind: "changed",
              target,
              what: "required",
              from: from.required,
              to: to.required,
              breaking: to.required === true,
            },
          ];
    const site: Site = { direction: "request", operation, name: String(name) };
    const inside = schemaDifferences(objectIn(from, "schema"), objectIn(to, "schema"), site);
    return [...required, ...inside.map((difference) => ({ ...difference, target }))];
  });
};

/** The media types of a request or an answer and their schemas. */
const contentDifferences = (
  operation: string,
  direction: Direction,
  older: Value,
  newer: Value,
): readonly Difference[] =>
  [...new Set([...Object.keys(older), ...Object.keys(newer)])].flatMap((type): readonly Difference[] => {
    const target: DifferenceTarget = { type: "response", operation, location: direction, name: type };
    if (!(type in newer)) return [{ kind: "removed", target, breaking: true }];
    if (!(type in older)) return [{ kind: "added", target, breaking: false }];
    const [from, to] = [objectIn(older, type, "schema"), objectIn(newer, type, "schema")];
    return schemaDifferences(from, to, { direction, operation, name: operation }).map((difference) =>
      difference.what === "type" && difference.target.name === operation
        ? { ...difference, target: { ...target, name: "body" } }
        : difference,
    );
  });

/** Who may call: each way in is one alternative, and none at all lets everybody in. */
const securityDifferences = (operation: string, older: unknown, newer: unknown): readonly Difference[] => {
  if (same(older, newer)) return [];
  const ways = (value: unknown) =>
    (listIn(value).length === 0 ? [{}] : listIn(value)).map((way) => JSON.stringify(way));
  const [from, to] = [ways(older), ways(newer)];
  const breaking = !to.includes("{}") && from.some((way) => !to.includes(way));
  const target: DifferenceTarget = { type: "endpoint", operation };
  return [{ kind: "changed", target, what: "security", from: older, to: newer, breaking }];
};

/** Whether a body must be sent. */
const bodyDifferences = (operation: string, older: Value, newer: Value): readonly Difference[] => {
  const [from, to] = [older, newer].map(({ requestBody }) => objectIn(requestBody).required === true);
  if (from === to) return [];
  const target: DifferenceTarget = { type: "response", operation, location: "request", name: "body" };
  return [{ kind: "changed", target, what: "required", from, to, breaking: to === true }];
};

/** The headers of an answer. */
const headerDifferences = (operation: string, older: Value, newer: Value): readonly Difference[] =>
  [...new Set([...Object.keys(older), ...Object.keys(newer)])].flatMap((name): readonly Difference[] => {
    const target: DifferenceTarget = { type: "response", operation, location: "header", name };
    if (!(name in newer)) return [{ kind: "removed", target, from: older[name], breaking: true }];
    return name in older ? [] : [{ kind: "added", target, to: newer[name], breaking: false }];
  });

const isSuccess = (status: string): boolean => /^[23]/.test(status);

const responseDifferences = (operation: string, older: Value, newer: Value): readonly Difference[] => {
  const [before, after] = [objectIn(older, "responses"), objectIn(newer, "responses")];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(isSuccess).flatMap((status) => {
    const target: DifferenceTarget = { type: "response", operation, location: "response", name: status };
    if (!(status in after)) return [{ kind: "removed" as const, target, breaking: true }];
    if (!(status in before)) return [{ kind: "added" as const, target, breaking: false }];
    return [
      ...headerDifferences(operation, objectIn(before, status, "headers"), objectIn(after, status, "headers")),
      ...contentDifferences(
        operation,
        "response",
        objectIn(before, status, "content"),
        objectIn(after, status, "content"),
      ),
    ];
  });
};

/** Which named schemas are taken, and which are answered. */
const directionsOf = (document: Value): ReadonlyMap<string, Direction> => {
  const schemas = objectIn(document, "components", "schemas");
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
  for (const { operation } of operationsOf(document).values()) {
    follow(operation.responses, "response");
    follow(operation.requestBody, "request");
  }
  return found;
};

/** Everything in which `newer` differs from `older` and that matters to who calls the API; texts and examples do not. */
export const openApiDifferences = (older: Value, newer: Value): readonly Difference[] => {
  const [before, after] = [operationsOf(older), operationsOf(newer)];
  const operations = [...new Set([...before.keys(), ...after.keys()])].flatMap((id): readonly Difference[] => {
    const [from, to] = [before.get(id), after.get(id)];
    const target: DifferenceTarget = { type: "endpoint", operation: id };
    if (from === undefined) return [{ kind: "added", target, to: to?.place, breaking: false }];
    if (to === undefined) return [{ kind: "removed", target, from: from.place, breaking: true }];
    const moved: readonly Difference[] =
      from.place === to.place
        ? []
        : [{ kind: "changed", target, what: "path", from: from.place, to: to.place, breaking: true }];
    const bodies = [from, to].map(({ operation }) => objectIn(operation, "requestBody", "content"));
    return [
      ...moved,
      ...parameterDifferences(id, from.operation, to.operation),
      ...securityDifferences(id, from.operation.security ?? older.security, to.operation.security ?? newer.security),
      ...bodyDifferences(id, from.operation, to.operation),
      ...contentDifferences(id, "request", bodies[0] ?? {}, bodies[1] ?? {}),
      ...responseDifferences(id, from.operation, to.operation),
    ];
  });
  const [olderSchemas, newerSchemas] = [
    objectIn(older, "components", "schemas"),
    objectIn(newer, "components", "schemas"),
  ];
  const directions = directionsOf(newer);
  const fields = Object.keys(newerSchemas).flatMap((name) =>
    name in olderSchemas
      ? schemaDifferences(objectIn(olderSchemas, name), objectIn(newerSchemas, name), {
          name,
          direction: directions.get(name) ?? "response",
        })
      : [],
  );
  return [...operations, ...fields];
};
