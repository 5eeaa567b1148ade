import { propertiesOf } from "../json-schema/json-schema.ts";
import type { Operation } from "../operations/operation.ts";
import type { ApiVersion } from "../versions/api-versions.ts";
import { answerOf, bodyOf } from "../versions/conversion.ts";
import type { VersionId } from "../versions/version-id.ts";

/** What is deprecated: a whole version, an operation of it, a query parameter of an operation, or a field of a resource. */
export type DeprecationTarget =
  | { readonly version: VersionId }
  | { readonly version: VersionId; readonly operation: string; readonly parameter?: string }
  | { readonly version: VersionId; readonly resource: string; readonly field: string };

/** A time in which what is deprecated is refused for a while, so that who still uses it notices. Moments of RFC 3339. */
export interface BrownOut {
  readonly from: string;
  readonly to: string;
}

/** An announcement that something will go away. Days are `YYYY-MM-DD`, in UTC. */
export interface Deprecation {
  /** Stable, kebab-case. */
  readonly id: string;
  readonly target: DeprecationTarget;
  readonly announced: string;
  /** From then on nobody should begin to use it. */
  readonly deprecated: string;
  /** From then on it may be gone. */
  readonly sunset: string;
  /** What takes its place. */
  readonly replacement: { readonly version: VersionId; readonly operation?: string; readonly field?: string };
  readonly reason: string;
  /** What who uses it does to move on. */
  readonly migration: string;
  readonly brownOuts?: readonly BrownOut[];
}

export type DeprecationState = "announced" | "deprecated" | "sunset";

const dayMs = 86_400_000;
/** Between deprecation and sunset. */
const leastNoticeDays = 180;

/** Milliseconds since the epoch at the beginning of a day. */
export const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

export const stateOf = ({ deprecated, sunset }: Deprecation, now: number): DeprecationState => {
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

/** Stops at the first operation that has it: to describe all of an older version's takes a tenth of a second, and this is asked at the start. */
const hasField = (version: ApiVersion, resource: string, field: string): boolean =>
  version.operations.some((operation) => {
    const conversion = version.conversion(operation);
    const described =
      conversion === undefined ? [answerOf(operation), bodyOf(operation)] : [conversion.answer, conversion.body];
    return described
      .flatMap((one) => Object.values(one?.components ?? {}))
      .some((schema) => schema["x-resource"] === resource && propertiesOf(schema).has(field));
  });

const hasParameter = (version: ApiVersion, operation: Operation, parameter: string): boolean => {
  const conversion = version.conversion(operation);
  const names = operation.query === undefined ? [] : queryNames(operation);
  return names.some((name) => (conversion?.parameterDown(name) ?? name) === parameter);
};

const queryNames = ({ query }: Operation): readonly string[] =>
  query !== undefined && "shape" in query ? Object.keys(query.shape as object) : [];

const isThere = (versions: readonly ApiVersion[], target: DeprecationTarget): boolean => {
  const version = versions.find(({ id }) => id === target.version);
  if (version === undefined) return false;
  if ("resource" in target) return hasField(version, target.resource, target.field);
  if (!("operation" in target)) return true;
  const operation = version.operations.find(({ id }) => id === target.operation);
  if (operation === undefined) return false;
  return target.parameter === undefined || hasParameter(version, operation, target.parameter);
};

/**
 * Refuses a registry that breaks its word.
 * @throws TypeError for dates out of order, less than 180 days between deprecation and sunset, or what is gone before its sunset.
 */
export const checkDeprecations = (
  deprecations: readonly Deprecation[],
  versions: readonly ApiVersion[],
  now: number,
): void => {
  for (const deprecation of deprecations) {
    const reject = (what: string): never => {
      throw new TypeError(`deprecation "${deprecation.id}": ${what}`);
    };
    if (!/^[a-z][a-z0-9-]*$/.test(deprecation.id)) reject("the id must be kebab-case");
    const fault = datesFault(deprecation);
    if (fault !== undefined) reject(fault);
    if (stateOf(deprecation, now) !== "sunset" && !isThere(versions, deprecation.target)) {
      reject(`what it is about is not there, but its sunset is on ${deprecation.sunset}`);
    }
  }
};

/**
 * What a later registry takes back of what an earlier one promised: dates that were moved earlier, and entries that are gone before their sunset.
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

export const targetText = (target: DeprecationTarget): string => {
  if ("resource" in target) return `${target.version} ${target.resource}.${target.field}`;
  if (!("operation" in target)) return target.version;
  const parameter = target.parameter === undefined ? "" : ` ?${target.parameter}`;
  return `${target.version} ${target.operation}${parameter}`;
};
