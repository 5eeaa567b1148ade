import type { Telemetry } from "@postern/core/parts";
import type { VersionId } from "@postern/rest";
import type { Compressor } from "./compression/compressor.ts";
import { zlibCompressor } from "./compression/compressor.ts";
import { randomUuids } from "./head/request-id.ts";
import { basePathOf } from "./head/target.ts";

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
  /** Longest URL in bytes. Default 8 KiB. */
  readonly urlLimitBytes?: number;
  /**
   * Most members and elements of a JSON body, together. A megabyte can hold some hundred thousand,
   * which keep `JSON.parse` busy for a tenth of a second. Default 10,000.
   */
  readonly jsonLimitValues?: number;
  /**
   * Most members and elements of a webhook, together. Default 100,000; real webhooks have some
   * thousands.
   */
  readonly webhookLimitValues?: number;
  /**
   * Most bytes of bodies in memory, over all connections. A body that does not fit waits as
   * `maxBodyWaitMs` says. An eighth is kept for bodies of up to 64 KiB, and a quarter for addresses
   * that have sent a webhook with a valid signature. Default 64 MiB.
   */
  readonly memoryLimitBytes?: number;
  /**
   * The share of one address in `memoryLimitBytes`; for IPv6, of one /64 network. Default: a
   * quarter, or the length of the longest allowed body if that is more.
   */
  readonly memoryLimitBytesPerAddress?: number;
  /**
   * How long a body may wait for room in memory, in milliseconds. The next bytes of it are not read
   * meanwhile. Then the answer is 503. With 0, no body waits. Default 15,000: senders of large
   * webhooks wait for ten seconds or more, and one that is still there is better answered late.
   */
  readonly maxBodyWaitMs?: number;
  /**
   * The least rate of an upload in bytes a second, over any 5 s; a slower one is answered 408. While
   * other bodies wait for room, an upload must also be fast enough to end within 30 s. 0 allows any
   * rate. Default 1,024.
   */
  readonly leastUploadRate?: number;
  /**
   * Most requests of the API that are answered at the same time. Further ones wait as
   * `maxSlotWaitMs` says, or get 503 before any work is done for them. A request does not count
   * while the server waits for its body. Webhooks do not count. Default 200.
   */
  readonly maxInFlight?: number;
  /** The share of one address in `maxInFlight`; for IPv6, of one /64 network. Default: half. */
  readonly maxInFlightPerAddress?: number;
  /**
   * How long a request may wait for a place among `maxInFlight`, in milliseconds. Then the answer is
   * 503. Addresses take turns. With 0, no request waits. Default 5,000.
   */
  readonly maxSlotWaitMs?: number;
  /**
   * Most bytes of answers that wait in memory for their readers, over all connections. Only answers
   * larger than 64 KiB count. Beyond it, the reader that has taken nothing for the longest is cut.
   * If all readers take something, the new answer is 503. Default 64 MiB.
   */
  readonly waitingLimitBytes?: number;
  /** The share of one address in `waitingLimitBytes`. Default: a quarter. */
  readonly waitingLimitBytesPerAddress?: number;
  /** A reader that takes nothing for this many milliseconds is cut. Default 30,000. */
  readonly stalledReaderMs?: number;
  /**
   * Compresses answers of 1 kB to 64 KiB, and documents of any length, for callers that accept it.
   * `"off"` compresses nothing; use it if a proxy in front compresses. Default: the zlib of the runtime (brotli and gzip), or
   * nothing in a runtime without it.
   */
  readonly compressor?: Compressor | "off";
  /** Most requests over one connection; the last answer closes it. Default 1,000. */
  readonly maxRequestsPerConnection?: number;
  /** Most headers of a request; a request with more is answered 431. Default 100. */
  readonly maxHeaders?: number;
  /**
   * Most lines of the access log in a minute for requests of one address that are refused or lead
   * nowhere. A request that is answered and that no rate limit counts, such as a preflight, counts as
   * a tenth. One further line has the number of the others. Metrics count each. Default 60.
   */
  readonly maxRefusalLinesPerMinute?: number;
  /**
   * How late the event loop of this process is now, in milliseconds; `eventLoopDelay()` of
   * `@postern/platform-node` measures it. Default: never late.
   */
  readonly eventLoopDelayMs?: () => number;
  /**
   * The delay of the event loop, in milliseconds, at which requests of the API begin to get 503
   * before any work is done for them. That ends when the delay is less than half of it. Webhooks
   * are refused at four times this delay, health checks never. 0 refuses nothing. Default 1000.
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

/** The options with every default filled in and every value checked. */
export interface HttpSettings {
  readonly defaultVersion: VersionId;
  readonly basePath: string;
  readonly jsonLimitBytes: number;
  readonly webhookLimitBytes: number;
  readonly urlLimitBytes: number;
  readonly jsonLimitValues: number;
  readonly webhookLimitValues: number;
  readonly memoryLimitBytes: number;
  readonly memoryLimitBytesPerAddress: number;
  readonly maxBodyWaitMs: number;
  readonly leastUploadRate: number;
  readonly maxInFlight: number;
  readonly maxInFlightPerAddress: number;
  readonly maxSlotWaitMs: number;
  readonly waitingLimitBytes: number;
  readonly waitingLimitBytesPerAddress: number;
  readonly stalledReaderMs: number;
  /** `undefined` if nothing is compressed. */
  readonly compressor: Compressor | undefined;
  readonly maxRequestsPerConnection: number;
  readonly maxRefusalLinesPerMinute: number;
  readonly maxHeaders: number;
  readonly eventLoopDelayMs: () => number;
  readonly maxEventLoopDelayMs: number;
  readonly publicOrigin: string | undefined;
  readonly trustProxy: number;
  readonly corsOrigins: ReadonlySet<string>;
  readonly corsHeaders: readonly string[];
  readonly securityContacts: readonly string[];
  readonly requestId: () => string;
  readonly telemetry: Telemetry;
}

