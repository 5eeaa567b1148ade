import { isObject } from "@postern/core/parts";
import { type Described, describeSchema, marks, propertiesOf } from "../json-schema/json-schema.ts";
import type { Operation } from "../operations/operation.ts";
import type { ApiVersion } from "../versions/api-versions.ts";
import { answerOf, bodyOf } from "../versions/conversion.ts";
import { resourceOf } from "../versions/effects.ts";
import { subjectOf } from "../versions/subject.ts";
import { guided, type Step } from "../versions/walk.ts";
import type { Deprecation } from "./deprecation.ts";

interface Given {
  readonly query: ReadonlyMap<string, string>;
  readonly body: unknown;
}

/** What is deprecated about an operation of a version. */
export interface Watch {
  /** The version or the operation as a whole. Every answer says so. */
  readonly whole: readonly Deprecation[];
  /**
   * The fields and parameters of the operation that this request uses: it sends them, selects them,
   * or sorts or filters by them.
   */
  usedBy(given: Given): readonly Deprecation[];
  /** The fields of the operation that are part of an answer, in the version's own form. */
  sentIn(body: unknown): readonly Deprecation[];
}

/** `resource.field` for each field that a request for rows of `subject` names in its query. */
const namedIn = (
  subject: string | undefined,
  parameters: ReadonlyMap<string, unknown>,
  query: Given["query"],
): readonly string[] =>
  [...query].flatMap(([name, value]) => {
    const names = value.split(",").map((one) => one.replace(/^-/, ""));
    const filtered = /^filter\[([^\]]*)\]/.exec(name)?.[1];
    if (filtered !== undefined) return [`${subject}.${filtered}`];
    if (name === "sort" || name === "fields") return names.map((one) => `${subject}.${one}`);
    const parameter = parameters.get(name);
    const kind = name.startsWith("fields[") && isObject(parameter) ? parameter[marks.resource] : undefined;
    return kind === undefined ? [] : names.map((one) => `${kind}.${one}`);
  });

/**
 * Collects which of these fields (`resource.field`) the rows in a body have; `undefined` if they
 * can have none of them.
 */
const fieldsIn = (body: Described | undefined, deprecated: ReadonlySet<string>): Step<Set<string>> | undefined =>
  body === undefined || deprecated.size === 0
    ? undefined
    : guided<Set<string>>(body, (schema, members) => {
        const resource = resourceOf(schema);
        const own = [...propertiesOf(schema).keys()].filter((name) => deprecated.has(`${resource}.${name}`));
        if (own.length === 0 && members.size === 0) return undefined;
        return (value, found) => {
          if (!isObject(value)) return value;
          for (const name of own) if (Object.hasOwn(value, name)) found.add(`${resource}.${name}`);
          for (const [name, step] of members) if (Object.hasOwn(value, name)) step(value[name], found);
          return value;
        };
      });

/** `undefined` if nothing about the operation is deprecated. */
export const watchOf = (
  version: ApiVersion,
  operation: Operation,
  deprecations: readonly Deprecation[],
): Watch | undefined => {
  if (operation.unversioned === true) return undefined;
  const concerned = deprecations.filter(({ target }) => target.version === version.id);
  const whole = concerned.filter(
    ({ target }) =>
      !("resource" in target) &&
      (!("operation" in target) || (target.operation === operation.id && target.parameter === undefined)),
  );
  const parts = concerned.filter(({ target }) => "resource" in target || "parameter" in target);
  if (whole.length === 0 && parts.length === 0) return undefined;

  const conversion = version.conversion(operation);
  const answer = conversion === undefined ? answerOf(operation) : conversion.answer;
  const subject = answer === undefined ? undefined : resourceOf(subjectOf(answer).schema);
  const fields = parts.flatMap((one) =>
    "resource" in one.target ? [[`${one.target.resource}.${one.target.field}`, one] as const] : [],
  );
  const names = new Set(fields.map(([name]) => name));
  const ownParameters = parts.flatMap((one) =>
    "parameter" in one.target && one.target.operation === operation.id && one.target.parameter !== undefined
      ? [[one.target.parameter, one] as const]
      : [],
  );
  const given = fieldsIn(conversion === undefined ? bodyOf(operation) : conversion.body, names);
  const answered = fieldsIn(answer, names);
  const parameters =
    operation.query === undefined ? new Map() : propertiesOf(describeSchema(operation.query, "input").schema);
  return {
    whole,
    sentIn: (body) => {
      const sent = new Set<string>();
      answered?.(body, sent);
      return sent.size === 0 ? [] : fields.flatMap(([name, one]) => (sent.has(name) ? [one] : []));
    },
    usedBy: ({ query, body }) => {
      const used = new Set(answer === undefined || query.size === 0 ? [] : namedIn(subject, parameters, query));
      given?.(body, used);
      const deprecations: Deprecation[] = [];
      for (const [name, one] of used.size === 0 ? [] : fields) if (used.has(name)) deprecations.push(one);
      for (const [name, one] of ownParameters) if (query.has(name)) deprecations.push(one);
      return deprecations;
    },
  };
};
