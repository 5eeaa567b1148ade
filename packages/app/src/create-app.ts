import {
  type Answer,
  AppError,
  type ErrorCode,
  type Nesting,
  type Ports,
  type Resource,
  type Storage,
} from "@postern/core";
import {
  createActivityCounter,
  createErrorAnswer,
  createTransactions,
  didYouMean,
  refuseFaults,
} from "@postern/core/internal";
import {
  createProviders,
  type HandRun,
  type InboxHandler,
  type IncomingWebhook,
  type Provider,
  type Providers,
  type WebhookAnswer,
} from "@postern/inbox";
import { answersToSender, createInboxOf, runByHand } from "@postern/inbox/internal";
import type { JobHandler, Jobs, Schedule } from "@postern/jobs";
import { checkWorkerOptions, createJobsOf, createLocalHandoff } from "@postern/jobs/internal";
import {
  type Api,
  type Authenticate,
  builtInRoles,
  type Correction,
  createApi,
  type Deprecation,
  limitsOf,
  newestOf,
  type Operation,
  type OwnOperation,
  type Product,
  type Roles,
  type RootedEndpoint,
  type VersionDefinition,
} from "@postern/rest";
import {
  componentFaults,
  operationEffects,
  ownEntries,
  ownOperationFaults,
  productInForce,
} from "@postern/rest/internal";
import { type AccountMail, accountMail } from "./account/account-mail.ts";
import { signInOf } from "./authentication.ts";
import { checkAppOptions, checkDeclarations } from "./check-declarations.ts";
import { consoleEndpoints } from "./console/console-endpoints.ts";
import { consoleFileEndpoints } from "./console/console-files.ts";
import { createSetupLink, type SetupLink } from "./console/setup-link.ts";
import { type UserExports, userExports } from "./exports/user-exports.ts";
import type { Hook } from "./hooks/hooks.ts";
import { hookFaults, jobsOfHooks, storageWithHooks, withRefusals } from "./hooks/write-hooks.ts";
import { type OwnMail, ownMail } from "./mail/own-mail.ts";
import { resourceMetadataPath } from "./oauth/metadata-endpoints.ts";
import { oauthEndpoints } from "./oauth/oauth-endpoints.ts";
import type { OAuthParts } from "./oauth/oauth-parts.ts";
import { withRealm } from "./oauth/realm.ts";
import { operationsOf } from "./operations.ts";
import { createFeed, createStorageGauges, maintenanceSchedules, type ShownSetting } from "./operator/index.ts";
import { allParts, builtInResources, checkParts, deprecationsFor, type Part, resourcesOfParts } from "./parts.ts";
import { type EventPlans, eventPlans } from "./plans/event-plans.ts";
import { leftOutOf, user, userWithRoles } from "./resources/user.ts";
import { defaultSettings, type Settings, type SettingsInForce } from "./settings.ts";
import { liveSessions } from "./sign-in/live-sessions.ts";
import { createAccessTokens } from "./tokens/access-tokens.ts";
import { keySetEndpoint } from "./tokens/key-set-endpoint.ts";
import { rotationSchedule } from "./tokens/rotation-schedule.ts";
import { createSigningKeys, type SigningKeys } from "./tokens/signing-keys.ts";
import { successorSchedule } from "./tokens/successor-schedule.ts";
import { toldChanges } from "./users/told-changes.ts";
import { builtInAdditions } from "./versions/built-in-additions.ts";
import { builtInCorrections } from "./versions/built-in-corrections.ts";
import { builtInShapes } from "./versions/built-in-shapes.ts";
import { builtInVersions } from "./versions/built-in-versions.ts";
import { type ChosenVersions, chosenVersions } from "./versions/chosen-versions.ts";
import { leavesOperatorsAlone, operatorPartFaults } from "./versions/operator-part-faults.ts";

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
  /** How documents, pages and mails present the application to its customers. Default: as Postern. */
  readonly product?: Product;
  /** What the operation `admin.settings` shows, with no secret in it. */
  readonly configuration?: () => readonly ShownSetting[];
  /** The user of the part `users`, made with `userWith`: with fields of your own, and without some of ours. */
  readonly user?: Resource;
  /** Resources of your own, in addition to those of the parts. */
  readonly resources?: readonly Resource[];
  /** The senders of webhooks. */
  readonly providers?: readonly Provider[];
  /** The handlers of their events. */
  readonly handlers?: readonly InboxHandler[];
  /** Code of yours on the writes of rows, made with `beforeWrite` and `afterCommit`. */
  readonly hooks?: readonly Hook[];
  /** Jobs of your own, made with `defineJob`. */
  readonly jobs?: readonly JobHandler[];
  /** Work that starts at set times, made with `schedule`. */
  readonly schedules?: readonly Schedule[];
  /** Operations of your own, made with `defineOperation`. */
  readonly operations?: readonly OwnOperation[];
  /** Roles of the application's own, by name, in addition to the built-in ones. */
  readonly roles?: Roles;
  /**
   * The version table, oldest first. It is the whole list: `builtInVersions`, those of the bare
   * server, belong to it only if you name them. Default: `v1`, in the newest shape.
   */
  readonly versions?: readonly VersionDefinition[];
  /**
   * `required`: PUT, PATCH and DELETE of rows need `If-Match`, in every version; without it they are
   * answered 428. `optional`: they take it. A version that changes this has `requireHeader`. Default:
   * `optional`.
   */
  readonly preconditions?: "optional" | "required";
  /** What you announce that you will remove. Default: what `builtInVersions` announce, if you have them. */
  readonly deprecations?: readonly Deprecation[];
  /** Notices a handler's `commit` inside another transaction, and the reverse. */
  readonly nesting?: Nesting;
}

