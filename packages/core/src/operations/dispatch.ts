import { authenticate, challenge } from "../auth/authenticate.ts";
import { isAdmin, type Principal } from "../auth/principal.ts";
import type { Environment } from "../environment.ts";
import { AppError, problemOf, toAppError } from "../errors/index.ts";
import { checkLimits } from "../rate-limit/limits.ts";
import { requestUp, responseDown } from "../versions/index.ts";
import type { Answer, Operation, RequestFacts } from "./operation.ts";
import { parseBody, parseQuery } from "./validation.ts";

/** A request as an adapter hands it over: routed to its operation, body parsed as JSON, nothing checked yet. */
export interface ApiRequest {
  readonly operation: Operation;
  readonly facts: RequestFacts;
  readonly params: Readonly<Record<string, string>>;
  /** As they were sent, in order, repeats included. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** The parsed JSON; `undefined` when there was no body. */
  readonly body: unknown;
  /** The bearer token, or the principal where the caller is known already (the command line). */
  readonly credential: string | Principal | undefined;
}

/**
 * The way of every request through core, in this order and no other: credentials, limits, role, syntax in the requested version, the operation
 * itself (existence, ownership, business rules, write), and back into the requested version.
 * @throws AppError for whatever stands in the way.
 */
export const dispatch = async (environment: Environment, request: ApiRequest): Promise<Answer> => {
  const { operation, facts } = request;
  await checkLimits(environment, operation, facts.address);
  const principal = await principalOf(environment, request);
  allow(operation, principal);
  const input = requestUp(facts.version, operation, { query: uniqueQuery(request.query), body: request.body });
  const query = parseQuery(operation, input.query);
  const body = bodyOf(operation, input.body);
  const answer = await operation.handle({
    environment,
    principal,
    params: request.params,
    query,
    body,
    request: facts,
  });
  return responseDown(facts.version, operation, answer);
};

/** Any failure as the one error answer. Bugs are logged once, here, and show nothing of themselves. */
export const answerError = (
  { telemetry }: Environment["ports"],
  thrown: unknown,
  request: { readonly path: string; readonly requestId: string },
): Answer => {
  const error = toAppError(thrown);
  if (error.status >= 500) {
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

const principalOf = async (environment: Environment, { credential }: ApiRequest): Promise<Principal | undefined> =>
  typeof credential === "string" ? authenticate(environment.ports, credential) : credential;

const allow = (operation: Operation, principal: Principal | undefined): void => {
  if (operation.access === "public") return;
  if (principal === undefined) {
    throw new AppError("unauthenticated", {
      detail: "Send an access token as `Authorization: Bearer …`; POST /api/sessions gives one.",
      headers: challenge(),
    });
  }
  if (operation.access === "admin" && !isAdmin(principal)) {
    throw new AppError("forbidden", { detail: "This is for administrators." });
  }
};

const uniqueQuery = (pairs: ApiRequest["query"]): ReadonlyMap<string, string> => {
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
