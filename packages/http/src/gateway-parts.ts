import { versionOf } from "@postern/rest";
import { type ByteBudget, createByteBudget } from "./byte-budget.ts";
import { type Compression, createCompression } from "./compression/compression.ts";
import type { ApiVersion, HttpApp } from "./http-app.ts";
import type { HttpSettings } from "./options.ts";
import { createOverload, type Overload } from "./overload.ts";
import { createReadiness, type Readiness } from "./readiness.ts";
import { createRefusals, type Refusals } from "./refusals.ts";
import { createShares, type Shares } from "./shares.ts";
import { createUploads, type Uploads } from "./uploads.ts";

/**
 * What requests are answered with: the application, the settings, and the limits that all requests
 * share.
 */
export interface GatewayParts {
  readonly app: HttpApp;
  readonly settings: HttpSettings;
  /** The version that `/api/…` answers as. */
  readonly defaultVersion: ApiVersion;
  readonly budget: ByteBudget;
  readonly uploads: Uploads;
  readonly refusals: Refusals;
  /**
   * The bytes of large answers that wait for their readers. Adapters that own connections count
   * them.
   */
  readonly waiting: Shares;
  /** The pipelined requests that wait for the answers before theirs. */
  readonly pipelined: Shares;
  readonly readiness: Readiness;
  readonly overload: Overload;
  readonly compression: Compression;
}

/** @throws AppError `unknown_version` for a default version that the application does not have. */
export const createGatewayParts = (app: HttpApp, settings: HttpSettings): GatewayParts => ({
  app,
  settings,
  defaultVersion: versionOf(app.versions, settings.defaultVersion),
  budget: createByteBudget({ total: settings.memoryLimitBytes, perAddress: settings.memoryLimitBytesPerAddress }),
  uploads: createUploads(settings.leastUploadRate),
  refusals: createRefusals(settings),
  waiting: createShares({ total: settings.waitingLimitBytes, perAddress: settings.waitingLimitBytesPerAddress }),
  pipelined: createShares({ total: settings.maxPipelined, perAddress: Math.floor(settings.maxPipelined / 4) }),
  readiness: createReadiness(app),
  overload: createOverload(settings),
  compression: createCompression(settings),
});
