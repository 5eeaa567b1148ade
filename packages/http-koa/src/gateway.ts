import type { Duplex } from "node:stream";
import { type ApiVersion, type App, versionOf } from "@postern/core";
import { type ByteBudget, createByteBudget } from "./byte-budget.ts";
import type { Exchange } from "./exchange.ts";
import { createJsonReader } from "./json-body.ts";
import { type HttpOptions, type HttpSettings, settingsOf } from "./options.ts";
import { createOverload, type Overload } from "./overload.ts";
import { createReadiness, type Readiness } from "./readiness.ts";
import { createApiRouter } from "./router.ts";
import { routesOf } from "./routes.ts";
import { type FindWebhook, webhookFinder } from "./webhook-path.ts";

/** What the requests of one mounted Postern share. */
export interface Gateway {
  readonly app: App;
  readonly settings: HttpSettings;
  /** What `/api/…` without a version answers as. */
  readonly defaultVersion: ApiVersion;
  readonly findRoute: ReturnType<typeof createApiRouter>;
  readonly findWebhook: FindWebhook;
  readonly readJson: ReturnType<typeof createJsonReader>;
  readonly budget: ByteBudget;
  readonly readiness: Readiness;
  readonly overload: Overload;
  /** True once the server takes no further connections: every answer closes its own. */
  draining: boolean;
  /** The connections that have had a request, each with its newest: what a fault that Node finds on the connection belongs to. */
  readonly connections: WeakMap<Duplex, { latest: Exchange }>;
}

/** @throws TypeError for options that cannot work; AppError `unknown_version`. */
export const createGateway = (app: App, options: HttpOptions): Gateway => {
  const settings = settingsOf(options);
  const defaultVersion = versionOf(app.versions, settings.defaultVersion);
  const routes = routesOf(app.versions, defaultVersion);
  const budget = createByteBudget(settings.memoryLimitBytes);
  return {
    app,
    settings,
    defaultVersion,
    findRoute: createApiRouter(routes, app.versions, defaultVersion),
    findWebhook: webhookFinder(routes),
    readJson: createJsonReader(settings.jsonLimitBytes, budget),
    budget,
    readiness: createReadiness(app),
    overload: createOverload(settings),
    draining: false,
    connections: new WeakMap(),
  };
};