const mebibyte = 1024 * 1024;

const silent: Telemetry = {
  log: () => undefined,
  count: () => undefined,
  observe: () => undefined,
  gauge: () => undefined,
};

/** @throws TypeError that names the option for a value that cannot work. */
export const settingsOf = (options: HttpOptions): HttpSettings => ({
  defaultVersion: options.defaultVersion ?? "v1",
  basePath: basePathOf(options.basePath ?? ""),
  jsonLimitBytes: wholeNumber("jsonLimitBytes", options.jsonLimitBytes ?? mebibyte, 1),
  webhookLimitBytes: wholeNumber("webhookLimitBytes", options.webhookLimitBytes ?? 5 * mebibyte, 1),
  urlLimitBytes: wholeNumber("urlLimitBytes", options.urlLimitBytes ?? 8 * 1024, 1),
  jsonLimitValues: wholeNumber("jsonLimitValues", options.jsonLimitValues ?? 10_000, 1),
  webhookLimitValues: wholeNumber("webhookLimitValues", options.webhookLimitValues ?? 100_000, 1),
  memoryLimitBytes: wholeNumber("memoryLimitBytes", options.memoryLimitBytes ?? 64 * mebibyte, 1),
  memoryLimitBytesPerAddress: wholeNumber(
    "memoryLimitBytesPerAddress",
    options.memoryLimitBytesPerAddress ??
      Math.max(
        Math.ceil((options.memoryLimitBytes ?? 64 * mebibyte) / 4),
        options.webhookLimitBytes ?? 5 * mebibyte,
        options.jsonLimitBytes ?? mebibyte,
      ),
    1,
  ),
  maxBodyWaitMs: wholeNumber("maxBodyWaitMs", options.maxBodyWaitMs ?? 15_000, 0),
  leastUploadRate: wholeNumber("leastUploadRate", options.leastUploadRate ?? 1024, 0),
  maxInFlight: wholeNumber("maxInFlight", options.maxInFlight ?? 200, 1),
  maxInFlightPerAddress: wholeNumber(
    "maxInFlightPerAddress",
    options.maxInFlightPerAddress ?? Math.ceil((options.maxInFlight ?? 200) / 2),
    1,
  ),
  maxSlotWaitMs: wholeNumber("maxSlotWaitMs", options.maxSlotWaitMs ?? 5_000, 0),
  waitingLimitBytes: wholeNumber("waitingLimitBytes", options.waitingLimitBytes ?? 64 * mebibyte, 1),
  waitingLimitBytesPerAddress: wholeNumber(
    "waitingLimitBytesPerAddress",
    options.waitingLimitBytesPerAddress ?? Math.ceil((options.waitingLimitBytes ?? 64 * mebibyte) / 4),
    1,
  ),
  stalledReaderMs: wholeNumber("stalledReaderMs", options.stalledReaderMs ?? 30_000, 1),
  compressor: options.compressor === "off" ? undefined : (options.compressor ?? zlibCompressor()),
  maxRequestsPerConnection: wholeNumber("maxRequestsPerConnection", options.maxRequestsPerConnection ?? 1_000, 1),
  maxHeaders: wholeNumber("maxHeaders", options.maxHeaders ?? 100, 1),
  maxRefusalLinesPerMinute: wholeNumber("maxRefusalLinesPerMinute", options.maxRefusalLinesPerMinute ?? 60, 1),
  eventLoopDelayMs: options.eventLoopDelayMs ?? (() => 0),
  maxEventLoopDelayMs:
    wholeNumber("maxEventLoopDelayMs", options.maxEventLoopDelayMs ?? 1000, 0) || Number.POSITIVE_INFINITY,
  publicOrigin:
    options.publicUrl === undefined ? undefined : originOf("publicUrl", options.publicUrl.replace(/\/$/, "")),
  trustProxy: wholeNumber("trustProxy", options.trustProxy ?? 0, 0),
  corsOrigins: new Set(options.corsOrigins?.map(corsOriginOf)),
  corsHeaders: options.corsHeaders?.map(headerNameOf) ?? [],
  securityContacts: options.securityContacts?.map(contactOf) ?? [],
  requestId: options.requestId ?? randomUuids(),
  telemetry: options.telemetry ?? silent,
});

const corsOriginOf = (text: string): string => {
  // The text with a label in place of the wildcard must be an origin below a domain of its own.
  const example = text.replace(/^(https?:\/\/)\*(?=\.[^.]+\.[^.])/, "$1any");
  originOf("corsOrigins", example);
  return text;
};

const headerNameOf = (text: string): string => {
  if (/^[!#$%&'+.^_`|~\w-]+$/.test(text)) return text;
  throw new TypeError(`corsHeaders: "${text}" is not the name of a header`);
};

const contactOf = (text: string): string => {
  if (/^(?:mailto:|https:\/\/|tel:)[\x21-\x7e]+$/.test(text)) return text;
  throw new TypeError(
    `securityContacts: "${text}" is not a URI like mailto:security@example.com or https://example.com/security`,
  );
};

const wholeNumber = (name: string, value: number, least: number): number => {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new TypeError(`${name}: ${value} is not a whole number of at least ${least}`);
};

/** An origin in the one spelling that browsers use, so that it can be compared as text. */
const originOf = (name: string, text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.origin === text && /^https?:$/.test(url.protocol)) return text;
  throw new TypeError(
    `${name}: "${text}" is not an origin like https://example.com (no path, lower case, no default port)`,
  );
};
