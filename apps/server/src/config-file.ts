import type { AppOptions, OutsideIssuer, Part } from "@postern/app";
import type {
  InboxHandler,
  JobHandler,
  PayloadFilter,
  PayloadSchema,
  QueueLimits,
  Resource,
  RetryPolicy,
  Schedule,
  StorageAdapter,
} from "@postern/core";
import type { ForwardRoute } from "@postern/core/parts";
import type { HttpOptions } from "@postern/http";
import type { ConnectionOptions } from "@postern/http/node";
import type { OpenTelemetryMeter } from "@postern/platform-node";
import type { Deprecation, RateLimit, Roles, VersionDefinition } from "@postern/rest";
import type { KeySource, Scheme, Settings, VerifierOptions } from "@postern/webhook-verifier";
import type { httpLimitNames, limitNames, rateNames } from "./limit-names.ts";

/** A sender of webhooks in the configuration. It needs at least one kind of key. */
export interface ProviderDeclaration {
  /**
   * The name of a scheme (`stripe`, `github`, `standard-webhooks`, …) or a scheme of your own.
   * Default: the scheme with the provider's name.
   */
  readonly scheme?: string | Scheme;
  /** The shared secret in the sender's notation. Give several while one replaces another. */
  readonly secret?: string | readonly string[];
  /** The public key in the sender's notation, for senders that sign with a private key. */
  readonly publicKey?: string | readonly string[];
  /** Where the sender publishes its public keys (RFC 7517), in place of the keys themselves. */
  readonly jwksUrl?: string;
  /**
   * Another source of keys in place of the keys themselves: `snsCertificates()`, `graphKeys(…)` or
   * `keyLookup(…)` of `@postern/webhook-verifier`.
   */
  readonly keySource?: KeySource;
  /**
   * What the scheme needs in addition to keys, e.g. the audience of a token. The scheme's page
   * lists it.
   */
  readonly settings?: Settings;
  /**
   * The schemas of its events, by type (`*` stands for any run of characters): zod schemas, any
   * others that implement Standard Schema, or JSON Schemas. Events that do not fit are quarantined.
   */
  readonly schemas?: Readonly<Record<string, PayloadSchema>>;
  /**
   * How far the signed time may be from now, in either direction. Default: the scheme's own window.
   */
  readonly toleranceSeconds?: number;
  /** Also accepts secrets under 16 bytes. Only for senders whose secret you cannot replace. */
  readonly allowShort?: boolean;
  /**
   * What makes a delivery a repeat, if you know better than the scheme: `"id"`, `"body"`, `"none"`,
   * `{ by: "body", windowSeconds: 600 }` or `{ by: "id", id: "header:x-event-id" }`.
   */
  readonly dedupe?: NonNullable<VerifierOptions["dedupe"]>;
  /**
   * Headers that are kept with each event beside those that the scheme names: lower-case names, or
   * beginnings of names with `*` behind them. A signature or secret is never kept.
   */
  readonly headers?: readonly string[];
  /**
   * Runs a dead event again when its sender sends it again. Default false: the sender gets
   * `"state": "dead"` in the answer, and the event stays dead.
   */
  readonly replayOnResend?: boolean;
  /**
   * Keeps up to 64 KiB of the bodies of refused deliveries for a day, for people who look into them.
   * Default false: nobody has proved what is in such a body.
   */
  readonly keepRefusedBodies?: boolean;
}

/** The target of a forward. */
export type ForwardTarget = Pick<ForwardRoute, "url" | "secret" | "timeoutMs" | "allowPrivate" | "query">;

/** What happens with events, without writing code. */
export interface RouteDeclaration {
  /** A provider's name. Default `*`: every provider. */
  readonly provider?: string;
  /** An event type; `*` stands for any run of characters. Default `*`. */
  readonly type?: string;
  /**
   * Only events with these values, by dotted path into their data (`"object.status": "paid"`), or
   * with `$.` in front into their payload (`"$.livemode": true`). With a list, any of its values
   * fits.
   */
  readonly where?: PayloadFilter;
  /**
   * `log` writes a line for each event. Otherwise the event is forwarded, signed as Standard
   * Webhooks.
   */
  readonly to: "log" | ForwardTarget;
  /** Distinguishes two routes to the same URL. */
  readonly name?: string;
  readonly retry?: RetryPolicy;
  /**
   * The queue of the route's jobs. A slow target with a queue of its own, with limits in `queues`,
   * does not take the slots of others. Default: `default`.
   */
  readonly queue?: string;
}

