import type { Answer, Caller, ErrorCode, Ports, Resource } from "@postern/core";
import { createLongWork } from "@postern/core/internal";
import { aboutOperations } from "./about/about-operations.ts";
import { createSelfDescription, noSenders, type SenderAnswers } from "./about/self-description.ts";
import { type Authenticate, type CallerRequest, callerOf, identify } from "./access/identify.ts";
import { scopesOf, withScope } from "./access/operation-scope.ts";
import type { Principal } from "./access/principal.ts";
import { type Roles, rolesWith } from "./access/roles.ts";
import type { ChangeLog } from "./changelog/change-log.ts";
import type { Correction } from "./changelog/correction.ts";
import { checkDeprecations, type Deprecation } from "./deprecations/deprecation.ts";
import { createDeprecations } from "./deprecations/deprecations.ts";
import { type IdempotentAnswers, idempotentAnswers } from "./idempotency/idempotent-answers.ts";
import { createKeptBytes } from "./idempotency/kept-bytes.ts";
import { type AnswerBounds, createAnswerMemory, defaultAnswerBounds } from "./limits/answer-memory.ts";
import { defaultLimits, type LimitSettings, limitsOf } from "./limits/limits.ts";
import { createRequestsAtOnce, defaultAtOnce } from "./limits/requests-at-once.ts";
import type { OpenApiDocument } from "./openapi/openapi.ts";
import type { ApiRequest } from "./operations/api-request.ts";
import { createDispatch } from "./operations/dispatch.ts";
import type { Operation } from "./operations/operation.ts";
import { type Product, productInForce } from "./product.ts";
import { createQuotas, type Quotas } from "./resources/quotas.ts";
import { type ApiVersion, checkVersions, createVersions, newestOf } from "./versions/api-versions.ts";
import { operationEffects } from "./versions/effects.ts";
import type { LeavesAlone, VersionChange, VersionDefinition } from "./versions/version.ts";

export interface ApiSettings extends LimitSettings {
  /** How large the answer to a read may become. */
  readonly answerBounds: AnswerBounds;
  /**
   * Bytes of rows that all answers which are being made may take together. An answer takes about
   * twice as much while it is written as JSON.
   */
  readonly answersBytes: number;
  /**
   * How much of a resource one owner may have, by the resource's plural name. Default: no quotas.
   */
  readonly quotas: Quotas;
  /**
   * Bytes of the answers that one user, or one address without a user, has kept under idempotency
   * keys in 24 hours. Each process counts for itself. No bound if `rateLimits` is off.
   */
  readonly keptAnswerBytes: number;
  /** Whether an address may call operations below `/admin`. Default: every address may. */
  readonly mayAdminister: (address: string) => boolean;
  /**
   * `on`: a request for anything past its sunset, or in a planned brown-out, is answered 410.
   * `off`: everything works as long as it exists.
   */
  readonly enforceSunsets: "on" | "off";
}

export const defaultApiSettings: ApiSettings = {
  rateLimits: "on",
  limits: defaultLimits,
  requestsAtOnce: defaultAtOnce,
  answerBounds: defaultAnswerBounds,
  answersBytes: 32 * 1024 * 1024,
  quotas: {},
  keptAnswerBytes: 256 * 1024 * 1024,
  mayAdminister: () => true,
  enforceSunsets: "off",
};

type ApiPorts = Pick<
  Ports,
  "storage" | "signer" | "clock" | "ids" | "rateLimits" | "secretBox" | "telemetry" | "deprecatedUses"
>;

