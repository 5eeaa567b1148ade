import type { OptionRules } from "@postern/core";
import { option, optionFaults, refuseFaults, required } from "@postern/core/internal";
import { parametersOf, propertiesOf, resourceOf } from "../json-schema/json-schema.ts";
import type { Operation } from "../operations/operation.ts";
import { type ApiVersion, bodiesIn } from "../versions/api-versions.ts";
import type { VersionId } from "../versions/version-id.ts";

/**
 * What is deprecated: a whole version, an operation of it, a query parameter of an operation, or a
 * field of a resource.
 */
export type DeprecationTarget =
  | { readonly version: VersionId }
  | { readonly version: VersionId; readonly operation: string; readonly parameter?: string }
  | { readonly version: VersionId; readonly resource: string; readonly field: string };

/**
 * A time during which the deprecated thing is refused, so that its users notice. RFC 3339 times.
 */
interface BrownOut {
  readonly from: string;
  readonly to: string;
}

/** An announcement that something will be removed. Days are `YYYY-MM-DD`, in UTC. */
export interface Deprecation {
  /** Stable, kebab-case. */
  readonly id: string;
  readonly target: DeprecationTarget;
  readonly announced: string;
  /** From this day on, you should not start to use it. */
  readonly deprecated: string;
  /** From this day on, it may be gone. */
  readonly sunset: string;
  /** What replaces it. */
  readonly replacement: { readonly version: VersionId; readonly operation?: string; readonly field?: string };
  readonly reason: string;
  /** What its users do to move on. */
  readonly migration: string;
  readonly brownOuts?: readonly BrownOut[];
}

/** The states of a deprecation, in the order in which it takes them. */
export const deprecationStates = ["announced", "deprecated", "sunset"] as const;

/** What kind of thing is deprecated. */
export const kindOfTarget = (target: DeprecationTarget): "version" | "endpoint" | "parameter" | "field" => {
  if ("resource" in target) return "field";
  if (!("operation" in target)) return "version";
  return target.parameter === undefined ? "endpoint" : "parameter";
};

const dayMs = 86_400_000;
/** The shortest time between deprecation and sunset. */
const leastNoticeDays = 180;

/** Milliseconds since the epoch at the beginning of a day. */
export const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** For how long its users were told: from deprecation to sunset. */
export const noticeMs = ({ deprecated, sunset }: Pick<Deprecation, "deprecated" | "sunset">): number =>
  startOf(sunset) - startOf(deprecated);

export const stateOf = ({ deprecated, sunset }: Deprecation, now: number): (typeof deprecationStates)[number] => {
  if (now >= startOf(sunset)) return "sunset";
  return now >= startOf(deprecated) ? "deprecated" : "announced";
};

const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(startOf(text));

const datesFault = ({ announced, deprecated, sunset, brownOuts = [] }: Deprecation): string | undefined => {
  const wrong = [announced, deprecated, sunset].find((day) => !isDay(day));
  if (wrong !== undefined) return `"${wrong}" is no day like 2027-01-31`;
  if (announced > deprecated) return `it is deprecated on ${deprecated}, before it is announced on ${announced}`;
  if (startOf(sunset) < startOf(deprecated) + leastNoticeDays * dayMs) {
    return `its sunset ${sunset} must be at least ${leastNoticeDays} days after ${deprecated}, when it is deprecated`;
  }
  const early = brownOuts.find(
    ({ from, to }) => !(Date.parse(from) >= startOf(deprecated) && Date.parse(to) > Date.parse(from)),
  );
  return (
    early && `its brown-out from ${early.from} to ${early.to} must be after ${deprecated}, and end after it begins`
  );
};

/**
 * Stops at the first operation with the field. Describing all operations of an older version takes
 * a tenth of a second, and this runs at the start.
 */
const hasField = (version: ApiVersion, resource: string, field: string): boolean =>
  version.operations.some((operation) => {
    const { answer, body } = bodiesIn(version, operation);
    return [answer, body]
      .flatMap((one) => Object.values(one?.components ?? {}))
      .some((schema) => resourceOf(schema) === resource && propertiesOf(schema).has(field));
  });

const hasParameter = (version: ApiVersion, operation: Operation, parameter: string): boolean => {
  const conversion = version.conversion(operation);
  return parametersOf(operation.query).some(
    (name) => (conversion === undefined ? name : conversion.parameterDown(name)) === parameter,
  );
};

