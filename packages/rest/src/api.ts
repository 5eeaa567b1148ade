import type { Answer, Ports, Resource } from "@postern/core";
import { aboutOperations, type SelfDescription } from "./about/about-operations.ts";
import type { Principal } from "./access/principal.ts";
import { type ChangeLog, changeLogSteps } from "./changelog/change-log.ts";
import type { Deprecation } from "./deprecations/deprecation.ts";
import { createDeprecations } from "./deprecations/deprecations.ts";
import { idempotentAnswers } from "./idempotency/idempotent-answers.ts";
import { defaultLimits, type LimitSettings, limitsOf } from "./limits/limits.ts";
import { createRequestsAtOnce, defaultAtOnce, unboundedAtOnce } from "./limits/requests-at-once.ts";
import { type OpenApiDocument, openApiSteps } from "./openapi/openapi.ts";
import { finish, finishInTurns, type Steps } from "./openapi/steps.ts";
import { type ApiRequest, type Authenticate, createDispatch } from "./operations/dispatch.ts";
import type { Operation } from "./operations/operation.ts";
import { docsPageOf } from "./pages/docs-page.ts";
import { type ApiVersion, createVersions, newestOf, versionOf } from "./versions/api-versions.ts";
import type { VersionDefinition } from "./versions/version.ts";

export interface ApiSettings extends LimitSettings {
  /**
   * On: what is past its sunset, or in a planned brown-out, is answered 410. Off: it goes on for as long
   * as it is there.
   */
  readonly enforceSunsets: "on" | "off";
}

export const defaultApiSettings: ApiSettings = {
  rateLimits: "on",
  limits: defaultLimits,
  atOnce: defaultAtOnce,
  enforceSunsets: "off",
};

/** The ports that the engine needs. */
export type ApiPorts = Pick<
  Ports,
  "storage" | "signer" | "clock" | "ids" | "rateLimits" | "secretBox" | "telemetry" | "deprecatedUses"
>;

export interface ApiOptions {
  readonly ports: ApiPorts;
  readonly settings: ApiSettings;
  /** The operation table in the newest version. The engine adds the operations about the API itself. */
  readonly operations: readonly Operation[];
  /** The resources that operations and documents speak of. */
  readonly resources: readonly Resource[];
  /** The version table, oldest first. */
  readonly versions: readonly VersionDefinition[];
  /** What is announced to go away. */
  readonly deprecations: readonly Deprecation[];
  readonly authenticate: Authenticate;
}