export interface ApiOptions {
  readonly ports: ApiPorts;
  readonly settings: ApiSettings;
  /**
   * The operation table in the newest version. The engine adds the operations about the API itself.
   */
  readonly operations: readonly Operation[];
  /** The resources that operations and documents use. */
  readonly resources: readonly Resource[];
  /** The version table, oldest first. */
  readonly versions: readonly VersionDefinition[];
  /**
   * Changes after the newest version, oldest first: the operations have them, and no version of the
   * table has them yet. Default: none.
   */
  readonly pending?: readonly VersionChange[];
  /** Which changes do not apply to an operation. Default: all apply to all. */
  readonly leavesAlone?: LeavesAlone;
  /** What you announce to remove. */
  readonly deprecations: readonly Deprecation[];
  /**
   * True if it is known that versions and deprecations fit the operations, because tests check them.
   * Then the start does not check them again, which takes a fifth of it. Default: false.
   */
  readonly areVersionsKnown?: boolean;
  /** How documents and pages present the API. Default: as Postern. */
  readonly product?: Product;
  /** Corrections of live versions. Default: none. */
  readonly corrections?: readonly Correction[];
  readonly authenticate: Authenticate;
  /**
   * Codes that `authenticate` throws in addition to `invalid_token` and `token_expired`. Default:
   * none.
   */
  readonly authenticationErrors?: readonly ErrorCode[];
  /** Roles of your own, in addition to `builtInRoles`. Default: none. */
  readonly roles?: Roles;
  /** What the senders of webhooks get beside the usual answers, for the documents. Default: nothing. */
  readonly senders?: SenderAnswers;
}

