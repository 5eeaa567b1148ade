import { liveSessions } from "./auth/live-sessions.ts";
import type { Principal } from "./auth/principal.ts";
import { type ChangeLog, changeLogOf } from "./changelog/change-log.ts";
import { builtInDeprecations } from "./deprecations/built-in-deprecations.ts";
import type { Deprecation } from "./deprecations/deprecation.ts";
import { createDeprecations } from "./deprecations/deprecations.ts";
import { type OpenApiDocument, openApiOf } from "./documentation/openapi.ts";
import { defaultSettings, type Environment, type Settings } from "./environment.ts";
import { keptAnswers } from "./idempotency/kept-answers.ts";
import type { InboxHandler } from "./inbox/handler.ts";
import { createInbox, type IncomingWebhook } from "./inbox/inbox.ts";
import type { Provider } from "./inbox/provider.ts";
import { createProviders } from "./inbox/provider-registry.ts";
import { createEnqueuer } from "./jobs/enqueuer.ts";
import type { JobHandler } from "./jobs/job-handler.ts";
import type { Schedule } from "./jobs/schedule.ts";
import { createSlotDesk } from "./jobs/slot-desk.ts";
import { createWorker, type Worker, type WorkerOptions } from "./jobs/worker.ts";
import { maintenanceSchedules } from "./maintenance/maintenance.ts";
import { createMeasure } from "./measure.ts";
import { type ApiRequest, answerError, dispatch } from "./operations/dispatch.ts";
import { operationsOf } from "./operations/index.ts";
import type { Answer } from "./operations/operation.ts";
import { createTurns } from "./operations/turns.ts";
import type { NewJob, Ports } from "./ports/index.ts";
import { builtInResources } from "./resources/index.ts";
import type { Resource } from "./resources/resource.ts";
import {
  type ApiVersion,
  builtInVersions,
  createVersions,
  newestOf,
  type VersionDefinition,
  versionOf,
} from "./versions/index.ts";

export interface AppOptions {
  readonly ports: Ports;
  readonly settings?: Partial<Settings>;
  /** The application's own resources, beside users, sessions, posts and comments. */
  readonly resources?: readonly Resource[];
  readonly providers?: readonly Provider[];
  readonly handlers?: readonly InboxHandler[];
  /** Work of the application's own, made with `defineJob`. */
  readonly jobs?: readonly JobHandler[];
  /** Work that begins at set times, made with `schedule`. */
  readonly schedules?: readonly Schedule[];
  /** The version table, oldest first: `[...builtInVersions, yours]` adds one of your own. */
  readonly versions?: readonly VersionDefinition[];
  /** What is announced to go away: `[...builtInDeprecations, yours]`. */
  readonly deprecations?: readonly Deprecation[];
}

