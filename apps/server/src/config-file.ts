import type { AppOptions, Part } from "@postern/app";
import type {
  ForwardRoute,
  InboxHandler,
  JobHandler,
  PayloadFilter,
  PayloadSchema,
  QueueLimits,
  Resource,
  Retention,
  RetryPolicy,
  Schedule,
} from "@postern/core";
import type { HttpOptions } from "@postern/http";
import type { ConnectionOptions } from "@postern/http/node";
import type { OpenTelemetryMeter } from "@postern/platform-node";
import type { Deprecation, VersionDefinition } from "@postern/rest";
import type { KeySource, Scheme, Settings } from "@postern/webhook-verifier";

/** A sender of webhooks, as the configuration names it. At least one kind of key. */
export interface ProviderDeclaration {
  /** A scheme's name (`stripe`, `github`, `standard-webhooks`, …) or a scheme of your own; the provider's own name unless given. */
  readonly scheme?: string | Scheme;
  /** Shared secret in the sender's notation; several while one is being replaced. */
  readonly secret?: string | readonly string[];
  /** Public key in the sender's notation, for senders that sign with a private one. */
  readonly publicKey?: string | readonly string[];
  /** Where the sender publishes its public keys (RFC 7517); instead of the keys themselves. */
  readonly jwksUrl?: string;
  /** Where keys come from otherwise: `snsCertificates()`, `graphKeys(…)`, `keyLookup(…)` of `@postern/webhook-verifier`; instead of the keys themselves. */
  readonly keySource?: KeySource;
  /** What the scheme needs besides keys, e.g. the audience of a token; the scheme's page lists it. */
  readonly settings?: Settings;
  /**
   * What its events must look like, by type (`*` for any run of characters): zod schemas, or any others that speak Standard Schema, or JSON Schemas.
   * Events that do not fit are quarantined.
   */
  readonly schemas?: Readonly<Record<string, PayloadSchema>>;
  /** Window for the signed time, both ways; the scheme's own unless given. */
  readonly toleranceSeconds?: number;
  /** Accepts secrets under 16 bytes as well. Only for senders whose secret cannot be replaced. */
  readonly allowShort?: boolean;
}

/** Where events are sent on to. */
export type ForwardTarget = Pick<ForwardRoute, "url" | "secret" | "timeoutMs" | "allowPrivate">;

/** What is done with events without writing code. */
export interface RouteDeclaration {
  /** A provider's name; `*` (every provider) unless given. */
  readonly provider?: string;
  /** An event type with `*` for any run of characters; `*` unless given. */
  readonly type?: string;
  /** Only events whose payload has these values, by dotted path (`"data.object.livemode": true`); a list means any of them. */
  readonly where?: PayloadFilter;
  /** `log` writes a line for each event; otherwise the event is sent on, signed as Standard Webhooks. */
  readonly to: "log" | ForwardTarget;
  /** Needed to tell two routes to the same URL apart. */
  readonly name?: string;
  readonly retry?: RetryPolicy;
}

/** Bounds of HTTP; `docs/limits.md` has them all, with their defaults. */
export type HttpLimits = Pick<
  HttpOptions & ConnectionOptions,
  | "headersTimeoutMs"
  | "handshakeTimeoutMs"
  | "leastUploadRate"
  | "maxConnections"
  | "maxConnectionsPerAddress"
  | "maxInFlight"
  | "maxInFlightPerAddress"
  | "memoryLimitBytes"
  | "memoryLimitBytesPerAddress"
  | "requestTimeoutMs"
  | "waitingLimitBytes"
  | "waitingLimitBytesPerAddress"
>;

/** What `postern.config.{js,mjs,ts}` exports as its default. */
export interface PosternConfig {
  readonly providers?: Readonly<Record<string, ProviderDeclaration>>;
  readonly routes?: readonly RouteDeclaration[];
  /** Handlers in code, made with `on`. */
  readonly handlers?: readonly InboxHandler[];
  /** Work of your own, made with `defineJob`. */
  readonly jobs?: readonly JobHandler[];
  /** Work that begins at set times, made with `schedule`. */
  readonly schedules?: readonly Schedule[];
  /** Limits of queues by their names: how many jobs run at once in each process and over all of them, how many start per second over all. */
  readonly queues?: Readonly<Record<string, QueueLimits>>;
  /**
   * Days that things are kept; the defaults are `defaultRetention` of `@postern/core`. Dead jobs stay as long as events unless told. The environment
   * (`POSTERN_RETENTION_…`) goes before it.
   */
  readonly retention?: Partial<Retention>;
  /** Bounds of HTTP: connections, requests at once, memory, time. */
  readonly http?: HttpLimits;
  readonly resources?: readonly Resource[];
  /**
   * What the server consists of beside what this file declares: `users`, `posts`, `inbox`; all of them
   * unless given. A part left out makes no tables. Its tables stay when it is turned off later.
   */
  readonly parts?: readonly Part[];
  /** Who a request acts for, where the part `users` is left out. */
  readonly authenticate?: AppOptions["authenticate"];
  /**
   * IP addresses and ranges that nothing here ever calls (`192.0.2.7`, `10.1.0.0/16`, `2001:db8::/32`), even where a route says `allowPrivate`. Those of
   * cloud metadata services need not be named.
   */
  readonly blockAddresses?: readonly string[];
  /** Gets every metric: `metrics.getMeter("postern")` of `@opentelemetry/api`, whose SDK and exporter this file sets up. */
  readonly meter?: OpenTelemetryMeter;
  /** The version table, oldest first; `[...builtInVersions, yours]` adds one of your own. */
  readonly versions?: readonly VersionDefinition[];
  /** What is announced to go away; `[...builtInDeprecations, yours]`. */
  readonly deprecations?: readonly Deprecation[];
}

/** Says nothing at run time; gives the configuration file its types. */
export const defineConfig = (config: PosternConfig): PosternConfig => config;