const isThere = (versions: readonly ApiVersion[], target: DeprecationTarget): boolean => {
  const version = versions.find(({ id }) => id === target.version);
  if (version === undefined) return false;
  if ("resource" in target) return hasField(version, target.resource, target.field);
  if (!("operation" in target)) return true;
  const operation = version.operations.find(({ id }) => id === target.operation);
  if (operation === undefined) return false;
  return target.parameter === undefined || hasParameter(version, operation, target.parameter);
};

const textOptions = (rule: OptionRules[string], ...names: readonly string[]): OptionRules =>
  Object.fromEntries(names.map((name) => [name, rule]));

const aText = required(option.aText);

const deprecationOptions: OptionRules = {
  ...textOptions(aText, "id", "announced", "deprecated", "sunset", "reason", "migration"),
  target: required(option.anObject),
  replacement: required(option.anObject),
  brownOuts: option.aList,
};

const targetOptions: OptionRules = {
  version: aText,
  ...textOptions(option.aText, "operation", "parameter", "resource", "field"),
};

const replacementOptions: OptionRules = { version: aText, ...textOptions(option.aText, "operation", "field") };

/** What is wrong with the options of a deprecation, before anything else in it can be checked. */
export const deprecationShapeFaults = (deprecation: unknown, index = 0): readonly string[] => {
  const { id, target, replacement } = Object(deprecation) as Record<string, unknown>;
  const place = typeof id === "string" ? `deprecation "${id}"` : `deprecations[${index}]`;
  return [
    ...optionFaults(place, deprecation, deprecationOptions),
    ...(option.anObject.is(target) ? optionFaults(`${place}, target`, target, targetOptions) : []),
    ...(option.anObject.is(replacement) ? optionFaults(`${place}, replacement`, replacement, replacementOptions) : []),
  ];
};

/**
 * Refuses a registry that breaks its promises, and reports everything that is wrong with it at
 * once.
 * @throws DeclarationError for dates out of order, less than 180 days between deprecation and
 *   sunset, or something that is gone before its sunset.
 */
export const checkDeprecations = (
  deprecations: readonly Deprecation[],
  versions: readonly ApiVersion[],
  now: number,
): void => {
  const faults = deprecations.flatMap((deprecation) => {
    const dates = datesFault(deprecation);
    const gone =
      dates === undefined && stateOf(deprecation, now) !== "sunset" && !isThere(versions, deprecation.target);
    return [
      ...(/^[a-z][a-z0-9-]*$/.test(deprecation.id) ? [] : ["the id must be kebab-case"]),
      ...(dates === undefined ? [] : [dates]),
      ...(gone ? [`what it is about is not there, but its sunset is on ${deprecation.sunset}`] : []),
    ].map((fault) => `deprecation "${deprecation.id}": ${fault}`);
  });
  refuseFaults(faults);
};

/**
 * Which promises of an earlier registry a later one breaks: dates that were moved earlier, and
 * entries that are gone before their sunset.
 */
export const brokenPromises = (
  before: readonly Deprecation[],
  after: readonly Deprecation[],
  now: number,
): readonly string[] =>
  before.flatMap((earlier) => {
    const later = after.find(({ id }) => id === earlier.id);
    if (later === undefined) {
      return stateOf(earlier, now) === "sunset" ? [] : [`${earlier.id}: gone before its sunset on ${earlier.sunset}`];
    }
    return (["deprecated", "sunset"] as const)
      .filter((date) => later[date] < earlier[date])
      .map((date) => `${earlier.id}: ${date} was moved from ${earlier[date]} to ${later[date]}, which is earlier`);
  });

/** What replaces a deprecated thing: `v2 post.body`, or a version alone. */
export const replacementText = ({ replacement }: Pick<Deprecation, "replacement">): string => {
  const { version, field, operation } = replacement;
  return [version, field ?? operation].filter((part) => part !== undefined).join(" ");
};

export const targetText = (target: DeprecationTarget): string => {
  if ("resource" in target) return `${target.version} ${target.resource}.${target.field}`;
  if (!("operation" in target)) return target.version;
  const parameter = target.parameter === undefined ? "" : ` ?${target.parameter}`;
  return `${target.version} ${target.operation}${parameter}`;
};
