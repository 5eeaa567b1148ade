import {
  AppError,
  createInbox,
  createWorker,
  type InboxHandler,
  type JobHandler,
  type NewJob,
  type OwnTransaction,
  type Ports,
  type Provider,
  type Resource,
  type Schedule,
  type Transaction,
} from "@postern/core";
import {
  type Answer,
  checkWorkerOptions,
  createActivityCounter,
  createEnqueuer,
  createErrorAnswer,
  createFeed,
  createLocalHandoff,
  createProviders,
  createReadTransactions,
  createStorageGauges,
  createTransactions,
  didYouMean,
  type ErrorCode,
  type HandRun,
  type IncomingWebhook,
  maintenanceSchedules,
  type Nesting,
  refuseFaults,
  requireKinds,
  runByHand,
  type WebhookAnswer,
  type Worker,
  type WorkerOptions,
} from "@postern/core/parts";
import {
  type Api,
  type Authenticate,
  createApi,
  type Deprecation,
  limitsOf,
  type Roles,
  type RootedEndpoint,
  type VersionDefinition,
} from "@postern/rest";
import { componentFaults } from "@postern/rest/parts";
import { type AccountMail, accountMail } from "./account/account-mail.ts";
import type { ShownSetting } from "./admin/setting-operation.ts";
import { signInOf } from "./authentication.ts";
import { checkAppOptions, checkDeclarations } from "./check-declarations.ts";
import { consoleEndpoints } from "./console/console-endpoints.ts";
import { consoleFileEndpoints } from "./console/console-files.ts";
import { createSetupLink, type SetupLink } from "./console/setup-link.ts";
import { type UserExports, userExports } from "./exports/user-exports.ts";
import { resourceMetadataPath } from "./oauth/metadata-endpoints.ts";
import { oauthEndpoints } from "./oauth/oauth-endpoints.ts";
import type { OAuthParts } from "./oauth/oauth-parts.ts";
import { operationsOf } from "./operations.ts";
import { allParts, checkParts, deprecationsFor, type Part, resourcesOfParts, versionsFor } from "./parts.ts";
import { type EventPlans, eventPlans } from "./plans/event-plans.ts";
import { user, userWithRoles } from "./resources/user.ts";
import { defaultSettings, type Settings } from "./settings.ts";
import { createAccessTokens } from "./tokens/access-tokens.ts";
import { keySetEndpoint } from "./tokens/key-set-endpoint.ts";
import { rotationSchedule } from "./tokens/rotation-schedule.ts";
import { createSigningKeys, type SigningKeys } from "./tokens/signing-keys.ts";
import { successorSchedule } from "./tokens/successor-schedule.ts";
import { builtInCorrections } from "./versions/built-in-corrections.ts";

export interface AppOptions {
  readonly ports: Ports;
  /** The built-in parts of the application. Default: all. */
  readonly parts?: readonly Part[];
  /**
   * Says who a request acts for, and whether they are an administrator. It is only for an
   * application without the part `users`, which has no accounts. Without it, all requests of such
   * an application are anonymous.
   */
  readonly authenticate?: Authenticate;
  readonly settings?: Partial<Settings>;
  /** What the operation `admin.settings` shows, with no secret in it. */
  readonly configuration?: () => readonly ShownSetting[];
  /** Resources of your own, in addition to those of the parts. */
  readonly resources?: readonly Resource[];
  /** The senders of webhooks. */
  readonly providers?: readonly Provider[];
  /** The handlers of their events. */
  readonly handlers?: readonly InboxHandler[];
  /** Jobs of your own, made with `defineJob`. */
  readonly jobs?: readonly JobHandler[];
  /** Work that starts at set times, made with `schedule`. */
  readonly schedules?: readonly Schedule[];
  /** Roles of the application's own, by name, in addition to the built-in ones. */
  readonly roles?: Roles;
  /** The version table, oldest first: `[...builtInVersions, yours]` adds one of your own. */
  readonly versions?: readonly VersionDefinition[];
  /** What you announce that you will remove: `[...builtInDeprecations, yours]`. */
  readonly deprecations?: readonly Deprecation[];
  /** Notices a handler's `commit` inside another transaction, and the reverse. */
  readonly nesting?: Nesting;
}

