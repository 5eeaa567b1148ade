import type { Principal } from "./auth/principal.ts";
import { defaultSettings, type Environment, type Settings } from "./environment.ts";
import type { InboxHandler } from "./inbox/handler.ts";
import { createInbox, type IncomingWebhook } from "./inbox/inbox.ts";
import type { Provider } from "./inbox/provider.ts";
import { createWorker, type Worker, type WorkerOptions } from "./jobs/worker.ts";
import { type ApiRequest, answerError, dispatch } from "./operations/dispatch.ts";
import { operationsOf } from "./operations/index.ts";
import type { Answer, Operation } from "./operations/operation.ts";
import type { Ports } from "./ports/index.ts";
import { builtInResources } from "./resources/index.ts";
import type { Resource } from "./resources/resource.ts";
import { apiVersions } from "./versions/index.ts";

export interface AppOptions {
  readonly ports: Ports;
  readonly settings?: Partial<Settings>;
  /** The application's own resources, beside users, sessions, posts and comments. */
  readonly resources?: readonly Resource[];
  readonly providers?: readonly Provider[];
  readonly handlers?: readonly InboxHandler[];
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
  readonly operations: readonly Operation[];
  /** Answers a request; never throws: every failure is an answer too. */
  handle(request: ApiRequest): Promise<Answer>;
  /** Answers a webhook; never throws. */
  receive(webhook: IncomingWebhook): Promise<Answer>;
  /** Runs an operation for a principal that is known already, in the newest version. @throws AppError */
  run(call: DirectCall): Promise<Answer>;
  worker(options: WorkerOptions): Worker;
  /** Any failure as an answer, for faults that an adapter finds itself. */
  fail(thrown: unknown, request: { readonly path: string; readonly requestId: string }): Answer;
  /** @throws AppError `unavailable` while the storage cannot be used. */
  checkReady(): Promise<void>;
}

/**
 * The one place where use cases meet ports.
 * @throws TypeError for a declaration that cannot work: two handlers or providers of one name, a resource without its parent.
 */
export const createApp = (options: AppOptions): App => {
  const resources = byName("resource", [...builtInResources, ...(options.resources ?? [])]);
  const environment: Environment = {
    ports: options.ports,
    settings: { ...defaultSettings, ...options.settings },
    resources,
    providers: byName("provider", options.providers ?? []),
    handlers: [...byName("handler", options.handlers ?? []).values()],
    operations: operationsOf(resources),
  };
  const inbox = createInbox(environment);
  const operations = byName(
    "operation",
    environment.operations.map((operation) => ({ ...operation, name: operation.id })),
  );
  const fail: App["fail"] = (thrown, request) => answerError(environment.ports, thrown, request);

  return {
    operations: environment.operations,
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
      const version = apiVersions.at(-1);
      if (operation === undefined || version === undefined) throw new TypeError(`there is no operation "${id}"`);
      return dispatch(environment, {
        operation,
        facts: { id: environment.ports.ids.uuid(), version, base: `/api/${version.id}`, target: id, address: "local" },
        params,
        query: Object.entries(query),
        body,
        credential: principal,
      });
    },
    worker: (workerOptions) => createWorker(environment, workerOptions),
    fail,
    checkReady: () => environment.ports.storage.check(),
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
