import { AppError } from "@postern/core";
import { describeFaults, isObject, parseBody } from "@postern/core/parts";
import type { Principal } from "../access/principal.ts";
import type { RequestNotice } from "../deprecations/deprecations.ts";
import { parseIdempotencyKey } from "../idempotency/idempotency-key.ts";
import { takesKey } from "../idempotency/keyed-request.ts";
import { type Preconditions, preconditionsOf } from "../preconditions/preconditions.ts";
import { patchRow } from "../resources/merge-patch.ts";
import { type Conversion, type Converted, bodyOf as describedBody } from "../versions/conversion.ts";
import type { ApiRequest, QueryPairs } from "./api-request.ts";
import type { Operation } from "./operation.ts";
import { listText, takesValues } from "./query-list.ts";
import { parseQuery } from "./validation.ts";

/** A request whose caller may call its operation. */
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
  const idempotencyKey = keyHeader === undefined || !takesKey(operation) ? undefined : parseIdempotencyKey(keyHeader);
  if (request.query instanceof Error) throw request.query;
  const asked = request.query.length === 0 ? noQuery : uniqueQuery(request.query);
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

const uniqueQuery = (pairs: QueryPairs): ReadonlyMap<string, string> => {
  const query = new Map<string, string>();
  for (const [name, value, list] of pairs) {
    if (query.has(name)) {
      throw new AppError("invalid_parameter", {
        detail: `The query parameter "${name}" is given more than once.`,
        faults: [{ parameter: name, code: "repeated", detail: "give it once" }],
      });
    }
    if (takesValues(name)) query.set(name, listText(list ?? value.split(",")));
    else query.set(name, /^fields(\[|$)/.test(name) ? withoutBlanks(value) : value);
  }
  return query;
};

/** Turns `title, body` into `title,body`. */
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