/** What a caller that is no HTTP adapter says to run an operation. */
export interface DirectCall {
  readonly operation: string;
  readonly principal: Principal;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The REST API without a protocol. */
export interface Api {
  /** The live versions, oldest first, each with its operation table; the last one is the newest. */
  readonly versions: readonly ApiVersion[];
  /** @throws AppError for whatever stands in the way of an answer. */
  handle(request: ApiRequest): Promise<Answer>;
  /**
   * Runs an operation in the newest version for a principal that is known already.
   * @throws AppError; TypeError for an operation that does not exist.
   */
  run(call: DirectCall): Promise<Answer>;
  /** The OpenAPI document of a version. @throws AppError `unknown_version`. */
  openApi(version: string): OpenApiDocument;
  /** What changed from version to version, and what is announced to go away. */
  changeLog(): ChangeLog;
  /**
   * Makes all that the documentation shows in short turns, between which requests are answered: for a server, right after its start. A
   * request for documentation waits for it meanwhile. Without this call each document is made in one go when it is first asked for.
   */
  prepareDocuments(): Promise<void>;
  /** Stores what is counted in memory and not stored yet: before the process ends. */
  flush(): Promise<void>;
}

/**
 * Makes an API of an operation table.
 * @throws TypeError for a table, a version or a deprecation that cannot work.
 */
export const createApi = (options: ApiOptions): Api => {
  const { ports, settings } = options;
  const operations = [...options.operations, ...aboutOperations(() => self, ports.deprecatedUses)];
  const versions = createVersions(options.versions, operations);
  const newest = newestOf(versions);
  const byId = uniqueById(newest.operations);
  const deprecations = createDeprecations(ports, options.deprecations, versions, settings.enforceSunsets === "on");
  const self = selfDescription(options, versions, deprecations);
  const dispatch = createDispatch({
    ...ports,
    cursors: ports.signer,
    versions,
    deprecations,
    idempotentAnswers: idempotentAnswers(ports),
    authenticate: options.authenticate,
    requestsAtOnce: settings.rateLimits === "off" ? unboundedAtOnce : createRequestsAtOnce(settings.atOnce),
    limitsFor: ({ credential }) => limitsOf(ports, settings, credential),
  });

  return {
    versions,
    handle: dispatch,
    run: ({ operation: id, principal, params = {}, query = {}, body }) => {
      const operation = byId.get(id);
      if (operation === undefined) throw new TypeError(`there is no operation "${id}"`);
      return dispatch({
        operation,
        facts: { id: ports.ids.uuid(), version: newest, base: `/api/${newest.id}`, target: id, address: "local" },
        params,
        query: () => Object.entries(query),
        body: async () => (body === undefined ? undefined : { value: body, text: JSON.stringify(body) }),
        // A direct call means the row as it is now.
        headers: { "if-match": "*" },
        credential: principal,
      });
    },
    openApi: self.openApi,
    changeLog: self.changeLog,
    prepareDocuments: self.prepare,
    flush: () => deprecations.flush(),
  };
};

/** What the API tells about itself. Documents and the change log are made once: beforehand, or when they are first asked for. */
const selfDescription = (
  { ports, resources, versions: definitions }: ApiOptions,
  versions: readonly ApiVersion[],
  deprecations: SelfDescription["deprecations"],
): SelfDescription & { prepare(): Promise<void> } => {
  const { registry } = deprecations;
  /** By version: as they are served, and without what is announced, as the pages show them. */
  const served = new Map<string, OpenApiDocument>();
  const shown = new Map<string, OpenApiDocument>();
  let log: ChangeLog | undefined;
  let preparing: Promise<void> | undefined;

  function* documentOnce(made: Map<string, OpenApiDocument>, version: ApiVersion): Steps<OpenApiDocument> {
    const known = made.get(version.id);
    if (known !== undefined) return known;
    const document = yield* openApiSteps(version, resources, made === served ? registry : []);
    // Of two that were made at once the first one is kept.
    const kept = made.get(version.id) ?? document;
    made.set(version.id, kept);
    return kept;
  }
  function* changeLogOnce(): Steps<ChangeLog> {
    const made = log ?? (yield* changeLogSteps(definitions, versions, registry, resources));
    log ??= made;
    return log;
  }
  function* everything(): Steps<void> {
    for (const version of versions) {
      yield* documentOnce(served, version);
      yield* documentOnce(shown, version);
    }
    yield* changeLogOnce();
  }

  return {
    versions,
    deprecations,
    changeLog: () => finish(changeLogOnce()),
    openApi: (id) => finish(documentOnce(served, versionOf(versions, id))),
    docsPage: (id) => {
      const version = versionOf(versions, id);
      return docsPageOf({
        version,
        versions,
        document: finish(documentOnce(shown, version)),
        changes: finish(changeLogOnce()).entries,
        deprecations: registry,
        now: ports.clock.now(),
      });
    },
    prepare: () => {
      preparing ??= finishInTurns(ports.clock, everything());
      return preparing;
    },
    ready: async () => preparing,
  };
};

/** @throws TypeError when two operations have one id. */
const uniqueById = (operations: readonly Operation[]): ReadonlyMap<string, Operation> => {
  const byId = new Map<string, Operation>();
  for (const operation of operations) {
    if (byId.has(operation.id)) throw new TypeError(`there are two operations with the id "${operation.id}"`);
    byId.set(operation.id, operation);
  }
  return byId;
};
