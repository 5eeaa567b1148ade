import { auditTrail } from "../audit/audit-trail.ts";
import { authenticate, challenge } from "../auth/authenticate.ts";
import { isAdmin, type Principal } from "../auth/principal.ts";
import type { RequestNotice } from "../deprecations/deprecations.ts";
import type { Environment } from "../environment.ts";
import { AppError, type ErrorCode, problemOf, toAppError } from "../errors/index.ts";
import { parseIdempotencyKey } from "../idempotency/idempotency-key.ts";
import type { Claim } from "../idempotency/kept-answers.ts";
import { isObject } from "../json-schema/json-schema.ts";
import { conditionalAnswer } from "../preconditions/conditional-answer.ts";
import { preconditionsOf } from "../preconditions/preconditions.ts";
import { limitsOf, type RequestLimits } from "../rate-limit/limits.ts";
import { networkOf } from "../rate-limit/network-of.ts";
import { mergePatch } from "../resources/merge-patch.ts";
import type { Conversion, Converted } from "../versions/conversion.ts";
import type { Answer, Call, Operation, RequestFacts } from "./operation.ts";
import { preferredAnswer } from "./preference.ts";
import { parseBody, parseQuery } from "./validation.ts";

/** A body as it came and what it says. */
export interface RequestBody {
  /** The parsed JSON. */
  readonly value: unknown;
  readonly text: string;
}

/** A request as an adapter hands it over: routed to its operation, nothing checked yet. What can be found wrong with its parts is found when core asks for them. */
export interface ApiRequest {
  /** The entry of the operation table. */
  readonly operation: Operation;
  readonly facts: RequestFacts;
  readonly params: Readonly<Record<string, string>>;
  /** As they were sent, in order, repeats included. */
  readonly query: () => readonly (readonly [name: string, value: string])[];
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Reads the body, which happens only once it is known that the caller may send one; `undefined` when there is none. @throws AppError */
  readonly body: () => Promise<RequestBody | undefined>;
  /** The bearer token, or the principal where the caller is known already (the command line). */
  readonly credential: (() => string | undefined) | Principal;
}

/** What every answer to a request tells: the limits it has met, and what it uses that will go away. */
interface Told {
  readonly limits: RequestLimits;
  /** What is deprecated about it, where something is. */
  readonly notice: RequestNotice | undefined;
}

/**
 * The way of every request through core, in this order and no other: limit of the address, credential, limit of the principal, role, syntax in the requested
 * version, existence and ownership, idempotency, and the operation itself (preconditions, business rules, write); then back into the requested version.
 * @throws AppError for whatever stands in the way.
 */
export const dispatch = async (environment: Environment, request: ApiRequest): Promise<Answer> => {
  const limits = limitsOf(environment, request.credential);
  let notice: RequestNotice | undefined;
  const told = (headers: Answer["headers"]) =>
    Object.assign({ ...headers }, notice?.headers(headers?.link), limits.headers());
  try {
    notice = environment.deprecations.notice(request.operation, request.facts);
    const answer = await admit(environment, request, { limits, notice });
    return { ...answer, headers: told(answer.headers) };
  } catch (thrown) {
    const error = toAppError(thrown);
    throw error.with({ headers: told(error.headers) });
  }
};

/** Finds out who asks and whether they may ask at all. */
const admit = async (environment: Environment, request: ApiRequest, told: Told): Promise<Answer> => {
  const { operation, facts } = request;
  const { limits } = told;
  const network = networkOf(facts.address);
  const byAddress = await limits.take("address", network);
  if (operation.limit !== undefined) await limits.take(operation.limit, network);
  const principal = await principalOf(environment, request);
  const byPrincipal = principal?.kind === "user" ? await limits.take("default", principal.userId) : undefined;
  await allow(environment, operation, facts, principal);
  const conversion = facts.version.conversion(operation);
  try {
    const answer = await answerIn(environment, request, told, principal, conversion);
    // Asking whether something has changed costs nothing when it has not.
    if (answer.status === 304) await Promise.all([byAddress.giveBack(), byPrincipal?.giveBack()]);
    return answer;
  } catch (thrown) {
    throw conversion === undefined || !(thrown instanceof AppError) ? thrown : conversion.errorDown(thrown);
  }
};

/** Everything behind the access check: in the requested version on the way in and on the way out, in core's own in between. */
const answerIn = async (
  environment: Environment,
  request: ApiRequest,
  told: Told,
  principal: Principal | undefined,
  conversion: Conversion | undefined,
): Promise<Answer> => {
  const { operation, facts } = request;
  const { key, bodyText, converted, preconditions, callWith } = await understand(
    environment,
    request,
    told,
    principal,
    conversion,
  );
  const answer =
    key === undefined
      ? await operation.handle(callWith(undefined))
      : await answerOnce(environment, { key, operation, facts, principal, bodyText }, callWith);
  const older = converted === undefined ? answer : answerDown(environment, request, converted, answer);
  const tagged = await conditionalAnswer(environment.ports, operation, facts, preconditions, older);
  return preferredAnswer(operation, tagged, headerOf(request, "prefer"));
};