/** How much of a resource one owner may have. */
interface QuotaDeclaration {
  readonly rows?: number;
  readonly bytes?: number | string;
}

/**
 * Bounds of the API, the database and the shutdown. `docs/limits.md` lists them with their
 * defaults.
 */
interface LimitDeclarations extends Partial<Readonly<Record<(typeof limitNames)[number], number>>> {
  /** How often callers may ask: uses in a window of `windowMs` milliseconds. */
  readonly rates?: Partial<Readonly<Record<(typeof rateNames)[number], RateLimit>>>;
}

/** Bounds of HTTP. `docs/limits.md` lists them with their defaults. */
export type HttpLimits = Pick<HttpOptions & ConnectionOptions, (typeof httpLimitNames)[number]>;

/** The default export of `postern.config.{js,mjs,ts}`. */
export interface PosternConfig {
  /**
   * The senders of webhooks, by name. A text is the sender's secret. `undefined`, as of a missing
   * environment variable, is refused.
   */
  readonly providers?: Readonly<Record<string, ProviderDeclaration | string | undefined>>;
  readonly routes?: readonly RouteDeclaration[];
  /** Handlers in code, made with `on`. */
  readonly handlers?: readonly InboxHandler[];
  /** Jobs of your own, made with `defineJob`. */
  readonly jobs?: readonly JobHandler[];
  /** Work that starts at set times, made with `schedule`. */
  readonly schedules?: readonly Schedule[];
  /**
   * Limits of queues by name: how many jobs run at once in each process and over all of them, and
   * how many start per second over all.
   */
  readonly queues?: Readonly<Record<string, QueueLimits>>;
  /**
   * How much of a resource one owner may have, by the resource's plural name. `bytes` counts texts
   * and JSON; it takes a number or a text such as `"50MB"`. Default: no quotas.
   */
  readonly quotas?: Readonly<Record<string, QuotaDeclaration>>;
  /** Bounds of rates, requests, sessions, statements and the shutdown. */
  readonly limits?: LimitDeclarations;
  /** Bounds of HTTP: connections, requests at once, memory, time. */
  readonly http?: HttpLimits;
  readonly resources?: readonly Resource[];
  /**
   * Where everything is stored, instead of `DATABASE_URL`: your own adapter (`docs/adapters.md`), or
   * one of `createKnexStorage` with options of yours. It must know `resources`. Then
   * `POSTERN_SECRET_KEY` must be set, and the commands that copy a database do not apply.
   */
  readonly storage?: StorageAdapter;
  /**
   * The built-in parts of the server: `users`, `posts`, `inbox`. Default: all. A part that you
   * leave out gets no tables. If you turn a part off later, its tables stay.
   */
  readonly parts?: readonly Part[];
  /**
   * Roles beside `user`, `viewer`, `operator` and `admin`, by name: each with the scopes of
   * operations below `/admin` that it gives. Access rules ask for them with `withRole`.
   */
  readonly roles?: Roles;
  /** Says who a request acts for, if you leave out the part `users`. */
  readonly authenticate?: AppOptions["authenticate"];
  /**
   * An issuer of OpenID Connect whose access tokens are accepted beside the server's own
   * (`docs/oauth.md`), in place of the variables `POSTERN_OIDC_…`. It needs the part `users`.
   */
  readonly outsideIssuer?: OutsideIssuer;
  /**
   * IP addresses and ranges that the server never calls (`192.0.2.7`, `10.1.0.0/16`,
   * `2001:db8::/32`), even if a route says `allowPrivate`. You need not list the metadata services
   * of clouds.
   */
  readonly blockAddresses?: readonly string[];
  /**
   * Receives every metric: `metrics.getMeter("postern")` of `@opentelemetry/api`. Set up its SDK
   * and exporter in this file.
   */
  readonly meter?: OpenTelemetryMeter;
  /** The version table, oldest first; `[...builtInVersions, yours]` adds one of your own. */
  readonly versions?: readonly VersionDefinition[];
  /** What you announce to remove: `[...builtInDeprecations, yours]`. */
  readonly deprecations?: readonly Deprecation[];
}

/** Gives your configuration file its types. It returns its argument unchanged. */
export const defineConfig = (config: PosternConfig): PosternConfig => config;
