import { characterCount } from "../model/text.ts";
import { isObject, type JsonSchema } from "./json-schema.ts";
import { type LinearPattern, linearPattern } from "./linear-pattern.ts";

/** What is wrong with a value, and where. It never shows the value. */
export interface SchemaIssue {
  readonly message: string;
  readonly path: readonly PropertyKey[];
}

/**
 * Results of reading a schema once, so that checks need not: the targets of its references, and its
 * patterns.
 */
interface Known {
  readonly references: Map<string, unknown>;
  readonly patterns: Map<string, LinearPattern>;
}

/** A value that is being checked, and the faults found so far. */
interface Visit {
  readonly known: Known;
  readonly path: readonly PropertyKey[];
  readonly depth: number;
  readonly issues: SchemaIssue[];
  /** How many steps the whole check may still take. */
  readonly left: { steps: number };
}

/** Checks `value` against one keyword, whose argument is `wanted`, and adds the faults. */
type Check = (wanted: unknown, value: unknown, visit: Visit, schema: JsonSchema) => void;

/** The deepest nesting of schemas and values. No real event is nested deeper. */
const deepest = 512;
/**
 * The most steps of one check; they take some tenths of a second. Without this bound, a schema that
 * refers to itself in several places (`anyOf` with two ways back to the root) would take twice as
 * long for each further level of a value.
 */
const mostSteps = 500_000;
/** More faults than these are not reported. */
const mostIssues = 100;
/** How many states of a pattern take as long as one step of another keyword. */
const statesAStep = 8;
/** Keywords that describe a value and never refuse one. */
const remarks = new Set([
  ...["$schema", "$id", "$anchor", "$comment", "$defs", "definitions", "title", "description", "default", "examples"],
  ...["deprecated", "readOnly", "writeOnly", "format", "contentEncoding", "contentMediaType", "contentSchema"],
  // Keywords that are checked together with `if`, `contains` and `items`.
  ...["then", "else", "minContains", "maxContains", "additionalItems"],
]);

const typeOf = (value: unknown): string => {
  if (value === null) return "null";
  // A whole number that a double cannot hold.
  return typeof value === "bigint" ? "number" : Array.isArray(value) ? "array" : typeof value;
};

const isOfType = (value: unknown, type: unknown): boolean =>
  type === "integer" ? Number.isInteger(value) || typeof value === "bigint" : typeOf(value) === type;

/** Whether two JSON values are equal. The order of members does not matter. */
const isEqual = (left: unknown, right: unknown): boolean => {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => isEqual(item, right[index]));
  if (isObject(left) && isObject(right)) {
    const names = Object.keys(left);
    const same = names.length === Object.keys(right).length;
    return same && names.every((name) => Object.hasOwn(right, name) && isEqual(left[name], right[name]));
  }
  return left === right;
};

/**
 * The same text for equal JSON values, whatever the order of their members. Parts nested deeper
 * than any event count as equal.
 */
