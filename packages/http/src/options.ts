import type { Telemetry } from "@postern/core/ports";
import type { VersionId } from "@postern/rest";
import type { Compressor } from "./compression/compressor.ts";
import { zlibCompressor } from "./compression/compressor.ts";

/**
 * How Postern behaves over HTTP, in a server of its own or mounted in another. Everything has a
 * default.
 */
export interface HttpOptions {
  /** The version that `/api/…` without a version answers as. Default `v1`. */
  readonly defaultVersion?: VersionId;
  /**
   * A path in front of every path of Postern: with `/postern`, the API is at `/postern/api/v2/…`
   * and health at `/postern/health/live`. Links in answers contain it. Default: none.
   */
  readonly basePath?: string;
  /** Longest JSON body in bytes. Default 1 MiB. */
  readonly jsonLimitBytes?: number;
  /**
   * Longest webhook body in bytes. Default 5 MiB: most senders stay below 1 MiB; raise it for
   * GitHub, which sends up to 25 MiB.
   */
  readonly webhookLimitBytes?: number;
  /**
   * Most bytes of bodies in memory, over all connections; as many may be of large answers that
   * wait for their readers. An address has a quarter of each. A body that does not fit waits for up
   * to 15 s, and then the answer is 503. An eighth is kept for bodies of up to 64 KiB, and a quarter
   * for addresses that have sent a webhook with a valid signature. Default 64 MiB.
   */
  readonly memoryLimitBytes?: number;
  /**
   * Compresses answers of 1 kB to 64 KiB, and documents of any length, for callers that accept it.
   * `"off"` compresses nothing; use it if a proxy in front compresses. Default: the zlib of the runtime (brotli and gzip), or
   * nothing in a runtime without it.
   */
  readonly compressor?: Compressor | "off";
  /**
   * How late the event loop of this process is now, in milliseconds; `eventLoopDelay()` of
   * `@postern/platform-node` measures it. Default: never late.
   */
  readonly eventLoopDelayMs?: () => number;
  /**
   * The delay of the event loop, in milliseconds, at which requests of the API begin to get 503
   * before any work is done for them. Webhooks are refused at four times this delay, health checks never. 0 refuses nothing. Default 1000.
   */
  readonly maxEventLoopDelayMs?: number;
  /**
   * The origin under which the outside world reaches this server: `https://api.example.com`.
   * Senders that sign the URL sign this one. Default: scheme and `Host` of each request.
   */
  readonly publicUrl?: string;
  /**
   * The number of your own proxies in front. With `n` of them the caller's address is the n-th
   * entry of `X-Forwarded-For` from the right. Default 0: the address of the connection.
   */
  readonly trustProxy?: number;
  /**
   * Origins whose pages may call the API, each exactly as browsers send it. The first label may be
   * `*`, which stands for exactly one label: `https://*.example.com`. Default none: no CORS.
   */
  readonly corsOrigins?: readonly string[];
  /** Request headers that these pages may send beside those that the API reads. Default none. */
  readonly corsHeaders?: readonly string[];
  /**
   * Contacts for reports of weaknesses, which `/.well-known/security.txt` names: URIs (`mailto:`,
   * `https:`, `tel:`), the preferred one first. Default none: there is no such file.
   */
  readonly securityContacts?: readonly string[];
  /** Makes the id of a request that brings none. Default: a random UUID. */
  readonly requestId?: () => string;
  /** Gets one line and one measurement for every request. Default: neither is kept. */
  readonly telemetry?: Telemetry;
}

/** How long requests wait, in milliseconds, for what others hold. With 0, none waits. */
export interface Waits {
  /** For room in memory for a body, whose next bytes are not read meanwhile. */
  readonly bodyWaitMs: number;
}

/**
 * Senders of large webhooks wait for ten seconds or more, and one that is still there is better
 * answered late.
 */
const waits: Waits = { bodyWaitMs: 15_000 };

/** The options with every default filled in. */
export interface HttpSettings extends Waits, Required<Omit<HttpOptions, "compressor" | "publicUrl" | "corsOrigins">> {
  /** `undefined` if nothing is compressed. */
  readonly compressor: Compressor | undefined;
  readonly publicOrigin: string | undefined;
  readonly corsOrigins: ReadonlySet<string>;
}

const mebibyte = 1024 * 1024;

const silent: Telemetry = {
  log: () => undefined,
  count: () => undefined,
  observe: () => undefined,
  gauge: () => undefined,
};

/** Options that `checkOptions` took, with their defaults. Tests give other waits. */
export const settingsOf = (options: HttpOptions, otherWaits: Partial<Waits> = {}): HttpSettings => ({
  ...waits,
  ...otherWaits,
  defaultVersion: options.defaultVersion ?? "v1",
  basePath: options.basePath ?? "",
  jsonLimitBytes: options.jsonLimitBytes ?? mebibyte,
  webhookLimitBytes: options.webhookLimitBytes ?? 5 * mebibyte,
  memoryLimitBytes: options.memoryLimitBytes ?? 64 * mebibyte,
  compressor: options.compressor === "off" ? undefined : (options.compressor ?? zlibCompressor()),
  eventLoopDelayMs: options.eventLoopDelayMs ?? (() => 0),
  maxEventLoopDelayMs: (options.maxEventLoopDelayMs ?? 1000) || Number.POSITIVE_INFINITY,
  publicOrigin: options.publicUrl?.replace(/\/$/, ""),
  trustProxy: options.trustProxy ?? 0,
  corsOrigins: new Set(options.corsOrigins),
  corsHeaders: options.corsHeaders ?? [],
  securityContacts: options.securityContacts ?? [],
  requestId: options.requestId ?? crypto.randomUUID.bind(crypto),
  telemetry: options.telemetry ?? silent,
});
