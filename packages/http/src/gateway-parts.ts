import { versionOf } from "@postern/rest";
import { type ByteBudget, createByteBudget } from "./byte-budget.ts";
import { type Compression, createCompression } from "./compression/compression.ts";
import { createKeptDocuments, type KeptDocuments } from "./compression/kept-documents.ts";
import type { ApiVersion, HttpApp } from "./http-app.ts";
import { createMinuteCounts, type MinuteCounts } from "./minute-counts.ts";
import { createNewConnections, type NewConnections } from "./new-connections.ts";
import type { HttpSettings } from "./options.ts";
import { createOverload, type Overload } from "./overload.ts";
import { createReadiness, type Readiness } from "./readiness.ts";
import { createRestingTurns, type RestingTurns } from "./resting-turns.ts";
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
  /**
   * Counts webhooks with an invalid signature, so that a stranger's forgeries do not fill the log.
   */
  readonly refusals: MinuteCounts;
  /** Counts requests that are answered 401 or 429: callers who go on regardless. */
  readonly denials: MinuteCounts;
  /** Counts the refusals that have a line in the access log, so that they do not fill it. */
  readonly refusalLines: MinuteCounts;
  /** Counts the other requests that no limit counts, for the same reason. */
  readonly uncountedLines: MinuteCounts;
  /** Counts small chunks of bodies. Each costs far more than its bytes. */
  readonly smallChunks: MinuteCounts;
  /** For adapters that own connections. */
  readonly newConnections: NewConnections;
  /**
   * The bytes of large answers that wait for their readers. Adapters that own connections count
   * them.
   */
  readonly waiting: Shares;
  /** Pipelined requests that wait for the answers before theirs. */
  readonly pipelined: Shares;
  /**
   * Long JSON bodies and webhooks are read one after the other, which leaves time for other requests.
   */
  readonly longTexts: RestingTurns;
  readonly readiness: Readiness;
  readonly overload: Overload;
  readonly documents: KeptDocuments;
  readonly compression: Compression;
}

/** @throws AppError `unknown_version` for a default version that the application does not have. */
export const createGatewayParts = (app: HttpApp, settings: HttpSettings): GatewayParts => {
  const refusals = createMinuteCounts(settings.maxRefusedPerMinute, (address, refused) =>
    settings.telemetry.log("warn", "webhooks refused", { address, refused }),
  );
  const smallChunks = createMinuteCounts(settings.maxSmallChunksPerMinute, (address, chunks) =>
    settings.telemetry.log("warn", "connections cut for their small chunks", { address, chunks }),
  );
  // The access log has a line for them already.
  const denials = createMinuteCounts(settings.maxRefusedPerMinute, () => undefined);
  const budget = createByteBudget({
    total: settings.memoryLimitBytes,
    perAddress: settings.memoryLimitBytesPerAddress,
    waitMs: settings.maxBodyWaitMs,
  });
  return {
    app,
    settings,
    defaultVersion: versionOf(app.versions, settings.defaultVersion),
    budget,
    uploads: createUploads(settings.leastUploadRate, () => budget.isAwaited),
    refusals,
    denials,
    smallChunks,
    refusalLines: createMinuteCounts(settings.maxRefusalLinesPerMinute, (address, refused) =>
      settings.telemetry.log("warn", "requests refused", { address, refused }),
    ),
    uncountedLines: createMinuteCounts(settings.maxUncountedLinesPerMinute, (address, requests) =>
      settings.telemetry.log("warn", "requests that no rate limit counts", { address, requests }),
    ),
    newConnections: createNewConnections({ refusals, denials, smallChunks }, settings),
    waiting: createShares({ total: settings.waitingLimitBytes, perAddress: settings.waitingLimitBytesPerAddress }),
    pipelined: createShares({ total: settings.maxPipelined, perAddress: Math.floor(settings.maxPipelined / 2) }),
    longTexts: createRestingTurns(),
    readiness: createReadiness(app),
    overload: createOverload(settings),
    documents: createKeptDocuments(),
    compression: createCompression(settings.compressor),
  };
};