const canonical = (value: unknown, depth = 0): string => {
  if (depth > deepest) return "…";
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join()}]`;
  if (typeof value === "bigint") return String(value);
  if (!isObject(value)) return JSON.stringify(value) ?? "";
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member, depth + 1)}`).join()}}`;
};

const issue = ({ path, issues }: Visit, message: string): void => {
  if (issues.length < mostIssues) issues.push({ path, message });
};

/** Uses up steps; false if none are left. Then the check stops. */
const spend = ({ left }: Visit, steps = 1): boolean => {
  left.steps -= steps;
  return left.steps > 0;
};

const below = (visit: Visit, step: PropertyKey): Visit => ({ ...visit, path: [...visit.path, step] });

const visitAll = (schema: unknown, value: unknown, visit: Visit): void => {
  if (!spend(visit)) return;
  if (visit.depth > deepest) issue(visit, "it is nested too deeply");
  else if (schema === false) issue(visit, "it must not be there");
  // `readWhole` has checked that every schema is an object or a boolean.
  if (visit.depth > deepest || !isObject(schema)) return;
  const inside = { ...visit, depth: visit.depth + 1 };
  for (const [keyword, wanted] of Object.entries(schema)) checks.get(keyword)?.(wanted, value, inside, schema);
};

const fits = (schema: unknown, value: unknown, visit: Visit): boolean => {
  const issues: SchemaIssue[] = [];
  visitAll(schema, value, { ...visit, issues });
  return issues.length === 0;
};

/** A check that `measure`, for the values it applies to, is within a bound. */
const bound =
  (
    measure: (value: unknown) => number | undefined,
    within: (size: number, limit: number) => boolean,
    words: string,
  ): Check =>
  (limit, value, visit) => {
    const size = measure(value);
    if (size !== undefined && !within(size, Number(limit))) issue(visit, `${words} ${String(limit)}`);
  };

const numeric = (value: unknown) =>
  typeof value === "number" ? value : typeof value === "bigint" ? Number(value) : undefined;
const characters = (value: unknown) => (typeof value === "string" ? characterCount(value) : undefined);
const itemCount = (value: unknown) => (Array.isArray(value) ? value.length : undefined);
const memberCount = (value: unknown) => (isObject(value) ? Object.keys(value).length : undefined);
const atLeast = (size: number, limit: number) => size >= limit;
const atMost = (size: number, limit: number) => size <= limit;

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const asMembers = (value: unknown): readonly (readonly [string, unknown])[] =>
  isObject(value) ? Object.entries(value) : [];

const matches = (visit: Visit, pattern: string, text: string): boolean => {
  const known = visit.known.patterns.get(pattern);
  if (known === undefined) return false;
  return spend(visit, Math.ceil((text.length * known.states) / statesAStep)) && known.test(text);
};

/** Whether the schema itself names a member. All others are the additional ones. */
const isNamed = ({ properties, patternProperties }: JsonSchema, name: string, visit: Visit): boolean =>
  (isObject(properties) && Object.hasOwn(properties, name)) ||
  asMembers(patternProperties).some(([pattern]) => matches(visit, pattern, name));

const required: Check = (names, value, visit) => {
  if (!isObject(value)) return;
  for (const name of asList(names)) {
    if (!Object.hasOwn(value, String(name))) issue(below(visit, String(name)), "it is required");
  }
};

const checkers: Readonly<Record<string, Check>> = {
  $ref: (reference, value, visit) => visitAll(visit.known.references.get(String(reference)), value, visit),
  type: (type, value, visit) => {
    const types = Array.isArray(type) ? type : [type];
    if (!types.some((one) => isOfType(value, one)))
      issue(visit, `it is of type ${typeOf(value)}, not ${types.join(" or ")}`);
  },
  enum: (values, value, visit) => {
    if (!asList(values).some((one) => isEqual(one, value))) issue(visit, "it is not one of the values there are");
  },
  const: (wanted, value, visit) => {
    if (!isEqual(wanted, value)) issue(visit, "it is not the only value allowed");
  },
  minimum: bound(numeric, atLeast, "it is less than"),
  maximum: bound(numeric, atMost, "it is more than"),
  exclusiveMinimum: bound(numeric, (size, limit) => size > limit, "it is not more than"),
  exclusiveMaximum: bound(numeric, (size, limit) => size < limit, "it is not less than"),
  multipleOf: bound(
    numeric,
    (size, step) => Number.isInteger(Number((size / step).toPrecision(12))),
    "it is not a multiple of",
  ),
  minLength: bound(characters, atLeast, "its characters are fewer than"),
  maxLength: bound(characters, atMost, "its characters are more than"),
  pattern: (pattern, value, visit) => {
    if (typeof value === "string" && !matches(visit, String(pattern), value))
      issue(visit, `it does not match ${String(pattern)}`);
  },
  minItems: bound(itemCount, atLeast, "its items are fewer than"),
  maxItems: bound(itemCount, atMost, "its items are more than"),
  uniqueItems: (wanted, value, visit) => {
    if (wanted !== true || !Array.isArray(value) || !spend(visit, value.length)) return;
    // To compare each item with every other would take hours for a list of a megabyte.
    if (new Set(value.map((item) => canonical(item))).size < value.length) issue(visit, "an item is there twice");
  },
  prefixItems: (schemas, value, visit) => {
    for (const [index, schema] of asList(schemas).entries()) {
      if (Array.isArray(value) && index < value.length) visitAll(schema, value[index], below(visit, index));
    }
  },
  items: (wanted, value, visit, { prefixItems, additionalItems }) => {
    if (!Array.isArray(value)) return;
    // In draft 7, a list here means `prefixItems`, and `additionalItems` applies to the rest.
    const first = Array.isArray(wanted) ? wanted : asList(prefixItems);
    const rest = Array.isArray(wanted) ? (additionalItems ?? true) : wanted;
    for (const [index, item] of value.entries()) {
      if (index >= first.length) visitAll(rest, item, below(visit, index));
      else if (Array.isArray(wanted)) visitAll(first[index], item, below(visit, index));
    }
  },
  contains: (schema, value, visit, { minContains = 1, maxContains = Number.POSITIVE_INFINITY }) => {
    if (!Array.isArray(value)) return;
    const count = value.filter((item) => fits(schema, item, visit)).length;
    if (count < Number(minContains) || count > Number(maxContains))
      issue(visit, `${count} of its items are as asked for`);
  },
  minProperties: bound(memberCount, atLeast, "its members are fewer than"),
  maxProperties: bound(memberCount, atMost, "its members are more than"),
  required,
  properties: (schemas, value, visit) => {
    for (const [name, schema] of asMembers(schemas)) {
      if (isObject(value) && Object.hasOwn(value, name)) visitAll(schema, value[name], below(visit, name));
    }
  },
  patternProperties: (schemas, value, visit) => {
    for (const [pattern, schema] of asMembers(schemas)) {
      for (const [name, member] of asMembers(value)) {
        if (matches(visit, pattern, name)) visitAll(schema, member, below(visit, name));
      }
    }
  },
  additionalProperties: (schema, value, visit, whole) => {
    for (const [name, member] of asMembers(value)) {
      if (!isNamed(whole, name, visit)) visitAll(schema, member, below(visit, name));
    }
  },
  propertyNames: (schema, value, visit) => {
    for (const [name] of asMembers(value)) visitAll(schema, name, below(visit, name));
  },
  dependentRequired: (dependents, value, visit, schema) => {
    for (const [name, names] of asMembers(dependents)) {
      if (isObject(value) && Object.hasOwn(value, name)) required(names, value, visit, schema);
    }
  },
  dependentSchemas: (dependents, value, visit) => {
    for (const [name, schema] of asMembers(dependents)) {
      if (isObject(value) && Object.hasOwn(value, name)) visitAll(schema, value, visit);
    }
  },
  allOf: (schemas, value, visit) => {
    for (const schema of asList(schemas)) visitAll(schema, value, visit);
  },
  anyOf: (schemas, value, visit) => {
    if (!asList(schemas).some((schema) => fits(schema, value, visit)))
      issue(visit, "it fits none of the forms there are");
  },
  oneOf: (schemas, value, visit) => {
    const count = asList(schemas).filter((schema) => fits(schema, value, visit)).length;
    if (count !== 1) issue(visit, `it fits ${count} of the forms there are, not one`);
  },
  not: (schema, value, visit) => {
    if (fits(schema, value, visit)) issue(visit, "it is what it must not be");
  },
  if: (schema, value, visit, { then = true, else: otherwise = true }) =>
    visitAll(fits(schema, value, visit) ? then : otherwise, value, visit),
};

/** Own members only: `constructor` is not a keyword. */
const checks: ReadonlyMap<string, Check> = new Map(Object.entries(checkers));

const schemaKeywords = new Set([
  ...["additionalProperties", "propertyNames", "contains", "not", "if", "then", "else", "additionalItems"],
]);
const listKeywords = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const mapKeywords = new Set(["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"]);
const typeNames = new Set(["null", "boolean", "object", "array", "number", "integer", "string"]);

/**
 * Keywords that check the value itself rather than its parts. A path through them that returns to
 * its start would never end.
 */
const sameValueKeywords = new Set(["$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"]);
const countKeywords = /^(?:min|max)(?:Length|Items|Properties|Contains)$/;
const numberKeywords = /^(?:(?:exclusiveM|m)(?:in|ax)imum|multipleOf)$/;

const isName = (value: unknown): boolean => typeof value === "string";
const isListOfNames = (value: unknown): boolean => Array.isArray(value) && value.every(isName);

/**
 * For keywords whose arguments are not schemas: what the arguments must be, and how the error says
 * so.
 */
const argumentRules: readonly (readonly [keyword: RegExp, fits: (wanted: unknown) => boolean, words: string])[] = [
  [countKeywords, (wanted) => Number.isInteger(wanted) && Number(wanted) >= 0, "takes a number of things, 0 or more"],
  [numberKeywords, (wanted) => typeof wanted === "number" && Number.isFinite(wanted), "takes a number"],
  [/^multipleOf$/, (wanted) => Number(wanted) > 0, "takes a number above 0"],
  [/^uniqueItems$/, (wanted) => typeof wanted === "boolean", "takes true or false"],
  [/^enum$/, (wanted) => Array.isArray(wanted), "takes a list"],
  [/^(?:pattern|\$ref)$/, isName, "takes text"],
  [/^required$/, isListOfNames, "takes a list of names"],
  [
    /^dependentRequired$/,
    (wanted) => isObject(wanted) && Object.values(wanted).every(isListOfNames),
    "takes lists of names by name",
  ],
];

/** Resolves `#`, or a pointer (RFC 6901) from the root; `undefined` if nothing is there. */
const referenced = (root: JsonSchema, reference: string): unknown => {
  if (reference === "#") return root;
  if (!/^#\/(?:%[\da-f]{2}|[^%])*$/i.test(reference)) return undefined;
  return reference
    .slice(2)
    .split("/")
    .map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>(
      (here, step) =>
        typeof here === "object" && here !== null && Object.hasOwn(here, step)
          ? // The line above has just shown it to be an object with that member.
            (here as Readonly<Record<string, unknown>>)[step]
          : undefined,
      root,
    );
};

/**
 * Reads a schema before it is used. A schema that is invalid or unsupported is refused when it is
 * declared; otherwise bad events would pass.
 */
const readWhole = (root: JsonSchema): Known => {
  const known: Known = { references: new Map(), patterns: new Map() };
  const done = new Set<unknown>();

  const refuse = (place: string, what: string): never => {
    throw new TypeError(`${place}: ${what}`);
  };

  const readPattern = (pattern: string, place: string): void => {
    try {
      known.patterns.set(pattern, linearPattern(pattern));
    } catch (thrown) {
      refuse(place, `${pattern} cannot be used: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  };

  const readReference = (reference: string, place: string): void => {
    const target = referenced(root, reference) ?? refuse(place, `nothing is at ${reference}`);
    known.references.set(reference, target);
    read(target, reference);
  };

  const readArgument = (keyword: string, wanted: unknown, place: string): void => {
    for (const [keywords, fits, words] of argumentRules)
      if (keywords.test(keyword) && !fits(wanted)) refuse(place, `"${keyword}" ${words}`);
    if (keyword === "type") {
      const types = Array.isArray(wanted) ? wanted : [wanted];
      if (types.length === 0 || !types.every((name) => typeNames.has(String(name))))
        refuse(place, `there is no type ${JSON.stringify(wanted)}`);
    }
  };

  const read = (schema: unknown, place: string): void => {
    if (typeof schema === "boolean" || done.has(schema)) return;
    if (!isObject(schema)) throw new TypeError(`${place}: a schema is an object, true or false`);
    done.add(schema);
    if (schema !== root && schema.$id !== undefined)
      refuse(place, "a schema inside another cannot have an $id: what its references mean would depend on it");
    for (const [keyword, wanted] of Object.entries(schema)) {
      const here = `${place}/${keyword}`;
      if (!checks.has(keyword) && !remarks.has(keyword)) refuse(place, `the keyword "${keyword}" is not known here`);
      readArgument(keyword, wanted, here);
      if (keyword === "$ref") readReference(String(wanted), here);
      if (keyword === "pattern") readPattern(String(wanted), here);
      if (schemaKeywords.has(keyword) || (keyword === "items" && !Array.isArray(wanted))) read(wanted, here);
      if (listKeywords.has(keyword) || (keyword === "items" && Array.isArray(wanted))) {
        if (!Array.isArray(wanted)) refuse(here, `"${keyword}" takes a list of schemas`);
        for (const [index, one] of asList(wanted).entries()) read(one, `${here}/${index}`);
      }
      if (mapKeywords.has(keyword)) {
        if (!isObject(wanted)) refuse(here, `"${keyword}" takes schemas by name`);
        for (const [name, one] of asMembers(wanted)) {
          if (keyword === "patternProperties") readPattern(name, here);
          read(one, `${here}/${name}`);
        }
      }
    }
  };

  /** @throws TypeError for a schema that applies itself to the same value without end. */
  const refuseLoops = (schema: unknown, above: ReadonlySet<unknown>, ended: Set<unknown>): void => {
    if (!isObject(schema) || ended.has(schema)) return;
    if (above.has(schema)) refuse("#", "a schema refers to itself about the same value, which never ends");
    const inside = new Set([...above, schema]);
    for (const [keyword, wanted] of Object.entries(schema)) {
      if (!sameValueKeywords.has(keyword)) continue;
      const next =
        keyword === "$ref"
          ? [known.references.get(String(wanted))]
          : keyword === "dependentSchemas"
            ? asMembers(wanted).map(([, one]) => one)
            : Array.isArray(wanted)
              ? wanted
              : [wanted];
      for (const one of next) refuseLoops(one, inside, ended);
    }
    ended.add(schema);
  };

  read(root, "#");
  const ended = new Set<unknown>();
  for (const schema of done) refuseLoops(schema, new Set(), ended);
  return known;
};

/**
 * Compiles a JSON Schema: draft 2020-12, or draft 7 in what both mean the same (a list under
 * `items` is its `prefixItems`; other keywords beside `$ref` count). References must point into the
 * schema itself. `format` is only a remark. It uses no `eval` and no library, so it runs wherever
 * core does.
 *
 * The returned checker reports what is wrong with a value: the first hundred faults in the order in
 * which they are found, or none if it fits. It takes some tenths of a second at most. If the time
 * is up, the value does not fit.
 *
 * @throws TypeError that says where and what, for a schema that is invalid or uses something
 *   unsupported (`unevaluated…`, `$dynamicRef`, `dependencies`, references to other documents,
 *   patterns with look-around or back references). Nothing in a schema is skipped silently.
 */
export const compileJsonSchema = (schema: JsonSchema): ((value: unknown) => readonly SchemaIssue[]) => {
  const known = readWhole(schema);
  return (value) => {
    const issues: SchemaIssue[] = [];
    const left = { steps: mostSteps };
    visitAll(schema, value, { known, path: [], depth: 0, issues, left });
    return left.steps > 0 ? issues : [{ path: [], message: "there is too much in it to be checked" }];
  };
};
