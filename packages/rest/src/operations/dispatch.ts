import type { Storage } from "@postern/core";
import { AppError } from "@postern/core";
import {
  type Answer,
  type Clock,
  type Ids,
  type Line,
  type SecretBox,
  type Share,
  type Telemetry,
  toAppError,
} from "@postern/core/parts";
import { type AuditTrail, auditTrail } from "../access/audit-trail.ts";
import type { Principal } from "../access/principal.ts";
import { mayUse, requireRight } from "../access/right.ts";
import type { Roles } from "../access/roles.ts";
import type { Deprecations, RequestNotice } from "../deprecations/deprecations.ts";
import type { IdempotentAnswers, KeyedRequest, KeyUse } from "../idempotency/idempotent-answers.ts";
import { keyedRequest } from "../idempotency/keyed-request.ts";
import type { AnswerMemory } from "../limits/answer-memory.ts";
import type { RequestLimits, Use } from "../limits/limits.ts";
import type { LongWork } from "../limits/long-work.ts";
import { networkOf } from "../limits/network-of.ts";
import { conditionalAnswer } from "../preconditions/conditional-answer.ts";
import type { QuotaKeeper } from "../resources/quotas.ts";
import type { ApiVersion } from "../versions/api-versions.ts";
import type { Conversion, Converted } from "../versions/conversion.ts";
import type { AnswerBounds } from "./answer-bounds.ts";
import { type ApiRequest, headerOf } from "./api-request.ts";
import type { Call, CursorSigner, Operation, OperationAnswer } from "./operation.ts";
import { preferredAnswer } from "./preference.ts";
import { applyBody, readRequest } from "./read-request.ts";
import { writeJson } from "./write-json.ts";

/**
 * Finds out who a request acts for; `undefined` for an anonymous request.
 * @throws AppError `invalid_token`, `token_expired` for an invalid credential.
 */
export type Authenticate = (request: ApiRequest) => Promise<Principal | undefined>;

/** The dependencies of dispatch. */
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
  readonly roles: Roles;
  /** Whether an address may call operations below `/admin`. */
  readonly mayAdminister: (address: string) => boolean;
  readonly answerBounds: AnswerBounds;
  /** The memory of one answer to a caller of this network. */
  readonly memoryFor: (network: string) => AnswerMemory;
  readonly longWork: LongWork;
  readonly quotas: QuotaKeeper;
  /** Its keys are users. */
  readonly requestsAtOnce: Line;
  /** The limits of one request. */
  readonly limitsFor: (request: ApiRequest) => RequestLimits;
}

/** A request before any check. */
interface Arrived {
  readonly request: ApiRequest;
  readonly limits: RequestLimits;
  /** The deprecated things that the request uses; `undefined` if there are none. */
  readonly notice: RequestNotice | undefined;
  /** The requested version. */
  readonly version: ApiVersion | undefined;
}

/** The facts about a request that may be answered. */
interface Admitted {
  readonly request: ApiRequest;
  readonly principal: Principal | undefined;
  readonly limits: RequestLimits;
  readonly conversion: Conversion | undefined;
  /** The deprecated things that the request uses; `undefined` if there are none. */
  readonly notice: RequestNotice | undefined;
  readonly memory: AnswerMemory;
}

/**
 * Takes every request through the engine, always in this order: credential, limit of the principal
 * or, without a valid credential, of the address; role and scope, syntax in the requested version; then existence and
 * ownership, idempotency and the operation itself (preconditions, business rules, write); and back
 * into the requested version. The returned function throws an AppError for a request that it
 * refuses.
 */