/** All of Postern without a protocol. HTTP, the command line and the runner call it. */
export interface App
  extends Pick<Api, "versions" | "scopes" | "run" | "openApi" | "changeLog" | "prepareDocuments" | "flush"> {
  /** Endpoints outside `/api`: those of OAuth 2 and its keys, and the console. */
  readonly rooted: readonly RootedEndpoint[];
  /**
   * Makes a secret with which the console's page `#/setup/{secret}` makes the first administrator:
   * once, within 30 minutes, and in this process.
   */
  offerSetup(): Promise<string>;
  /** Answers a request. It never throws: every failure is an answer, too. */
  handle(request: Parameters<Api["handle"]>[0]): Promise<Answer>;
  /** Answers a webhook, and says what it did with it. It never throws. */
  receive(webhook: IncomingWebhook): Promise<WebhookAnswer>;
  /**
   * Stores jobs made with `newJob`, and returns their ids. When it resolves, they are on disk.
   * @throws TypeError for a kind that this application does not have.
   */
  enqueue(...jobs: readonly NewJob[]): Promise<readonly number[]>;
  /**
   * Runs `work` in one transaction on Postern's own database: rows of declared resources, jobs, and
   * tables of your own are committed together. When it resolves, all of it is on disk, and the jobs
   * may run. If `work` throws, nothing of it remains. `work` must use only `tx`, and must not wait for
   * anything outside the database: on SQLite other writers wait for it.
   *
   * After a deadlock or a lost connection, `work` runs again from its start, as the storage says.
   * @throws what `work` throws; AppError `unavailable` when the database cannot be reached or stays
   *   busy. If the connection was lost during the commit, it is not known whether it was stored.
   */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
  /**
   * Rows and jobs that are written by a transaction of your own, on Postern's database: a transaction
   * of Knex, or a connection of `pg` or `mysql2` on which you have begun one. They are committed and
   * rolled back with it. Use the result until the transaction ends.
   *
   * Nothing runs again by itself. After a deadlock or a serialization failure you get the driver's
   * error; roll back, and begin again from your start. Workers are told after the commit of a
   * transaction of Knex. After that of another connection they find the jobs within a second.
   * @throws TypeError unless it is a transaction on Postern's database, and where the storage has no
   *   such transactions, as in memory. A pool is not one. `rows` and `enqueue` throw a TypeError if the
   *   transaction has not begun, has failed or has ended, or if it is in another database.
   */
  within(transaction: OwnTransaction): Pick<Transaction, "rows" | "enqueue">;
  /**
   * Runs one handler of webhooks on a stored event, beside all jobs, and says what it did. What it
   * writes with `commit` is rolled back, unless `keep` is true.
   * @throws AppError `not_found` for an event or a handler that is not there, `state_conflict` for an
   *   event that the handler does not take.
   */
  runByHand(handler: string, run: { readonly eventId: number; readonly keep: boolean }): Promise<HandRun>;
  /** @throws DeclarationError for options that are missing, wrong or unknown. */
  worker(options: WorkerOptions): Worker;
  /** Turns any failure into an answer, for faults that an adapter finds itself. */
  fail(thrown: unknown, request: { readonly path: string; readonly requestId: string }): Answer;
  /**
   * Resolves if requests can be answered and webhooks can be stored.
   * @throws AppError `unavailable` while the storage cannot be used, or while webhooks cannot be
   *   stored.
   */
  checkReady(): Promise<void>;
  /** Ends the answers that follow the feed. Call it before the process ends. */
  endFeed(): void;
  /** Reports the present state of the storage as gauges. Call it before metrics are read. */
  measure(): Promise<void>;
}

/**
 * Makes an application from declarations and ports.
 * @throws DeclarationError for declarations that cannot work, with all faults in all of them;
 *   TypeError for parts that do not fit together, such as handlers of webhooks without the part
 *   `inbox`.
 */
