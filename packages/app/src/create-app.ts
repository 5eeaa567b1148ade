import {
  type Answer,
  AppError,
  createInbox,
  createWorker,
  type Inbox,
  type InboxHandler,
  type IncomingWebhook,
  type JobHandler,
  maintenanceSchedules,
  type NewJob,
  type Ports,
  type Provider,
  type Resource,
  type Schedule,
  type Worker,
  type WorkerOptions,
} from "@postern/core";
import { createEnqueuer, createProviders, createSlotDesk, createStorageGauges, errorAnswer } from "@postern/core/parts";
import { type Api, type Authenticate, createApi, type Deprecation, type VersionDefinition } from "@postern/rest";
import { operationsOf } from "./operations.ts";
import { allParts, checkParts, deprecationsFor, type Part, resourcesOfParts, versionsFor } from "./parts.ts";
import { defaultSettings, type Settings } from "./settings.ts";
import { authenticateBearer } from "./sign-in/authenticate.ts";
import { liveSessions } from "./sign-in/live-sessions.ts";

export interface AppOptions {
  readonly ports: Ports;
  /** What the application consists of, beside what it declares itself; everything unless given. */
  readonly parts?: readonly Part[];
  /**
   * Who a request acts for, and whether they are an administrator. Only for an application without the
   * part `users`, which has no accounts of its own; without it all requests are anonymous there.
   */
  readonly authenticate?: Authenticate;
  readonly settings?: Partial<Settings>;
  /** The application's own resources, beside those of its parts. */
  readonly resources?: readonly Resource[];
  /** Who may send webhooks. */
  readonly providers?: readonly Provider[];
  /** Who wants their events. */
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

/** The whole of Postern without a protocol: what HTTP, the command line and the runner drive. */
export interface App extends Pick<Api, "versions" | "run" | "openApi" | "changeLog" | "prepareDocuments" | "flush"> {
  /** Answers a request; never throws: every failure is an answer, too. */
  handle(request: Parameters<Api["handle"]>[0]): Promise<Answer>;
  /** Answers a webhook; never throws. */
  receive(webhook: IncomingWebhook): Promise<Answer>;
  /**
   * Stores jobs made with `newJob`; when it resolves they are on disk. Their ids.
   * @throws TypeError for a kind that this application does not have.
   */
  enqueue(...jobs: readonly NewJob[]): Promise<readonly number[]>;
  worker(options: WorkerOptions): Worker;
  /** Any failure as an answer, for faults that an adapter finds itself. */
  fail(thrown: unknown, request: { readonly path: string; readonly requestId: string }): Answer;
  /**
   * Resolves when requests can be answered and webhooks be stored.
   * @throws AppError `unavailable` while the storage cannot be used, or webhooks could not be stored and
   *   still cannot.
   */
  checkReady(): Promise<void>;
  /** Reports what stands in the storage now as gauges; called when somebody is about to read the metrics. */
  measure(): Promise<void>;
}

/**
 * Puts everything together: the one place where declarations meet ports.
 * @throws TypeError for a declaration that cannot work: two handlers or providers of one name, a resource
 *   without its parent, handlers of webhooks without the part `inbox`.
 */
export const createApp = (options: AppOptions): App => {
  const { parts = allParts, handlers = [], jobs = [], providers: configured = [] } = options;
  checkParts(parts);
  const settings: Settings = { ...defaultSettings, ...options.settings };
  const signIn = signInOf(options, parts, settings);
  const ports: Ports = { ...options.ports, storage: signIn.storage };
  const schedules = [...(options.schedules ?? []), ...maintenanceSchedules(ports, settings.retention)];
  for (const one of schedules) ports.cronPlan.check(one);
  const kinds = byName<InboxHandler | JobHandler>("handler", [...handlers, ...jobs, ...schedules]);
  const resources = byName("resource", [...resourcesOfParts(parts), ...(options.resources ?? [])]);
  const known = new Set(resources.keys());

  const slotDesk = createSlotDesk();
  const providers = createProviders(ports, byName("provider", configured));
  const inbox = parts.includes("inbox") ? createInbox({ ports, providers, handlers, slotDesk }) : noInbox(options);
  const enqueue = createEnqueuer({ ports, slotDesk });
  const api = createApi({
    ports,
    settings,
    operations: operationsOf({ ports, settings, parts, resources, providers, handlers }),
    resources: [...resources.values()],
    versions: options.versions ?? versionsFor(known),
    deprecations: options.deprecations ?? deprecationsFor(known),
    authenticate: signIn.authenticate,
  });
  const fail: App["fail"] = (thrown, request) => errorAnswer(ports.telemetry, thrown, request);

  return {
    versions: api.versions,
    handle: (request) =>
      api
        .handle(request)
        .catch((thrown: unknown) => fail(thrown, { path: pathOf(request.facts.target), requestId: request.facts.id })),
    receive: (webhook) =>
      inbox
        .receive(webhook)
        .catch((thrown: unknown) =>
          fail(thrown, { path: `/api/webhooks/${encodeURIComponent(webhook.provider)}`, requestId: webhook.requestId }),
        ),
    run: api.run,
    enqueue: async (...newJobs) => {
      const stray = newJobs.find(({ kind }) => !kinds.has(kind));
      if (stray !== undefined) throw new TypeError(`there is no handler named "${stray.kind}"`);
      return newJobs.length === 0 ? [] : enqueue(newJobs);
    },
    openApi: api.openApi,
    changeLog: api.changeLog,
    prepareDocuments: api.prepareDocuments,
    flush: api.flush,
    worker: (workerOptions) => createWorker({ ports, providers, handlers, jobs, schedules, slotDesk }, workerOptions),
    fail,
    measure: createStorageGauges(ports),
    checkReady: async () => {
      await ports.storage.check();
      await inbox.checkReady();
    },
  };
};

/**
 * Who a request acts for. With the part `users` that is whom its access token names; sessions are then
 * read through a cache, and all writes go through a storage that tells the cache what changed. Without it,
 * the application says.
 */
const signInOf = (
  { ports, authenticate }: AppOptions,
  parts: readonly Part[],
  { sessionsReliedOnMs }: Settings,
): { readonly storage: Ports["storage"]; readonly authenticate: Authenticate } => {
  if (!parts.includes("users")) {
    const anonymous: Authenticate = async () => undefined;
    return { storage: ports.storage, authenticate: knownOr(authenticate ?? anonymous) };
  }
  if (authenticate !== undefined) {
    throw new TypeError('authenticate: the part "users" finds out itself who calls; leave one of the two out');
  }
  const sessions = liveSessions(ports, sessionsReliedOnMs);
  return { storage: sessions.storage, authenticate: knownOr(authenticateBearer(ports, sessions)) };
};

/** A caller who is known already (the command line) needs no credential. */
const knownOr =
  (authenticate: Authenticate): Authenticate =>
  async (request) =>
    typeof request.credential === "function" ? authenticate(request) : request.credential;

/** @throws TypeError for declarations that only an inbox could use. */
const noInbox = ({ handlers = [], providers = [] }: AppOptions): Inbox => {
  if (handlers.length > 0 || providers.length > 0) {
    throw new TypeError('handlers and providers need the part "inbox"');
  }
  return {
    receive: async () => {
      throw new AppError("unknown_provider", { detail: "This server takes no webhooks." });
    },
    checkReady: async () => undefined,
  };
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