/** All of Postern without a protocol. HTTP, the command line and the runner call it. */
export interface App
  extends Jobs,
    Pick<Api, "versions" | "scopes" | "authenticate" | "run" | "openApi" | "changeLog" | "prepareDocuments" | "flush"> {
  /** Endpoints outside `/api`: those of OAuth 2 and its keys, and the console. */
  readonly rooted: readonly RootedEndpoint[];
  /** The storage of the application. Every write of a row through it passes the hooks. */
  readonly storage: Storage;
  /**
   * Makes a secret with which the console's page `#/setup/{secret}` makes the first administrator:
   * once, within 30 minutes. An earlier one ends.
   * @throws AppError `state_conflict` once there is an administrator.
   */
  offerSetup(): Promise<string>;
  /** Answers a request. It never throws: every failure is an answer, too. */
  handle(request: Parameters<Api["handle"]>[0]): Promise<Answer>;
  /** Answers a webhook, and says what it did with it. It never throws. */
  receive(webhook: IncomingWebhook): Promise<WebhookAnswer>;
  /**
   * Runs one handler of webhooks on a stored event, beside all jobs, and says what it did. What it
   * writes with `commit` is rolled back, unless `keep` is true.
   * @throws AppError `not_found` for an event or a handler that is not there, `state_conflict` for an
   *   event that the handler does not take.
   */
  runByHand(handler: string, run: { readonly eventId: number; readonly keep: boolean }): Promise<HandRun>;
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
export const createApp = (options: AppOptions): App => createAppOf(ofToday, options);

/** What Postern itself declares. */
export interface BuiltIn {
  /** What each later shape of the built-in resources changed, from shape 2 on. */
  readonly shapes: typeof builtInShapes;
  /** The newest shape of a built-in resource. */
  readonly newest: (resource: Resource) => Resource;
}

const ofToday: BuiltIn = { shapes: builtInShapes, newest: (resource) => resource };

/** As `createApp`, of a Postern with these built-in resources: a test looks at it after an upgrade. */
export const createAppOf = (declared: BuiltIn, options: AppOptions): App => {
  checkAppOptions(options);
  const chosen = chosenOf(options, declared);
  const { parts, handlers, settings } = chosen;
  const keys = createSigningKeys(options.ports);
  const tokens = createAccessTokens(options.ports, keys, settings);
  const sessions = parts.includes("users") ? liveSessions(options.ports, settings) : undefined;
  const storage = storageWithHooks({
    ports: options.ports,
    resources: chosen.resources,
    hooks: chosen.hooks,
    watchers: sessions === undefined ? [] : [sessions.watcher],
    listeners: sessions === undefined ? [] : [toldChanges(() => mail)],
  });
  const feed = createFeed({ ...options.ports, storage });
  const ports: Ports = { ...options.ports, storage, alerts: feed.alerts };
  const mail = accountMail(ports, settings);
  const own = ownMail(ports);
  // Operations that know all scopes are themselves entries of the table that says which there are.
  const scopesOfApi = () => api.scopes;
  const { authenticate, roles = {} } = options;
  const resources = byName(chosen.resources);
  const signIn = signInOf({
    ports,
    authenticate,
    roles,
    sessions,
    settings,
    tokens,
    scopes: scopesOfApi,
    mail,
    user: resources.get(user.name) ?? user,
  });
  const exports = userExports({ ports, settings, resources, mail });
  const providers = createProviders(ports, byName(chosen.providers));
  const plans = eventPlans({ ports, providers, handlers });
  const { jobs, schedules, upkeep } = backgroundWorkOf(options, {
    ports,
    settings,
    parts,
    mail,
    own,
    exports,
    plans,
    deprecations: chosen.deprecations.map(({ id }) => id),
  });
  checkDeclarations({ ...chosen, jobs, schedules }, ports);

  const handoff = createLocalHandoff();
  const activity = createActivityCounter(ports);
  const known = [...handlers, ...jobs, ...schedules];
  const transactions = createTransactions({
    resources: chosen.resources,
    handlers: known,
    ids: ports.ids,
    mailJobs: own.jobsFor,
  });
  const { nesting } = options;
  const inbox = parts.includes("inbox")
    ? createInboxOf({ ports, providers, handlers, handoff, activity, onStored: feed.wake })
    : noInbox(options);
  const queue = createJobsOf({
    ports,
    jobs: [...inbox.jobs, ...jobs],
    schedules,
    transactions,
    nesting,
    handoff,
    activity,
  });
  const shared = { ports, settings, tokens, mail };
  const health = {
    configured: new Set(providers.configured.keys()),
    schedules,
    handlers: known,
    retention: settings.retention,
    flush: inbox.flush,
  };
  const entries = operationsOf({
    ...shared,
    scopes: scopesOfApi,
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
  const { transactionIn } = transactions;
  const entryOf = ownEntries({ resources: chosen.resources, transactionIn, nesting, ...ports });
  const builtIn = requiresPreconditions(options, chosen.versions) ? entries : entries.map(withoutPrecondition);
  const table = withOwnOperations(options, chosen, builtIn, entryOf);
  const { versions: definitions } = table;
  const operations = withRefusals(table.operations, chosen.hooks, resources, {
    outside: settings.outsideIssuer !== undefined,
  });
  // To describe everything takes a while. Tests do it for what is built in.
  if (options.resources !== undefined || options.operations !== undefined) refuseFaults(componentFaults(operations));
  refuseFaults(operatorPartFaults({ ...chosen, versions: definitions }, operations));
  const api: Api = createApi({
    ports,
    settings,
    operations,
    resources: [...resources.values()],
    versions: definitions,
    pending: chosen.pending,
    leavesAlone: leavesOperatorsAlone,
    deprecations: chosen.deprecations,
    areVersionsKnown: areAllBuiltIn(options),
    ...(options.product === undefined ? {} : { product: options.product }),
    corrections: correctionsOf(chosen.bare, resources),
    ...(parts.includes("inbox") ? { senders: sendersOf(providers) } : {}),
    authenticate: signIn.authenticate,
    ...(settings.outsideIssuer === undefined ? {} : { authenticationErrors: outsideErrors }),
    ...(options.roles === undefined ? {} : { roles: options.roles }),
  });
  const { versions, scopes, authenticate: callerOf, run, answerOnce, openApi, changeLog, prepareDocuments } = api;
  const errorAnswer = createErrorAnswer(ports);
  const setup = createSetupLink(ports);
  const fail: App["fail"] = (thrown, request) => namingResource(errorAnswer(thrown, request), settings);

  return {
    versions,
    scopes,
    storage,
    rooted: parts.includes("users")
      ? rootedOf({ ...shared, scopes, answerOnce, principalOf: signIn.principalOf }, keys, fail, {
          run,
          setup,
          version: newestOf(versions).id,
        })
      : [],
    offerSetup: setup.offer,
    ...neverThrowing(api, inbox, fail),
    authenticate: callerOf,
    run,
    enqueue: queue.enqueue,
    transaction: queue.transaction,
    within: queue.within,
    openApi,
    changeLog,
    prepareDocuments,
    flush: async () => {
      await Promise.all([api.flush(), inbox.flush(), activity.stop()]);
    },
    worker: (given) => {
      checkWorkerOptions(given);
      return queue.worker({ ...given, queues: mail.queuesOf(given) });
    },
    runByHand: async (name, given) => {
      const handler = handlers.find((one) => one.name === name);
      if (handler === undefined) throw noHandler(name, handlers);
      return runByHand({ ports, providers, ...transactions, nesting }, handler, given);
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

/** What the senders of this server get, those added at run time included. */
const sendersOf = (providers: Pick<Providers, "find" | "known">) => ({
  known: () => providers.known().flatMap(({ verifier }) => answersToSender(verifier.scheme)),
  look: async () => {
    // To ask for any name makes the process read the stored senders, unless it has just done so. While
    // they cannot be read, the document tells of those that are known.
    await providers.find("").catch(() => undefined);
  },
});

/** The errors of callers with a token of an outside issuer. */
const outsideErrors: readonly ErrorCode[] = ["account_exists", "address_unverified", "forbidden", "insufficient_scope"];

/** The options with their defaults, and with what the built-in parts declare. */
interface Chosen extends ChosenVersions {
  readonly parts: readonly Part[];
  readonly handlers: readonly InboxHandler[];
  readonly hooks: readonly Hook[];
  readonly providers: readonly Provider[];
  readonly resources: readonly Resource[];
  readonly deprecations: readonly Deprecation[];
  readonly settings: SettingsInForce;
}

/** @throws TypeError for parts and settings that do not fit together. */
const chosenOf = (options: AppOptions, { shapes, newest }: BuiltIn): Chosen => {
  const { parts = allParts, handlers = [], hooks = [], providers = [] } = options;
  checkParts(parts);
  const resources = resourcesWith(options, parts, newest);
  // Your own resource is not the built-in one, even if both have the same name.
  const names = new Set(resourcesOfParts(parts).map(({ name }) => name));
  const builtIn = byName(resources.slice(0, names.size));
  const known = new Set(builtInResources.map(({ name }) => name));
  const without = leftOutOf(options.user ?? user);
  const chosen = chosenVersions({ versions: options.versions, shapes, builtIn, known, without });
  // `checkDeclarations` reports a version without changes.
  const complete = chosen.versions.filter(({ changes }) => Array.isArray(changes));
  const deprecations = options.deprecations ?? deprecationsFor(names, complete);
  const product = productInForce(options.product);
  const settings: SettingsInForce = { ...defaultSettings, ...options.settings, product };
  refuseFaults(hookFaults(hooks, resources, names));
  return { parts, handlers, hooks, providers, resources, ...chosen, deprecations, settings };
};

/** Whether a test has checked that versions, deprecations and operations fit each other. */
const areAllBuiltIn = ({ user: own, resources, operations, versions, deprecations }: AppOptions): boolean =>
  own === undefined &&
  resources === undefined &&
  operations === undefined &&
  (versions === undefined || versions === builtInVersions) &&
  deprecations === undefined;

/** Whether writes need `If-Match` in the newest version. */
const requiresPreconditions = ({ preconditions }: AppOptions, versions: readonly VersionDefinition[]): boolean =>
  preconditions === "required" ||
  versions.some(({ changes }) => changes.some((change) => operationEffects(change).some(({ required }) => required)));

const withoutPrecondition = (operation: Operation): Operation => {
  if (operation.requiresIfMatch !== true) return operation;
  const { requiresIfMatch: _demanded, ...without } = operation;
  return without;
};

/** What was corrected in and added to those versions of the bare server that the application has. */
const correctionsOf = (bare: ReadonlySet<string>, resources: ReadonlyMap<string, Resource>): readonly Correction[] =>
  bare.size === 0
    ? []
    : [...builtInCorrections, ...builtInAdditions(resources)].map((correction) => ({
        ...correction,
        versions: correction.versions.filter((id) => bare.has(id)),
      }));

/**
 * The operation table and the versions with the application's own operations: those that it has, and
 * those that only an older version has.
 * @throws DeclarationError with every fault in all of them.
 */
const withOwnOperations = (
  { operations = [], roles = {} }: AppOptions,
  { resources, versions }: Pick<Chosen, "resources" | "versions">,
  builtIn: readonly Operation[],
  entryOf: (operation: OwnOperation) => Operation,
): { readonly operations: readonly Operation[]; readonly versions: readonly VersionDefinition[] } => {
  const around = { resources, roles: [...Object.keys(builtInRoles), ...Object.keys(roles)] };
  refuseFaults(ownOperationFaults(operations, { ...around, others: builtIn }));
  const removed = versions.flatMap(({ changes }) =>
    changes.flatMap(({ effects }) => effects.flatMap((effect) => ("restoredOwn" in effect ? effect.restoredOwn : []))),
  );
  // Where they stand, only the table of their version says; that is looked at later.
  refuseFaults(ownOperationFaults(removed, { ...around, others: [] }));
  return {
    operations: [...builtIn, ...operations.map(entryOf)],
    versions: versions.map((version) => ({
      ...version,
      changes: version.changes.map((change) => ({
        ...change,
        effects: change.effects.map((effect) => {
          if (!("restoredOwn" in effect)) return effect;
          const { restoredOwn = [], restored = [], ...others } = effect;
          return { ...others, restored: [...restored, ...restoredOwn.map(entryOf)] };
        }),
      })),
    })),
  };
};

/** Endpoints of the part `users` outside `/api`. */
const rootedOf = (
  parts: Omit<OAuthParts, "limitsFor"> & { readonly ports: Ports; readonly settings: SettingsInForce },
  keys: SigningKeys,
  fail: App["fail"],
  first: { readonly run: Api["run"]; readonly setup: SetupLink; readonly version: string },
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

const noHandler = (name: string, handlers: readonly InboxHandler[]): AppError => {
  const names = handlers.map((one) => one.name);
  const known = names.length === 0 ? "; there is none" : `; there are ${names.join(", ")}`;
  return new AppError("not_found", { detail: `There is no handler "${name}"${didYouMean([name], names) || known}.` });
};

/** Turns everything that `api` and `inbox` throw into answers. */
const neverThrowing = (
  api: Pick<Api, "handle">,
  inbox: Pick<ReturnType<typeof createInboxOf>, "receive">,
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
  { jobs = [], schedules = [], hooks = [] }: AppOptions,
  { ports, settings, parts, mail, own: mails, exports, plans, deprecations }: BuiltInWork,
): {
  readonly jobs: readonly JobHandler[];
  readonly schedules: readonly Schedule[];
  readonly upkeep: readonly string[];
} => {
  const users = parts.includes("users");
  const inbox = parts.includes("inbox");
  const own = [
    ...maintenanceSchedules(ports, settings.retention, deprecations),
    ...(users
      ? [rotationSchedule(ports, settings), successorSchedule(ports), ...mail.schedules, ...exports.schedules]
      : []),
    ...(inbox ? plans.schedules : []),
  ];
  return {
    jobs: [
      ...jobs,
      ...mails.jobs,
      ...jobsOfHooks(hooks),
      ...(users ? [...mail.jobs, ...exports.jobs] : []),
      ...(inbox ? plans.jobs : []),
    ],
    schedules: [...schedules, ...own],
    upkeep: own.map(({ name }) => name),
  };
};

interface BuiltInWork {
  /** The ids of the deprecations. */
  readonly deprecations: readonly string[];
  readonly ports: Ports;
  readonly settings: SettingsInForce;
  readonly parts: readonly Part[];
  readonly mail: Pick<AccountMail, "jobs" | "schedules">;
  readonly own: Pick<OwnMail, "jobs">;
  readonly exports: Pick<UserExports, "jobs" | "schedules">;
  readonly plans: Pick<EventPlans, "jobs" | "schedules">;
}

/**
 * All resources. That of users lists the roles of the application.
 * @throws DeclarationError for a user that cannot be.
 */
const resourcesWith = (
  { resources = [], roles = {}, user: own = user }: AppOptions,
  parts: readonly Part[],
  newest: BuiltIn["newest"],
): readonly Resource[] => {
  if (own !== user && !parts.includes("users")) refuseFaults(['user: it needs the part "users"']);
  return [
    ...resourcesOfParts(parts, own)
      .map((one) => (one === own ? userWithRoles(own, Object.keys(roles)) : one))
      .map(newest),
    ...resources,
  ];
};

/** @throws TypeError for declarations that need an inbox. */
const noInbox = ({ handlers = [], providers = [] }: AppOptions): ReturnType<typeof createInboxOf> => {
  if (handlers.length > 0 || providers.length > 0) {
    throw new TypeError('handlers and providers need the part "inbox"');
  }
  return {
    jobs: [],
    receive: async () => {
      throw new AppError("unknown_provider", { detail: "This server takes no webhooks." });
    },
    checkReady: async () => undefined,
    flush: async () => undefined,
  };
};

/** Tells a caller without a valid token where to read how to get one (RFC 9728, section 5.1). */
const namingResource = (given: Answer, { issuer, product }: Pick<SettingsInForce, "issuer" | "product">): Answer => {
  const answer = withRealm(given, product);
  const asked = answer.headers?.["www-authenticate"];
  if (issuer === undefined || asked?.startsWith("Bearer ") !== true) return answer;
  const [, origin = "", base = ""] = /^(https?:\/\/[^/]+)(.*)$/.exec(issuer) ?? [];
  const named = `${asked}, resource_metadata="${origin}${resourceMetadataPath}${base}/api"`;
  return { ...answer, headers: { ...answer.headers, "www-authenticate": named } };
};

const pathOf = (target: string): string => target.split("?", 1)[0] ?? target;

const byName = <Named extends { readonly name: string }>(entries: readonly Named[]): ReadonlyMap<string, Named> =>
  new Map(entries.map((entry) => [entry.name, entry]));