export const createApp = (options: AppOptions): App => {
  checkAppOptions(options);
  const chosen = chosenOf(options);
  const { parts, handlers, settings } = chosen;
  const keys = createSigningKeys(options.ports);
  const tokens = createAccessTokens(options.ports, keys, settings);
  const scopes = () => api.scopes;
  const { authenticate, roles = {} } = options;
  const signIn = signInOf({
    ports: options.ports,
    authenticate,
    roles,
    parts,
    settings,
    tokens,
    scopes,
    mail: () => mail,
  });
  const feed = createFeed({ ...options.ports, storage: signIn.storage });
  const ports: Ports = { ...options.ports, storage: signIn.storage, alerts: feed.alerts };
  const mail = accountMail(ports, settings);
  const resources = byName(chosen.resources);
  const exports = userExports({ ports, settings, resources, mail });
  const providers = createProviders(ports, byName(chosen.providers));
  const plans = eventPlans({ ports, providers, handlers });
  const { jobs, schedules, upkeep } = backgroundWorkOf(options, { ports, settings, parts, mail, exports, plans });
  checkDeclarations({ ...chosen, jobs, schedules }, ports);

  const handoff = createLocalHandoff();
  const activity = createActivityCounter(ports);
  const known = [...handlers, ...jobs, ...schedules];
  const readIn = createReadTransactions(chosen.resources);
  const transactionIn = createTransactions({ resources: chosen.resources, handlers: known, ids: ports.ids });
  const inbox = parts.includes("inbox")
    ? createInbox({ ports, providers, handlers, handoff, activity, onStored: feed.wake })
    : noInbox(options);
  const shared = { ports, settings, tokens, mail, scopes };
  const health = {
    configured: new Set(providers.configured.keys()),
    schedules,
    handlers: known,
    retention: settings.retention,
    flush: inbox.flush,
  };
  const operations = operationsOf({
    ...shared,
    parts,
    resources,
    providers,
    handlers,
    exports,
    plans,
    upkeep,
    configuration: options.configuration ?? (() => []),
    health,
    feed,
    countsFlush: activity.flush,
  });
  // To describe everything takes a while. Tests do it for what is built in.
  if (options.resources !== undefined) refuseFaults(componentFaults(operations));
  const api: Api = createApi({
    ports,
    settings,
    operations,
    resources: [...resources.values()],
    versions: chosen.versions,
    deprecations: chosen.deprecations,
    areVersionsKnown: areAllBuiltIn(options),
    corrections: builtInCorrections,
    authenticate: signIn.authenticate,
    ...(settings.outsideIssuer === undefined ? {} : { authenticationErrors: outsideErrors }),
    ...(options.roles === undefined ? {} : { roles: options.roles }),
  });
  const errorAnswer = createErrorAnswer(ports);
  const setup = createSetupLink(ports);
  const fail: App["fail"] = (thrown, request) => namingResource(errorAnswer(thrown, request), settings);

  return {
    versions: api.versions,
    scopes: api.scopes,
    rooted: parts.includes("users")
      ? rootedOf({ ...shared, principalOf: signIn.principalOf, answerOnce: api.answerOnce }, keys, fail, {
          run: api.run,
          setup,
        })
      : [],
    offerSetup: setup.offer,
    ...neverThrowing(api, inbox, fail),
    run: api.run,
    enqueue: enqueuing(known, createEnqueuer(ports, handoff)),
    transaction: transacting(ports, transactionIn),
    within: joining(ports, transactionIn),
    openApi: api.openApi,
    changeLog: api.changeLog,
    prepareDocuments: api.prepareDocuments,
    flush: async () => {
      await Promise.all([api.flush(), inbox.flush(), activity.stop()]);
    },
    worker: (given) => {
      checkWorkerOptions(given);
      const queues = mail.queuesOf(given);
      return createWorker(
        {
          ports,
          providers,
          handlers,
          jobs,
          schedules,
          resources: chosen.resources,
          handoff,
          activity,
          nesting: options.nesting,
        },
        { ...given, queues },
      );
    },
    runByHand: async (name, run) => {
      const handler = handlers.find((one) => one.name === name);
      if (handler === undefined) throw noHandler(name, handlers);
      const parts = { ports, providers, transactionIn, readIn, nesting: options.nesting };
      return runByHand(parts, handler, run);
    },
    fail,
    measure: createStorageGauges(ports, settings.retention),
    endFeed: feed.close,
    checkReady: async () => {
      await ports.storage.check();
      await inbox.checkReady();
    },
  };
};