/** The request as the operation wants it. @throws AppError for whatever in it cannot be understood. */
const understand = async (
  environment: Environment,
  request: ApiRequest,
  told: Told,
  principal: Principal | undefined,
  conversion: Conversion | undefined,
) => {
  const { operation, facts, params } = request;
  const { clock, storage } = environment.ports;
  const preconditions = preconditionsOf((name) => headerOf(request, name), operation.requiresIfMatch === true);
  const key = keyOf(operation, headerOf(request, "idempotency-key"));
  const asked = uniqueQuery(request.query());
  const sent = await request.body();
  const given = { query: asked, body: sent?.value };
  told.notice?.note(given, principal);
  const converted = conversion?.up(given);
  const query = parseQuery(operation, (converted ?? given).query);
  const body = bodyOf(operation, (converted ?? given).body);
  const note = auditTrail(clock, operation, facts, principal);

  const callWith = (claim: Claim | undefined): Call => ({
    environment,
    principal,
    params,
    query,
    body,
    applyTo: (current) => applied(operation, converted, body, current),
    preconditions,
    request: facts,
    limits: told.limits,
    note,
    write: (what, work) =>
      storage.transaction(async (stores) => {
        await claim?.take(stores.answers);
        const answer = await work(stores);
        await note(stores.audit, what);
        await claim?.keep(stores.answers, answer);
        return answer;
      }),
  });
  return { key, bodyText: sent?.text ?? "", converted, preconditions, callWith };
};

const applied = (
  operation: Operation,
  converted: Converted | undefined,
  body: unknown,
  current: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  const patches = operation.method === "PATCH";
  const given = converted?.applyTo(current) ?? (patches && isObject(body) ? mergePatch(current, body) : body);
  const whole = converted === undefined || patches ? given : bodyOf(operation, given);
  // The schema of a body that is applied to a row is an object's.
  return whole as Readonly<Record<string, unknown>>;
};

/** Who may not do this (any more) gets no kept answer either. */
const answerOnce = async (
  environment: Environment,
  request: Parameters<Environment["keptAnswers"]["answerOnce"]>[0],
  callWith: (claim: Claim | undefined) => Call,
): Promise<Answer> => {
  const { operation } = request;
  await operation.reach?.(callWith(undefined));
  return environment.keptAnswers.answerOnce(request, (claim) => operation.handle(callWith(claim)));
};

/** Fails closed: what does not satisfy the requested version's schema is not sent to a caller who relies on it. */
const answerDown = (
  { ports }: Environment,
  { operation, facts }: ApiRequest,
  converted: Converted,
  answer: Answer,
): Answer => {
  try {
    return converted.answerDown(answer);
  } catch (cause) {
    ports.telemetry.count("api_conversions_failed_total", { version: facts.version.id, operation: operation.id });
    throw new AppError("internal_error", { cause });
  }
};

/** Refusals that are no failure of ours: they are counted, and a line with a stack for each would only add to what there is too much of. */
const expected: ReadonlySet<ErrorCode> = new Set(["overloaded", "draining", "not_implemented"]);

/** Any failure as the one error answer. Bugs are logged once, here, and show nothing of themselves. */
export const answerError = (
  { telemetry }: Environment["ports"],
  thrown: unknown,
  request: { readonly path: string; readonly requestId: string },
): Answer => {
  const error = toAppError(thrown);
  if (error.status >= 500 && !expected.has(error.code)) {
    telemetry.log(
      "error",
      "request failed",
      { request_id: request.requestId, path: request.path, code: error.code },
      error.cause ?? error,
    );
  }
  return {
    status: error.status,
    headers: { ...error.headers, "content-type": "application/problem+json" },
    body: problemOf(error, request),
  };
};

const principalOf = async (environment: Environment, { credential }: ApiRequest): Promise<Principal | undefined> => {
  if (typeof credential !== "function") return credential;
  const token = credential();
  return token === undefined ? undefined : authenticate(environment.ports, environment.liveSessions, token);
};

const allow = async (
  { ports }: Environment,
  operation: Operation,
  facts: RequestFacts,
  principal: Principal | undefined,
): Promise<void> => {
  if (operation.access === "public") return;
  if (principal === undefined) {
    throw new AppError("unauthenticated", {
      detail: "Send an access token as `Authorization: Bearer …`; POST /api/sessions gives one.",
      headers: challenge(),
    });
  }
  if (operation.access === "admin" && !isAdmin(principal)) {
    await auditTrail(ports.clock, operation, facts, principal)(ports.storage.audit, { result: "forbidden" });
    throw new AppError("forbidden", { detail: "This is for administrators." });
  }
};

const headerOf = ({ headers }: ApiRequest, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === "object" ? value.join(", ") : value;
};

const keyOf = ({ method, idempotent }: Operation, header: string | undefined): string | undefined =>
  header === undefined || idempotent === false || (method !== "POST" && method !== "PATCH")
    ? undefined
    : parseIdempotencyKey(header);

const uniqueQuery = (pairs: ReturnType<ApiRequest["query"]>): ReadonlyMap<string, string> => {
  const query = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (query.has(name)) {
      throw new AppError("invalid_parameter", {
        detail: `The query parameter "${name}" is given more than once.`,
        faults: [{ parameter: name, code: "repeated", detail: "give it once" }],
      });
    }
    query.set(name, value);
  }
  return query;
};

const bodyOf = (operation: Operation, body: unknown): unknown => {
  if (operation.body === undefined || operation.body === "raw") return undefined;
  if (body === undefined && operation.bodyOptional === true) return parseBody(operation.body, {}, undefined);
  if (body === undefined)
    throw new AppError("invalid_json", { detail: "This operation needs a JSON object as its body." });
  return parseBody(operation.body, body, operation.readOnlyFields);
};