/** What a caller that is no HTTP adapter says to run an operation. */
export interface DirectCall {
  readonly operation: string;
  readonly principal: Principal;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The whole of Postern without a protocol: what HTTP, the command line and the runner drive. */
export interface App {
  /** The live versions, oldest first, each with its operation table; the last one is the newest. */
  readonly versions: readonly ApiVersion[];
  /** Answers a request; never throws: every failure is an answer too. */
  handle(request: ApiRequest): Promise<Answer>;
  /** Answers a webhook; never throws. */
  receive(webhook: IncomingWebhook): Promise<Answer>;
  /** Runs an operation for a principal that is known already, in the newest version. @throws AppError */
  run(call: DirectCall): Promise<Answer>;
  /** Stores jobs made with `newJob`; when it resolves they are on disk. Their ids. @throws TypeError for a kind that this application does not have. */
  enqueue(...jobs: readonly NewJob[]): Promise<readonly number[]>;
  /** The OpenAPI document of a version. @throws AppError `unknown_version`. */
  openApi(version: string): OpenApiDocument;
  /** What changed from version to version, and what is announced to go away. */
  changeLog(): ChangeLog;
  /** Stores what is counted in memory and not stored yet: before the process ends. */
  flush(): Promise<void>;
  worker(options: WorkerOptions): Worker;
  /** Any failure as an answer, for faults that an adapter finds itself. */
  fail(thrown: unknown, request: { readonly path: string; readonly requestId: string }): Answer;
  /** @throws AppError `unavailable` while the storage cannot be used, or webhooks could not be stored and still cannot. */
  checkReady(): Promise<void>;
  /** Reports what stands in the storage now as gauges; called when somebody is about to read the metrics. */
  measure(): Promise<void>;
}

/**
 * The one place where use cases meet ports.
 * @throws TypeError for a declaration that cannot work: two handlers or providers of one name, a resource without its parent.
 */
export const createApp = (options: AppOptions): App => {
  const settings = { ...defaultSettings, ...options.settings };
  const sessions = liveSessions(options.ports, settings.sessionsReliedOnMs);
  const ports: Ports = { ...options.ports, storage: sessions.storage };
  const schedules = [...(options.schedules ?? []), ...maintenanceSchedules(ports, settings)];
  for (const one of schedules) ports.cronPlan.check(one);
  const handlers = byName<InboxHandler | JobHandler>("handler", [
    ...(options.handlers ?? []),
    ...(options.jobs ?? []),
    ...schedules,
  ]);
  const resources = byName("resource", [...builtInResources, ...(options.resources ?? [])]);
  const definitions = options.versions ?? builtInVersions;
  const versions = versionsOf(definitions, resources);
  const deprecations = options.deprecations ?? builtInDeprecations;
  let log: ChangeLog | undefined;
  const environment: Environment = {
    ports,
    settings,
    resources,
    providers: createProviders(ports, byName("provider", options.providers ?? [])),
    handlers: options.handlers ?? [],
    jobs: options.jobs ?? [],
    slotDesk: createSlotDesk(),
    schedules,
    versions,
    deprecations: createDeprecations(ports, deprecations, versions, settings.enforceSunsets === "on"),
    changeLog: () => {
      log ??= changeLogOf(definitions, versions, deprecations, [...resources.values()]);
      return log;
    },
    keptAnswers: keptAnswers(ports),
    liveSessions: sessions,
    rowTurns: createTurns(),
  };
  const newest = newestOf(environment.versions);
  const inbox = createInbox(environment);
  const enqueue = createEnqueuer(environment);
  const operations = byName(
    "operation",
    newest.operations.map((operation) => ({ ...operation, name: operation.id })),
  );
  const fail: App["fail"] = (thrown, request) => answerError(environment.ports, thrown, request);

  return {
    versions: environment.versions,
    handle: (request) =>
      dispatch(environment, request).catch((thrown: unknown) =>
        fail(thrown, { path: pathOf(request.facts.target), requestId: request.facts.id }),
      ),
    receive: (webhook) =>
      inbox
        .receive(webhook)
        .catch((thrown: unknown) =>
          fail(thrown, { path: `/api/webhooks/${encodeURIComponent(webhook.provider)}`, requestId: webhook.requestId }),
        ),
    run: ({ operation: id, principal, params = {}, query = {}, body }) => {
      const operation = operations.get(id);
      if (operation === undefined) throw new TypeError(`there is no operation "${id}"`);
      return dispatch(environment, {
        operation,
        facts: {
          id: environment.ports.ids.uuid(),
          version: newest,
          base: `/api/${newest.id}`,
          target: id,
          address: "local",
        },
        params,
        query: () => Object.entries(query),
        body: async () => (body === undefined ? undefined : { value: body, text: JSON.stringify(body) }),
        // Who calls directly means the thing as it is now.
        headers: { "if-match": "*" },
        credential: principal,
      });
    },
    enqueue: async (...jobs) => {
      const stray = jobs.find(({ kind }) => !handlers.has(kind));
      if (stray !== undefined) throw new TypeError(`there is no handler named "${stray.kind}"`);
      return jobs.length === 0 ? [] : enqueue(jobs);
    },
    openApi: (version) =>
      openApiOf(versionOf(environment.versions, version), [...environment.resources.values()], deprecations),
    changeLog: () => environment.changeLog(),
    flush: () => environment.deprecations.flush(),
    worker: (workerOptions) => createWorker(environment, workerOptions),
    fail,
    measure: createMeasure(environment),
    checkReady: async () => {
      await environment.ports.storage.check();
      await inbox.checkReady();
    },
  };
};

/** The tables made last: apps of the same declarations, as in tests and simulations, share them. */
let last: { readonly declared: readonly unknown[]; readonly versions: readonly ApiVersion[] } | undefined;

const versionsOf = (
  definitions: readonly VersionDefinition[],
  resources: ReadonlyMap<string, Resource>,
): readonly ApiVersion[] => {
  const declared = [...definitions, ...resources.values()];
  const same =
    last?.declared.length === declared.length && last.declared.every((one, index) => one === declared[index]);
  if (last === undefined || !same) last = { declared, versions: createVersions(definitions, operationsOf(resources)) };
  return last.versions;
};

const pathOf = (target: string): string => target.split("?", 1)[0] ?? target;

const byName = <Named extends { readonly name: string }>(
  what: string,
  entries: readonly Named[],
): ReadonlyMap<string, Named> => {
  const named = new Map<string, Named>();
  for (const entry of entries) {
    if (named.has(entry.name)) throw new TypeError(`there are two entries named "${entry.name}" in the ${what} table`);
    named.set(entry.name, entry);
  }
  return named;
};