/** The errors of callers with a token of an outside issuer. */
const outsideErrors: readonly ErrorCode[] = ["account_exists", "address_unverified", "forbidden", "insufficient_scope"];

/** The options with their defaults, and with what the built-in parts declare. */
interface Chosen {
  readonly parts: readonly Part[];
  readonly handlers: readonly InboxHandler[];
  readonly providers: readonly Provider[];
  readonly resources: readonly Resource[];
  readonly versions: readonly VersionDefinition[];
  readonly deprecations: readonly Deprecation[];
  readonly settings: Settings;
}

/** @throws TypeError for parts and settings that do not fit together. */
const chosenOf = (options: AppOptions): Chosen => {
  const { parts = allParts, handlers = [], providers = [] } = options;
  checkParts(parts);
  const resources = resourcesWith(options, parts);
  // Your own resource is not the built-in one, even if both have the same name.
  const known = new Set(resourcesOfParts(parts).map(({ name }) => name));
  const versions = options.versions ?? versionsFor(known);
  // `checkDeclarations` reports a version without changes.
  const complete = versions.filter(({ changes }) => Array.isArray(changes));
  const deprecations = options.deprecations ?? deprecationsFor(known, complete);
  const settings: Settings = { ...defaultSettings, ...options.settings };
  return { parts, handlers, providers, resources, versions, deprecations, settings };
};

/** Whether a test has checked that versions, deprecations and operations fit each other. */
const areAllBuiltIn = ({ resources, versions, deprecations }: AppOptions): boolean =>
  resources === undefined && versions === undefined && deprecations === undefined;

/** Endpoints of the part `users` outside `/api`. */
const rootedOf = (
  parts: Omit<OAuthParts, "limitsFor"> & { readonly ports: Ports; readonly settings: Settings },
  keys: SigningKeys,
  fail: App["fail"],
  first: { readonly run: Api["run"]; readonly setup: SetupLink },
): readonly RootedEndpoint[] => {
  const { ports, settings } = parts;
  const limits = limitsOf(ports, settings);
  const limited = { ...parts, limitsFor: () => limits({}) };
  const oauth = settings.issuer === undefined ? [] : oauthEndpoints(limited);
  const { console: ui } = settings;
  const ofConsole =
    ui === undefined
      ? []
      : [...consoleFileEndpoints(ui.files), ...consoleEndpoints({ ...limited, ...first, ...ui, fail })];
  return [keySetEndpoint(keys, fail), ...oauth, ...ofConsole];
};

const enqueuing = (
  handlers: readonly { readonly name: string }[],
  enqueue: ReturnType<typeof createEnqueuer>,
): App["enqueue"] => {
  const requireKnown = requireKinds(handlers);
  return async (...newJobs) => {
    requireKnown(newJobs);
    return newJobs.length === 0 ? [] : enqueue(newJobs);
  };
};

const transacting =
  ({ storage, clock, wakeup }: Ports, transactionIn: ReturnType<typeof createTransactions>): App["transaction"] =>
  async (work) => {
    let hasJobs = false;
    const result = await storage.transaction((stores, own) => {
      hasJobs = false;
      const onEnqueue = () => {
        hasJobs = true;
      };
      return work(transactionIn({ stores, own, now: () => clock.now(), onEnqueue }));
    });
    if (hasJobs) wakeup.notify();
    return result;
  };

const joining =
  ({ storage, clock, wakeup }: Ports, transactionIn: ReturnType<typeof createTransactions>): App["within"] =>
  (transaction) => {
    if (storage.join === undefined) {
      throw new TypeError("within: this storage shares no transactions with your database; use `transaction`");
    }
    const { stores, afterCommit } = storage.join(transaction);
    const onEnqueue = (): void => {
      // If nothing tells of the commit, idle workers look for some seconds from now on.
      if (!afterCommit(() => wakeup.notify())) wakeup.notify();
    };
    const { rows, enqueue } = transactionIn({ stores, now: () => clock.now(), onEnqueue });
    return { rows, enqueue };
  };

const noHandler = (name: string, handlers: readonly InboxHandler[]): AppError => {
  const names = handlers.map((one) => one.name);
  const known = names.length === 0 ? "; there is none" : `; there are ${names.join(", ")}`;
  return new AppError("not_found", { detail: `There is no handler "${name}"${didYouMean([name], names) || known}.` });
};