export const createDispatch = (parts: DispatchParts): ((request: ApiRequest) => Promise<Answer>) => {
  const versions = new Map<string, ApiVersion>(parts.versions.map((version) => [version.id, version]));

  return async (request) => {
    const limits = parts.limitsFor(request);
    let notice: RequestNotice | undefined;
    // With a spread instead of the empty literal, V8 takes fifteen times as long.
    const responseHeaders = (headers: Answer["headers"]) =>
      Object.assign({}, headers, notice?.headers(headers?.link), limits.headers());
    try {
      notice = parts.deprecations.notice(request.operation, request.facts);
      const version = versions.get(request.facts.version.id);
      const answer = await answerAdmitted(parts, { request, limits, notice, version });
      return { ...answer, headers: responseHeaders(answer.headers) };
    } catch (thrown) {
      const error = toAppError(thrown);
      throw error.with({ headers: responseHeaders(error.headers) });
    }
  };
};

/** Finds out who the caller is, and answers if they may call the operation. */
const answerAdmitted = async (
  parts: DispatchParts,
  { request, limits, notice, version }: Arrived,
): Promise<OperationAnswer> => {
  const { principal, use } = await identify(parts, request, limits);
  const refusal = refusalOf(parts, request, principal);
  if (refusal !== undefined) {
    await noteRefusal(parts, { request, limits, principal, refusal });
    throw refusal;
  }
  const conversion = version?.conversion(request.operation);
  const memory = parts.memoryFor(networkOf(request.facts.address));
  let share: Share | undefined;
  try {
    // A user's requests run a few at a time, so that costly ones leave the database to other users.
    if (principal?.kind === "user" && typeof request.credential === "function") {
      share = await parts.requestsAtOnce.take(principal.userId);
    }
    const answer = await answerInVersion(parts, { request, principal, limits, conversion, notice, memory });
    // If a request asks whether something has changed, and it has not, the request does not count
    // against the limit.
    if (answer.status === 304) await use.giveBack();
    return answer;
  } catch (thrown) {
    throw conversion === undefined || !(thrown instanceof AppError) ? thrown : conversion.errorDown(thrown);
  } finally {
    memory.release();
    share?.release();
  }
};

/**
 * Finds out who a request acts for, and counts it: for its user, or for its address if it has no
 * valid credential. Many users may share an address, and none is refused for what others do.
 * @throws AppError `rate_limited`; those of `authenticate`.
 */
const identify = async (
  { authenticate }: DispatchParts,
  request: ApiRequest,
  limits: RequestLimits,
): Promise<{ readonly principal: Principal | undefined; readonly use: Use }> => {
  const network = networkOf(request.facts.address);
  let principal: Principal | undefined;
  try {
    principal = await authenticate(request);
  } catch (thrown) {
    await limits.take("address", network);
    throw thrown;
  }
  if (principal !== undefined) request.onPrincipal?.(principal);
  const use =
    principal?.kind === "user" ? await limits.take("default", principal.userId) : await limits.take("address", network);
  const { limit } = request.operation;
  if (limit !== undefined) await limits.take(limit, network);
  return { principal, use };
};

/** Why the caller may not use the operation; `undefined` if they may. The errors of `requireRight`. */
const refusalOf = (
  { roles, mayAdminister }: DispatchParts,
  { operation, facts }: ApiRequest,
  principal: Principal | undefined,
): AppError | undefined => {
  try {
    requireRight(roles, operation, principal);
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown;
    throw thrown;
  }
  // The command line of the machine has no network address.
  return operation.access !== "admin" || principal?.kind === "operator" || mayAdminister(facts.address)
    ? undefined
    : new AppError("forbidden", { detail: "This server is not administered from your address." });
};

/** Notes refused attempts below `/admin` in the audit log: of one user, so many that they do not fill it. */
const noteRefusal = async (
  { clock, storage }: DispatchParts,
  {
    request: { operation, facts },
    limits,
    principal,
    refusal: { code },
  }: Pick<Arrived, "request" | "limits"> & {
    readonly principal: Principal | undefined;
    readonly refusal: AppError;
  },
): Promise<void> => {
  if (operation.access !== "admin" || principal === undefined) return;
  const who = principal.kind === "operator" ? principal.name : principal.userId;
  const isFew = await limits.take("admin-refusal", who).then(
    () => true,
    () => false,
  );
  if (isFew) await auditTrail(clock, operation, facts, principal)(storage.audit, { result: code });
};

