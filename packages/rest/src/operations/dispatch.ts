import type { Answer, Clock, SecretBox, Storage, Telemetry } from "@postern/core";
import { AppError, type Ids } from "@postern/core";
import { isObject, toAppError } from "@postern/core/parts";
import { type AuditTrail, auditTrail } from "../access/audit-trail.ts";
import { challenge } from "../access/challenge.ts";
import { isAdmin, type Principal } from "../access/principal.ts";
import type { Deprecations, RequestNotice } from "../deprecations/deprecations.ts";
import { parseIdempotencyKey } from "../idempotency/idempotency-key.ts";
import type { Claim, IdempotentAnswers } from "../idempotency/idempotent-answers.ts";
import type { RequestLimits } from "../limits/limits.ts";
import { networkOf } from "../limits/network-of.ts";
import type { RequestsAtOnce } from "../limits/requests-at-once.ts";
import { conditionalAnswer } from "../preconditions/conditional-answer.ts";
import { type Preconditions, preconditionsOf } from "../preconditions/preconditions.ts";
import { mergePatch } from "../resources/merge-patch.ts";
import type { ApiVersion } from "../versions/api-versions.ts";
import type { Conversion, Converted } from "../versions/conversion.ts";
import type { Call, CursorSigner, Operation, OperationAnswer, RequestFacts } from "./operation.ts";
import { preferredAnswer } from "./preference.ts";
import { parseBody, parseQuery } from "./validation.ts";

/** A body: what it says, and the text that said it. */
export interface RequestBody {
  /** The parsed JSON. */
  readonly value: unknown;
  readonly text: string;
}

/**
 * A request as an adapter hands it over: routed to its operation, with nothing checked yet. Each part
 * is read when dispatch asks for it, and may throw then.
 */
export interface ApiRequest {
  /** The entry of the operation table. */
  readonly operation: Operation;
  readonly facts: RequestFacts;
  readonly params: Readonly<Record<string, string>>;
  /** As they were sent, in order, repeats included. */
  readonly query: () => readonly (readonly [name: string, value: string])[];
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /**
   * Reads the body. It is called once it is known that the caller may send one; `undefined` when there
   * is none. @throws AppError
   */
  readonly body: () => Promise<RequestBody | undefined>;
  /** Reads the bearer token. The principal itself where the caller is known already (the command line). */
  readonly credential: (() => string | undefined) | Principal;
  /** Called with the principal as soon as it is known. */
  readonly onPrincipal?: (principal: Principal) => void;
}

/**
 * Finds out who a request acts for; `undefined` for an anonymous one.
 * @throws AppError `invalid_token`, `token_expired` for a credential that does not hold.
 */
export type Authenticate = (request: ApiRequest) => Promise<Principal | undefined>;

/** What dispatch works with. */
export interface DispatchParts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly storage: Storage;
  readonly cursors: CursorSigner;
  readonly secretBox: Pick<SecretBox, "digest">;
  readonly telemetry: Telemetry;
  readonly versions: readonly ApiVersion[];
  readonly deprecations: Deprecations;
  readonly idempotentAnswers: IdempotentAnswers;
  readonly authenticate: Authenticate;
  /** By user. */
  readonly requestsAtOnce: RequestsAtOnce;
  /** The limits of one request. */
  readonly limitsFor: (request: ApiRequest) => RequestLimits;
}

/** What is known of a request once it may be answered. */
interface Admitted {
  readonly request: ApiRequest;
  readonly principal: Principal | undefined;
  readonly limits: RequestLimits;
  readonly conversion: Conversion | undefined;
  /** What is deprecated about it; `undefined` where nothing is. */
  readonly notice: RequestNotice | undefined;
}

/** What a request says, in the newest version's words. */
interface Understood {
  readonly query: unknown;
  readonly body: unknown;
  /** The body's text as it was sent. */
  readonly bodyText: string;
  readonly converted: Converted | undefined;
  readonly preconditions: Preconditions;
  readonly idempotencyKey: string | undefined;
}

/**
 * The way of every request through the engine, in this order and no other: limit of the address,
 * credential, limit of the principal, role, syntax in the requested version, then existence and
 * ownership, idempotency and the operation itself (preconditions, business rules, write), and back into
 * the requested version. The returned function throws an AppError for whatever stands in the way.
 */
