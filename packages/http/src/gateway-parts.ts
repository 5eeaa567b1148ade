import type { AnswerStream, Line } from "@postern/core/parts";
import { versionOf } from "@postern/rest";
import { type Admission, createAdmission } from "./admission/admit.ts";
import { type BodyMemory, createBodyMemory, createUnread } from "./admission/memory.ts";
import { createRate, createWaste, type Rate, type Waste } from "./admission/rate.ts";
import { createReadiness, type Readiness } from "./answer/readiness.ts";
import { type Compression, createCompression } from "./compression/compression.ts";
import { createKeptDocuments, type KeptDocuments } from "./compression/kept-documents.ts";
import type { ApiVersion, HttpApp } from "./http-app.ts";
import type { HttpSettings } from "./options.ts";

/**
 * What requests are answered with: the application, the settings, and the bounds that all requests
 * share.
 */
export interface GatewayParts {
  readonly app: HttpApp;
  readonly settings: HttpSettings;
  /** The version that `/api/…` answers as. */
  readonly defaultVersion: ApiVersion;
  readonly admission: Admission;
  /** The bytes of bodies. */
  readonly bodies: BodyMemory;
  /**
   * The bytes of large answers that wait for their readers. Adapters that own connections count
   * them.
   */
  readonly unread: Line;
  /** For adapters that own connections. */
  readonly waste: Waste;
  /** Lines of the access log for requests that are refused, or that no rate limit counts. */
  readonly lines: Rate;
  readonly readiness: Readiness;
  /** Answers that are being made while they are sent. They end when the server drains. */
  readonly streams: Set<AnswerStream>;
  readonly documents: KeptDocuments;
  /** Without a compressor nothing is compressed, and nothing depends on `Accept-Encoding`. */
  readonly compression: Compression | undefined;
}

/** Enough to see what a caller does wrong, and too few to fill a disk: 60 addresses make 5 GB a year. */
const linesPerMinute = 60;

/** @throws AppError `unknown_version` for a default version that the application does not have. */
export const createGatewayParts = (app: HttpApp, settings: HttpSettings): GatewayParts => {
  const { memoryLimitBytes: total, webhookLimitBytes, jsonLimitBytes, bodyWaitMs: waitMs } = settings;
  const perAddress = Math.max(Math.ceil(total / 4), webhookLimitBytes, jsonLimitBytes);
  return {
    app,
    settings,
    defaultVersion: versionOf(app.versions, settings.defaultVersion),
    admission: createAdmission(settings),
    bodies: createBodyMemory({ total, perAddress, waitMs }),
    unread: createUnread(settings),
    waste: createWaste(settings),
    lines: createRate(linesPerMinute, (address, requests) =>
      settings.telemetry.log("warn", "requests without a line of their own", { address, requests }),
    ),
    readiness: createReadiness(app),
    streams: new Set(),
    documents: createKeptDocuments(),
    compression: settings.compressor && createCompression(settings.compressor),
  };
};
