import type { AnswerStream } from "@postern/core";
import { versionOf } from "@postern/rest";
import { createAdmission } from "./admission/admit.ts";
import { createBodyMemory, createUnread } from "./admission/memory.ts";
import { createRate, createWaste } from "./admission/rate.ts";
import { createReadiness } from "./answer/readiness.ts";
import { createCompression } from "./compression/compression.ts";
import { createKeptDocuments } from "./compression/kept-documents.ts";
import type { HttpApp } from "./http-app.ts";
import type { HttpSettings } from "./options.ts";

/** Enough to see what a caller does wrong, and too few to fill a disk: 60 addresses make 5 GB a year. */
const linesPerMinute = 60;

/**
 * What requests are answered with: the application, the settings, and the bounds that all requests
 * share.
 */
export type GatewayParts = ReturnType<typeof createGatewayParts>;

/** @throws AppError `unknown_version` for a default version that the application does not have. */
export const createGatewayParts = (app: HttpApp, settings: HttpSettings) => {
  const { memoryLimitBytes: total, webhookLimitBytes, jsonLimitBytes, bodyWaitMs: waitMs } = settings;
  const perAddress = Math.max(Math.ceil(total / 4), webhookLimitBytes, jsonLimitBytes);
  return {
    app,
    settings,
    /** The version that `/api/…` answers as. */
    defaultVersion: versionOf(app.versions, settings.defaultVersion),
    admission: createAdmission(settings),
    /** The bytes of bodies. */
    bodies: createBodyMemory({ total, perAddress, waitMs }),
    /**
     * The bytes of large answers that wait for their readers. Adapters that own connections count
     * them.
     */
    unread: createUnread(settings),
    /** For adapters that own connections. */
    waste: createWaste(settings),
    /** Lines of the access log for requests that are refused, or that no rate limit counts. */
    lines: createRate(linesPerMinute, (address, requests) =>
      settings.telemetry.log("warn", "requests without a line of their own", { address, requests }),
    ),
    readiness: createReadiness(app),
    /** Answers that are being made while they are sent. They end when the server drains. */
    streams: new Set<AnswerStream>(),
    documents: createKeptDocuments(),
    /** Without a compressor nothing is compressed, and nothing depends on `Accept-Encoding`. */
    compression: settings.compressor && createCompression(settings.compressor),
  } as const;
};