export const createDispatch = (parts: DispatchParts): ((request: ApiRequest) => Promise<Answer>) => {
  const { clock, ids, storage, deprecations, telemetry } = parts;
  const versions = new Map<string, ApiVersion>(parts.versions.map((version) => [version.id, version]));

  const dispatch = async (request: ApiRequest): Promise<Answer> => {
    const limits = parts.limitsFor(request);
    let notice: RequestNotice | undefined;
    const responseHeaders = (headers: Answer["headers"]) =>
      Object.assign({ ...headers }, notice?.headers(headers?.link), limits.headers());
    try {
      notice = deprecations.notice(request.operation, request.facts);
      const answer = await answerAdmitted(request, limits, notice);
      return { ...answer, headers: responseHeaders(answer.headers) };
    } catch (thrown) {
      const error = toAppError(thrown);
      throw error.with({ headers: responseHeaders(error.headers) });
    }
  };

  /** Finds out who asks, and answers if they may ask at all. */
  const answerAdmitted = async (
    request: ApiRequest,
    limits: RequestLimits,
    notice: RequestNotice | undefined,
  ): Promise<OperationAnswer> => {
    const { operation, facts } = request;
    const network = networkOf(facts.address);
    const byAddress = await limits.take("address", network);
    if (operation.limit !== undefined) await limits.take(operation.limit, network);
    const principal = await parts.authenticate(request);
    if (principal !== undefined) request.onPrincipal?.(principal);
    const byPrincipal = principal?.kind === "user" ? await limits.take("default", principal.userId) : undefined;
    await authorize(request, principal);
    const conversion = versions.get(facts.version.id)?.conversion(operation);
    try {
      const answer = await inTurn(request, principal, () =>
        answerInVersion({ request, principal, limits, conversion, notice }),
      );
      // Asking whether something has changed costs nothing when it has not.
      if (answer.status === 304) await Promise.all([byAddress.giveBack(), byPrincipal?.giveBack()]);
      return answer;
    } catch (thrown) {
      throw conversion === undefined || !(thrown instanceof AppError) ? thrown : conversion.errorDown(thrown);
    }
  };

  /** A user's requests are answered a few at a time, so that costly ones leave the database to the other users. */
  const inTurn = <Result>(
    { credential }: ApiRequest,
    principal: Principal | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> =>
    principal?.kind === "user" && typeof credential === "function"
      ? parts.requestsAtOnce.run(principal.userId, work)
      : work();

  /** @throws AppError `unauthenticated`; `forbidden` for an operation that is for administrators. */
  const authorize = async ({ operation, facts }: ApiRequest, principal: Principal | undefined): Promise<void> => {
    if (operation.access === "public") return;
    if (principal === undefined) {
      throw new AppError("unauthenticated", {
        detail: "Send an access token as `Authorization: Bearer …`; POST /api/sessions gives one.",
        headers: challenge(),
      });
    }
    if (operation.access === "admin" && !isAdmin(principal)) {
      await auditTrail(clock, operation, facts, principal)(storage.audit, { result: "forbidden" });
      throw new AppError("forbidden", { detail: "This is for administrators." });
    }
  };

  /** Everything behind the access check: the requested version outside, the newest version inside. */
  const answerInVersion = async (admitted: Admitted): Promise<OperationAnswer> => {
    const { request, principal } = admitted;
    const { operation, facts } = request;
    const understood = await parse(admitted);
    const { idempotencyKey: key, bodyText, converted, preconditions } = understood;
    const note = auditTrail(clock, operation, facts, principal);
    const callWith = (claim: Claim | undefined): Call => ({
      principal,
      params: request.params,
      query: understood.query,
      body: understood.body,
      applyTo: (current) => applyBody(operation, understood, current),
      preconditions,
      request: facts,
      limits: admitted.limits,
      note,
      rows: storage.resources,
      cursors: parts.cursors,
      now: () => clock.now(),
      newId: () => ids.uuid(),
      write: writeWith(note, claim),
    });
    const answer =
      key === undefined
        ? await operation.handle(callWith(undefined))
        : await answerOnce({ key, operation, facts, principal, bodyText }, callWith);
    const older = converted === undefined ? answer : answerDown(request, converted, answer);
    const tagged = await conditionalAnswer(parts.secretBox, { operation, facts, preconditions }, older);
    return preferredAnswer(operation, tagged, headerOf(request, "prefer"));
  };

  /** One transaction of a write: its effect, its audit entry and the answer kept for its key. */
  const writeWith =
    (note: AuditTrail, claim: Claim | undefined): Call["write"] =>
    (what, work) =>
      storage.transaction(async (stores) => {
        await claim?.take(stores.answers);
        const answer = await work(stores);
        await note(stores.audit, what);
        await claim?.keep(stores.answers, answer);
        return answer;
      });

  /** A caller who may not do this (any more) gets no kept answer either. */
  const answerOnce = async (
    keyed: Parameters<IdempotentAnswers["answerOnce"]>[0],
    callWith: (claim: Claim | undefined) => Call,
  ): Promise<OperationAnswer> => {
    const { operation } = keyed;
    await operation.reach?.(callWith(undefined));
    return parts.idempotentAnswers.answerOnce(keyed, (claim) => operation.handle(callWith(claim)));
  };

  /** Fails closed: an answer that does not fit the requested version's schema is not sent. */
  const answerDown = (
    { operation, facts }: ApiRequest,
    converted: Converted,
    answer: OperationAnswer,
  ): OperationAnswer => {
    try {
      return converted.answerDown(answer);
    } catch (cause) {
      telemetry.count("api_conversions_failed_total", { version: facts.version.id, operation: operation.id });
      throw new AppError("internal_error", { cause });
    }
  };

  return dispatch;
};

/** Reads a request for its operation. @throws AppError for whatever in it cannot be understood. */
const parse = async ({ request, principal, conversion, notice }: Admitted): Promise<Understood> => {
  const { operation } = request;
  const preconditions = preconditionsOf((name) => headerOf(request, name), operation.requiresIfMatch === true);
  const idempotencyKey = keyOf(operation, headerOf(request, "idempotency-key"));
  const asked = uniqueQuery(request.query());
  const sent = await request.body();
  const given = { query: asked, body: sent?.value };
  notice?.note(given, principal);
  const converted = conversion?.up(given);
  return {
    query: parseQuery(operation, (converted ?? given).query),
    body: bodyOf(operation, (converted ?? given).body),
    bodyText: sent?.text ?? "",
    converted,
    preconditions,
    idempotencyKey,
  };
};

/** What the body makes of a row: PATCH merges it into the row (RFC 7396), PUT puts it in the row's place. */
const applyBody = (
  operation: Operation,
  { converted, body }: Understood,
  current: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  const patches = operation.method === "PATCH";
  const given = converted?.applyTo(current) ?? (patches && isObject(body) ? mergePatch(current, body) : body);
  const whole = converted === undefined || patches ? given : bodyOf(operation, given);
  // The schema of a body that is applied to a row is an object's.
  return whole as Readonly<Record<string, unknown>>;
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
