import { AppError, type ErrorCode } from "@postern/core";
import {
  describeFaults,
  didYouMean,
  faultOf,
  isObject,
  mostFaults,
  parseBody,
  queryFaultText,
} from "@postern/core/internal";
import type { Principal } from "../access/principal.ts";
import type { RequestNotice } from "../deprecations/deprecations.ts";
import { minLengthOfStrangers, parseIdempotencyKey } from "../idempotency/idempotency-key.ts";
import { takesKey } from "../idempotency/keyed-request.ts";
import { isListParameter, parametersOf } from "../json-schema/json-schema.ts";
import { type Preconditions, preconditionsOf } from "../preconditions/preconditions.ts";
import { patchRow } from "../resources/merge-patch.ts";
import { type Conversion, type Converted, bodyOf as describedBody } from "../versions/conversion.ts";
import type { ApiRequest, QueryPairs } from "./api-request.ts";
import type { Operation } from "./operation.ts";
import { filterName, listText, takesNames, takesValues } from "./query-list.ts";

/**
 * Parses the query parameters by the operation's schema.
 * @throws AppError `unknown_parameter` or `invalid_parameter`, naming each parameter.
 */
const parseQuery = (operation: Operation, query: ReadonlyMap<string, string>): unknown => {
  const [unasked] = query.keys();
  if (operation.query === undefined) {
    if (unasked === undefined) return undefined;
    throw unknownParameters(operation, [...query.keys()]);
  }
  const parsed = operation.query.safeParse(Object.fromEntries(query), { error: queryFaultText });
  if (parsed.success) return parsed.data;
  const unknown = parsed.error.issues.flatMap((issue) => (issue.code === "unrecognized_keys" ? issue.keys : []));
  if (unknown.length > 0) throw unknownParameters(operation, unknown);
  const faults = parsed.error.issues.map((issue) => faultOf({ parameter: String(issue.path[0] ?? "") }, issue));
  const names = faults.map((fault) => ("parameter" in fault ? fault.parameter : ""));
  throw new AppError(familyCode(operation, names) ?? "invalid_parameter", { detail: describeFaults(faults), faults });
};

/**
 * The error code if all faulty parameters belong to one family, `filter[…]` or `fields[…]`, and the
 * operation has that family.
 */
const familyCode = ({ errors }: Operation, names: readonly string[]): ErrorCode | undefined => {
  const families = { "filter[": "invalid_filter", "fields[": "invalid_fields" } as const;
  const family = Object.entries(families).find(([prefix]) => names.every((name) => name.startsWith(prefix)));
  return errors?.find((code) => code === family?.[1]);
};

const unknownParameters = (operation: Operation, names: readonly string[]): AppError =>
  new AppError(familyCode(operation, names) ?? "unknown_parameter", {
    detail: `This operation has no query parameter ${names
      .slice(0, mostFaults)
      .map((name) => `"${name}"`)
      .join(", ")}.`,
    faults: names.slice(0, mostFaults).map((name) => ({
      parameter: name,
      code: "unknown_parameter",
      detail: `no such parameter${hintFor(operation, name)}`,
    })),
  });

/**
 * The parameter that the caller probably meant, or those that exist: for an operator that a filter
 * does not have always all operators of its field.
 */
const hintFor = ({ query, misnomers }: Operation, name: string): string => {
  const right = misnomers?.get(name);
  if (right !== undefined) return `; what this selects is called "${right}"`;
  const known = parametersOf(query);
  const [, asked] = filterName.exec(name) ?? [];
  const filters = known.flatMap((one) => {
    const [, field, operator] = filterName.exec(one) ?? [];
    return field === undefined ? [] : [{ field, operator }];
  });
  const operators = filters.flatMap(({ field, operator = [] }) => (field === asked ? operator : []));
  if (operators.length > 0) return `; "filter[${asked}]" takes ${operators.join(", ")}`;
  const meant = didYouMean([name], known);
  if (meant !== "" || filters.length === 0 || !name.startsWith("filter[")) return meant;
  return `; there are ${[...new Set(filters.map(({ field }) => `"filter[${field}]"`))].join(", ")}`;
};

interface Readable {
  readonly request: ApiRequest;
  readonly principal: Principal | undefined;
  readonly conversion: Conversion | undefined;
  readonly notice: RequestNotice | undefined;
}

