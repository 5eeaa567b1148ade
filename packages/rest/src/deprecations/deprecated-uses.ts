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
  { query }: Given,
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

/** Collects `resource.field` for each member of each row in a body. */
const membersOf = (body: Described | undefined): Step<Set<string>> | undefined =>
  body === undefined
    ? undefined
    : guided<Set<string>>(body, (schema, members) => {
        const resource = resourceOf(schema);
        if (resource === undefined && members.size === 0) return undefined;
        return (value, found) => {
          if (!isObject(value)) return value;
          for (const [name, member] of Object.entries(value)) {
            if (resource !== undefined) found.add(`${resource}.${name}`);
            members.get(name)?.(member, found);
          }
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
  const members = membersOf(conversion === undefined ? bodyOf(operation) : conversion.body);
  const fields = parts.filter(({ target }) => "resource" in target);
  const answered = fields.length === 0 ? undefined : membersOf(answer);
  const parameters =
    operation.query === undefined ? new Map() : propertiesOf(describeSchema(operation.query, "input").schema);
  return {
    whole,
    sentIn: (body) => {
      if (answered === undefined) return [];
      const sent = new Set<string>();
      answered(body, sent);
      return fields.filter(({ target }) => "resource" in target && sent.has(`${target.resource}.${target.field}`));
    },
    usedBy: (given) => {
      const used = new Set(answer === undefined ? [] : namedIn(subject, parameters, given));
      members?.(given.body, used);
      return parts.filter(({ target }) => {
        if ("resource" in target) return used.has(`${target.resource}.${target.field}`);
        const { operation: id, parameter } = target as { operation: string; parameter: string };
        return id === operation.id && given.query.has(parameter);
      });
    },
  };
};