/** Everything after the access check: the requested version outside, the newest version inside. */
const answerInVersion = async (parts: DispatchParts, admitted: Admitted): Promise<OperationAnswer> => {
  const { clock, ids, storage } = parts;
  const { request, principal } = admitted;
  const { operation, facts } = request;
  const network = networkOf(facts.address);
  const understood = await readRequest(admitted);
  const { idempotencyKey: key, bodyText, converted, preconditions } = understood;
  const note = auditTrail(clock, operation, facts, principal);
  const inVersion = answersDown(parts.telemetry, request, converted);
  const callWith = (claim: KeyUse | undefined): Call => ({
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
    answerBounds: parts.answerBounds,
    memory: admitted.memory,
    inTurns: (steps) => parts.longWork.finish(network, steps),
    quotas: parts.quotas,
    cursors: parts.cursors,
    may: (scope) => mayUse(parts.roles, principal, scope),
    now: () => clock.now(),
    newId: () => ids.uuid(),
    write: writeWith({ storage, network, note, claim, inVersion }),
  });
  const answer =
    key === undefined
      ? await operation.handle(callWith(undefined))
      : await answerOnce(
          parts.idempotentAnswers,
          operation,
          keyedRequest(operation, facts, { key, bodyText, principal }),
          callWith,
        );
  const conditional = { operation, facts, preconditions };
  const tagged = await conditionalAnswer(parts.secretBox, conditional, inVersion(answer), (body) =>
    writeJson(parts.longWork, network, body),
  );
  const sent = preferredAnswer(operation, tagged, headerOf(request, "prefer"));
  if (sent.body !== undefined) admitted.notice?.noteAnswer(sent.body);
  return sent;
};

interface WriteParts {
  readonly storage: Storage;
  readonly network: string;
  readonly note: AuditTrail;
  readonly claim: KeyUse | undefined;
  readonly inVersion: (answer: OperationAnswer) => OperationAnswer;
}

/** One transaction of a write: its effect, its audit entry and the answer kept for its key. */
const writeWith =
  ({ storage, network, note, claim, inVersion }: WriteParts): Call["write"] =>
  (what, work) =>
    storage.transaction(async (stores) => {
      await claim?.take(stores.answers);
      const answer = await work(stores);
      // This comes before the commit. If the answer cannot be made, the write does not happen, and
      // the client can send it again.
      inVersion(answer);
      await note(stores.audit, what);
      await claim?.keep(stores.answers, answer);
      return answer;
    }, network);

/** A caller who has lost the right to this operation does not get a kept answer either. */
const answerOnce = async (
  idempotentAnswers: IdempotentAnswers,
  operation: Operation,
  keyed: KeyedRequest,
  callWith: (claim: KeyUse | undefined) => Call,
): Promise<OperationAnswer> => {
  await operation.reach?.(callWith(undefined));
  return idempotentAnswers.answerOnce(keyed, (claim) => operation.handle(callWith(claim)));
};

/**
 * Converts the answers of one request to the requested version, each of them once.
 * @throws AppError `internal_error` for an answer that does not fit that version's schema: it is
 *   not sent.
 */
const answersDown = (
  telemetry: Telemetry,
  { operation, facts }: ApiRequest,
  converted: Converted | undefined,
): ((answer: OperationAnswer) => OperationAnswer) => {
  if (converted === undefined) return (answer) => answer;
  const made = new Map<OperationAnswer, OperationAnswer>();
  return (answer) => {
    // A lasting answer was made for the version that asks for it.
    if (answer.isLasting === true) return answer;
    const known = made.get(answer);
    if (known !== undefined) return known;
    try {
      const older = converted.answerDown(answer);
      made.set(answer, older);
      return older;
    } catch (cause) {
      telemetry.count("api_conversions_failed_total", { version: facts.version.id, operation: operation.id });
      throw new AppError("internal_error", { cause });
    }
  };
};