/** How code that is not an HTTP adapter runs an operation. */
export interface DirectCall {
  readonly operation: string;
  readonly principal: Principal;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The REST API without a protocol. */
export interface Api {
  /** The live versions, oldest first, each with its operation table. The last one is the newest. */
  readonly versions: readonly ApiVersion[];
  /**
   * Every scope that operations need, in alphabetical order. Credentials can be limited to these.
   */
  readonly scopes: readonly string[];
  /**
   * Answers a request.
   * @throws AppError when the request cannot be answered; its code says why.
   */
  handle(request: ApiRequest): Promise<Answer>;
  /**
   * Who is signed in, for a request that the API does not answer. It counts as a request of the API:
   * for its user, or for its address without a valid credential. `undefined` without a credential,
   * and for a principal that is no user.
   * @throws AppError `rate_limited`; those of the option `authenticate`.
   */
  authenticate(request: CallerRequest): Promise<Caller | undefined>;
  /**
   * Runs an operation in the newest version for a principal that is already known.
   * @throws AppError; TypeError for an operation that does not exist.
   */
  run(call: DirectCall): Promise<Answer>;
  /**
   * The OpenAPI document of a version.
   * @throws AppError `unknown_version`.
   */
  openApi(version: string): OpenApiDocument;
  /** What changed from version to version, and what is announced to be removed. */
  changeLog(): ChangeLog;
  /**
   * Makes everything that the documentation shows, in short turns, so that requests are answered in
   * between. It takes about as much processor time as a server's start. Without this call, each
   * document is made in the same way when a request first asks for it, and that request waits.
   */
  prepareDocuments(): Promise<void>;
  /** Answers under idempotency keys, for endpoints that are no operations. */
  readonly answerOnce: IdempotentAnswers["answerOnce"];
  /** Stores the counts that are still in memory. Call it before the process ends. */
  flush(): Promise<void>;
}

/**
 * Makes an API from an operation table.
 * @throws TypeError for a table, a version or a deprecation that cannot work.
 */
export const createApi = (options: ApiOptions): Api => {
  const { ports, settings } = options;
  const product = productInForce(options.product);
  const complete = (operation: Operation): Operation =>
    withErrors(withScope(operation), options.authenticationErrors ?? []);
  const operations = [...options.operations, ...aboutOperations(() => self, ports.deprecatedUses, product)].map(
    complete,
  );
  const known = options.areVersionsKnown === true;
  const { pending = [], leavesAlone } = options;
  const table = withPending(options.versions, pending).map((version) => withRestored(version, complete));
  const scopes = scopesOf([...operations, ...restoredIn(table)]);
  if (!known) checkVersions(table, operations);
  const all = createVersions(table, operations, leavesAlone);
  const versions = all.slice(0, options.versions.length);
  if (!known) checkDeprecations(options.deprecations, versions, ports.clock.now());
  const newest = newestOf(versions);
  const current = newestOf(all);
  const byId = uniqueById(current.operations);
  const deprecations = createDeprecations(ports, options.deprecations, versions, settings.enforceSunsets === "on");
  if (settings.rateLimits === "on") {
    for (const policy of Object.keys(settings.limits)) ports.telemetry.count("rate_limit_faults_total", { policy }, 0);
  }
  const longWork = createLongWork(ports.clock);
  const roles = rolesWith(options.roles ?? {}, scopes);
  const self = createSelfDescription(
    {
      product,
      clock: ports.clock,
      resources: options.resources,
      definitions: options.versions,
      current,
      pending,
      leavesAlone,
      corrections: options.corrections ?? [],
      roles,
      senders: options.senders ?? noSenders,
    },
    versions,
    deprecations,
    longWork,
  );
  const answers = idempotentAnswers(
    ports,
    createKeptBytes(ports, settings.rateLimits === "off" ? undefined : settings.keptAnswerBytes),
  );
  const limitsFor = limitsOf(ports, settings);
  const dispatch = createDispatch({
    ...ports,
    refusals: refusalsOf(versions),
    mayAdminister: settings.mayAdminister,
    cursors: ports.signer,
    versions,
    deprecations,
    idempotentAnswers: answers,
    authenticate: options.authenticate,
    roles,
    answerBounds: settings.answerBounds,
    memoryFor: createAnswerMemory({ bytes: settings.answersBytes }, settings.answerBounds.bytes, ports.clock),
    longWork,
    quotas: createQuotas(settings.quotas, options.resources),
    requestsAtOnce: createRequestsAtOnce(
      settings.rateLimits === "off" ? Number.POSITIVE_INFINITY : settings.requestsAtOnce,
      ports.clock,
    ),
    limitsFor,
  });

  return {
    versions,
    scopes,
    handle: dispatch,
    authenticate: async (request) => callerOf((await identify(options.authenticate, request, limitsFor({}))).principal),
    run: ({ operation: id, principal, params = {}, query = {}, body }) => {
      const operation = byId.get(id);
      if (operation === undefined) throw new TypeError(`there is no operation "${id}"`);
      return dispatch({
        operation,
        facts: { id: ports.ids.uuid(), version: current, base: `/api/${newest.id}`, target: id, address: "local" },
        params,
        query: Object.entries(query),
        body: async () => (body === undefined ? undefined : { value: body, text: JSON.stringify(body) }),
        // A direct call writes the row as it is now.
        headers: { "if-match": "*" },
        credential: undefined,
        principal,
      });
    },
    openApi: self.openApiNow,
    changeLog: self.changeLogNow,
    prepareDocuments: self.prepare,
    answerOnce: answers.answerOnce,
    flush: () => deprecations.flush(),
  };
};

/** The codes of the application in all versions, each with its sentence. */
const refusalsOf = (versions: readonly ApiVersion[]): ReadonlyMap<string, string> =>
  new Map(versions.flatMap(({ operations }) => operations.flatMap(({ refusals = {} }) => Object.entries(refusals))));

/** The operations that only older versions have. */
const restoredIn = (definitions: readonly VersionDefinition[]): readonly Operation[] =>
  definitions.flatMap(({ changes }) =>
    changes.flatMap((change) => operationEffects(change).flatMap(({ restored = [] }) => restored)),
  );

/** A version, with the operations that only older ones have made complete: they need a credential's scope, too. */
const withRestored = (
  version: VersionDefinition,
  complete: (operation: Operation) => Operation,
): VersionDefinition => ({
  ...version,
  changes: version.changes.map((change) => ({
    ...change,
    effects: change.effects.map((effect) =>
      effect.on === "operations" && effect.restored !== undefined
        ? { ...effect, restored: effect.restored.map(complete) }
        : effect,
    ),
  })),
});

const withErrors = (operation: Operation, codes: readonly ErrorCode[]): Operation =>
  codes.length === 0 || operation.body === "raw"
    ? operation
    : { ...operation, errors: [...(operation.errors ?? []), ...codes] };

/** The table with one more version, which nobody can ask for: the operations as they are. */
const withPending = (
  versions: readonly VersionDefinition[],
  pending: readonly VersionChange[],
): readonly VersionDefinition[] => {
  const newest = versions.at(-1);
  if (newest === undefined || pending.length === 0) return versions;
  return [...versions, { ...newest, id: `v${Number(newest.id.slice(1)) + 1}`, changes: pending }];
};

/** @throws TypeError when two operations have the same id. */
const uniqueById = (operations: readonly Operation[]): ReadonlyMap<string, Operation> => {
  const byId = new Map<string, Operation>();
  for (const operation of operations) {
    if (byId.has(operation.id)) throw new TypeError(`there are two operations with the id "${operation.id}"`);
    byId.set(operation.id, operation);
  }
  return byId;
};