/** A request, translated into the newest version. */
export interface Understood {
  readonly query: unknown;
  readonly body: unknown;
  /** The body's text as it was sent. */
  readonly bodyText: string;
  readonly converted: Converted | undefined;
  readonly preconditions: Preconditions;
  readonly idempotencyKey: string | undefined;
}

/** One text, also for a header that was repeated. */
export const headerOf = ({ headers }: ApiRequest, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === "object" ? value.join(", ") : value;
};

/**
 * Reads a request for its operation.
 * @throws AppError for everything in it that cannot be understood.
 */
export const readRequest = async ({ request, principal, conversion, notice }: Readable): Promise<Understood> => {
  const { operation } = request;
  const preconditions = preconditionsOf((name) => headerOf(request, name), operation.requiresIfMatch === true);
  const keyHeader = headerOf(request, "idempotency-key");
  const minLength = operation.own !== undefined && principal === undefined ? minLengthOfStrangers : 1;
  const idempotencyKey =
    keyHeader === undefined || !takesKey(operation) ? undefined : parseIdempotencyKey(keyHeader, minLength);
  if (request.query instanceof Error) throw request.query;
  const asked = request.query.length === 0 ? noQuery : queryOf(operation, request.query);
  const sent = await request.body();
  const given = { query: asked, body: sent?.value };
  notice?.note(given, principal);
  const converted = conversion?.up(given);
  const query = parseQuery(operation, (converted ?? given).query);
  let body: unknown;
  if (operation.body !== undefined && operation.body !== "raw") {
    body =
      converted?.needsRow === true ? bodyOfRow(operation, converted) : bodyOf(operation, (converted ?? given).body);
  }
  return {
    query,
    body,
    bodyText: sent?.text ?? "",
    converted,
    preconditions,
    idempotencyKey,
  };
};

/**
 * A body of an older version that changes a row may lack what that version cannot express. That is
 * not the caller's fault, so those parts are taken from the row.
 * @throws AppError for faults that the caller can correct.
 */
const bodyOfRow = (operation: Operation, { body, faultsOfCaller }: Converted): unknown => {
  try {
    return bodyOf(operation, body);
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.faults.length === 0) throw thrown;
    const faults = faultsOfCaller(thrown.faults);
    if (faults.length > 0) throw thrown.with({ faults, detail: describeFaults(faults) });
    return undefined;
  }
};

/**
 * The row that results from the body: PATCH merges the body into the row (RFC 7396), PUT replaces
 * the row by it.
 */
export const applyBody = (
  operation: Operation,
  { converted, body }: Understood,
  current: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  const patches = operation.method === "PATCH";
  const given =
    converted?.applyTo(current) ??
    (patches && isObject(body) ? patchRow(describedBody(operation), current, body) : body);
  const whole = converted === undefined || patches ? given : bodyOf(operation, given);
  // The schema of a body that is applied to a row describes an object.
  return whole as Readonly<Record<string, unknown>>;
};

const noQuery: ReadonlyMap<string, string> = new Map();

/** The parameters by their names. A list that is given in several parts is one list. */
const queryOf = ({ query: schema }: Operation, pairs: QueryPairs): ReadonlyMap<string, string> => {
  const query = new Map<string, string>();
  for (const [name, value, list] of pairs) {
    const before = query.get(name);
    if (before !== undefined && !takesValues(name) && !takesNames(name) && !isListParameter(schema, name)) {
      throw new AppError("invalid_parameter", {
        detail: `The query parameter "${name}" is given more than once.`,
        faults: [{ parameter: name, code: "repeated", detail: "give it once" }],
      });
    }
    const given = takesValues(name)
      ? listText(list ?? value.split(","))
      : /^fields(\[|$)/.test(name)
        ? withoutBlanks(value)
        : value;
    query.set(name, before === undefined ? given : `${before},${given}`);
  }
  return query;
};

const withoutBlanks = (names: string): string =>
  names
    .split(",")
    .map((name) => name.trim())
    .join(",");

const bodyOf = (operation: Operation, body: unknown): unknown => {
  if (operation.body === undefined || operation.body === "raw") return undefined;
  if (body === undefined && operation.bodyOptional === true) return parseBody(operation.body, {}, undefined);
  if (body === undefined)
    throw new AppError("invalid_json", { detail: "This operation needs a JSON object as its body." });
  return parseBody(operation.body, body, operation.readOnlyFields);
};