/** Turns everything that `api` and `inbox` throw into answers. */
const neverThrowing = (
  api: Pick<Api, "handle">,
  inbox: Pick<ReturnType<typeof createInbox>, "receive">,
  fail: App["fail"],
): Pick<App, "handle" | "receive"> => ({
  handle: (request) =>
    api
      .handle(request)
      .catch((thrown: unknown) => fail(thrown, { path: pathOf(request.facts.target), requestId: request.facts.id })),
  receive: (webhook) =>
    inbox.receive(webhook).catch((thrown: unknown) => {
      const { provider, requestId } = webhook;
      const answer = fail(thrown, { path: `/api/webhooks/${encodeURIComponent(provider)}`, requestId });
      // The path may contain any name. The log notes only that of a provider that exists.
      const isUnknown = thrown instanceof AppError && thrown.code === "unknown_provider";
      return { ...answer, done: "refused", ...(!isUnknown && { log: { ...answer.log, provider } }) };
    }),
});

/**
 * The jobs and schedules of the application, of the maintenance and of the built-in parts; and the
 * names of the schedules that are not the application's.
 */
const backgroundWorkOf = (
  { jobs = [], schedules = [] }: AppOptions,
  { ports, settings, parts, mail, exports, plans }: BuiltInWork,
): {
  readonly jobs: readonly JobHandler[];
  readonly schedules: readonly Schedule[];
  readonly upkeep: readonly string[];
} => {
  const users = parts.includes("users");
  const inbox = parts.includes("inbox");
  const own = [
    ...maintenanceSchedules(ports, settings.retention),
    ...(users
      ? [rotationSchedule(ports, settings), successorSchedule(ports), ...mail.schedules, ...exports.schedules]
      : []),
    ...(inbox ? plans.schedules : []),
  ];
  return {
    jobs: [...jobs, ...(users ? [...mail.jobs, ...exports.jobs] : []), ...(inbox ? plans.jobs : [])],
    schedules: [...schedules, ...own],
    upkeep: own.map(({ name }) => name),
  };
};

interface BuiltInWork {
  readonly ports: Ports;
  readonly settings: Settings;
  readonly parts: readonly Part[];
  readonly mail: Pick<AccountMail, "jobs" | "schedules">;
  readonly exports: Pick<UserExports, "jobs" | "schedules">;
  readonly plans: Pick<EventPlans, "jobs" | "schedules">;
}

/** All resources. That of users lists the roles of the application. */
const resourcesWith = ({ resources = [], roles = {} }: AppOptions, parts: readonly Part[]): readonly Resource[] => [
  ...resourcesOfParts(parts).map((one) => (one === user ? userWithRoles(Object.keys(roles)) : one)),
  ...resources,
];

/** @throws TypeError for declarations that need an inbox. */
const noInbox = ({ handlers = [], providers = [] }: AppOptions): ReturnType<typeof createInbox> => {
  if (handlers.length > 0 || providers.length > 0) {
    throw new TypeError('handlers and providers need the part "inbox"');
  }
  return {
    receive: async () => {
      throw new AppError("unknown_provider", { detail: "This server takes no webhooks." });
    },
    checkReady: async () => undefined,
    flush: async () => undefined,
  };
};

/** Tells a caller without a valid token where to read how to get one (RFC 9728, section 5.1). */
const namingResource = (answer: Answer, { issuer }: Pick<Settings, "issuer">): Answer => {
  const asked = answer.headers?.["www-authenticate"];
  if (issuer === undefined || asked?.startsWith("Bearer ") !== true) return answer;
  const [, origin = "", base = ""] = /^(https?:\/\/[^/]+)(.*)$/.exec(issuer) ?? [];
  const named = `${asked}, resource_metadata="${origin}${resourceMetadataPath}${base}/api"`;
  return { ...answer, headers: { ...answer.headers, "www-authenticate": named } };
};

const pathOf = (target: string): string => target.split("?", 1)[0] ?? target;

const byName = <Named extends { readonly name: string }>(entries: readonly Named[]): ReadonlyMap<string, Named> =>
  new Map(entries.map((entry) => [entry.name, entry]));
