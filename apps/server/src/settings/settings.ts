import { type AppOptions, defaultSettings, type Hook, type OutsideIssuer, type Part } from "@postern/app";
import { outsideIssuerRules } from "@postern/app/internal";
import type { Resource, StorageAdapter } from "@postern/core";
import { emailAddress, oneOf, option, wholeNumber } from "@postern/core/internal";
import { connectionOptionRules, httpOptionRules } from "@postern/http/internal";
import type { InboxHandler } from "@postern/inbox";
import type { JobHandler, QueueLimits, Schedule } from "@postern/jobs";
import { addressesIn, type OpenTelemetryMeter } from "@postern/platform-node";
import type { Deprecation, OwnOperation, RateLimit, Roles, VersionDefinition, VersionId } from "@postern/rest";
import { type RouteDeclaration, routeSettings } from "./routes.ts";
import { type ProviderDeclaration, senderSettings } from "./senders.ts";
import {
  choice,
  code,
  count,
  days,
  declarations,
  declaredByName,
  duration,
  group,
  listed,
  matching,
  named,
  needed,
  numbered,
  ruled,
  separated,
  several,
  size,
  type Table,
  text,
  type Written,
} from "./setting.ts";

/*
 * The table of all settings. An entry says once what a setting is called, what it must be, and its
 * default; its docstring is its row in docs/configuration.md. From it follow the types, what the
 * environment, the configuration file and `openPostern` take and refuse, and what
 * `postern config show` shows. Where an entry stands says who can write it.
 */

const mebibyte = 2 ** 20;
const onOff = choice("on", "off");
const url = ruled<string>({
  is: (value) => typeof value === "string" && /^https?:/.test(value) && URL.canParse(value),
  says: "an http or https URL",
});

const isKey = (key: unknown): boolean =>
  typeof key === "string" ? /^[A-Za-z0-9+/_-]{43}=?$/.test(key) : key instanceof Uint8Array && key.length === 32;
/** Each costs one more check for every forged token. */
const mostPreviousKeys = 3;
const previousKeys = {
  is: (value: unknown) => Array.isArray(value) && value.length <= mostPreviousKeys && value.every(isKey),
  says: `up to ${mostPreviousKeys} keys of 32 bytes in base64`,
};

const areAddresses = (list: unknown): boolean => {
  try {
    return Array.isArray(list) && addressesIn(list) !== undefined;
  } catch {
    return false;
  }
};
const addresses = listed({ is: areAddresses, says: "addresses and ranges such as 192.0.2.0/24" });

/** What only the environment says. */
export const serverSettings = {
  /** The port on which the server listens. */
  port: count(0, 65_535)({ env: "PORT", default: 3000 }),
  /** The address on which the server listens. */
  host: text({ env: "HOST", default: "127.0.0.1" }),
  /**
   * Behind a pooler in transaction mode (`?pooler=transaction` in `DATABASE_URL`): the URL of
   * PostgreSQL itself. Each worker holds one connection there, so that others see within seconds
   * when it has died ([poolers](../packages/storage-knex/README.md#poolers)).
   */
  livenessUrl: matching(/^postgres(ql)?:\/\/./, "postgres://…")({ env: "POSTERN_LIVENESS_URL", secret: true }),
  /** `http` or `worker` runs only that part, in a process of its own. */
  role: choice("all", "http", "worker")({ env: "POSTERN_ROLE", default: "all" }),
  /**
   * The configuration file.
   * @defaultValue `postern.config.{ts,mjs,js}`
   */
  configPath: text({ env: "POSTERN_CONFIG" }),
  /**
   * `on`: a sign-up, and a user's change of their address, is answered 202 for any address and
   * takes effect when the owner of the address opens the mailed link. So the answers do not reveal
   * which addresses have accounts. Needs `POSTERN_SMTP_URL`.
   */
  confirmAddresses: onOff({ env: "POSTERN_SIGNUP_CONFIRM", default: "off" }),
  /**
   * `on`: a sign-in needs a verified address. Accounts that existed before have none; a sign-in
   * with the right password sends them a link.
   */
  requireVerified: onOff({ env: "POSTERN_REQUIRE_VERIFIED", default: "off" }),
  /**
   * Addresses and ranges (`192.0.2.7, 10.0.0.0/8, 2001:db8::/32`) from which `/api/admin` may be
   * called; set `POSTERN_TRUST_PROXY` behind a proxy. If your proxy does not pass on the address of
   * a caller, that caller is refused.
   * @defaultValue all
   */
  adminAddresses: addresses({ env: "POSTERN_ADMIN_ADDRESSES", default: [] }),
  /**
   * `required`: a role above `user` works only for users with a second factor; this also holds for
   * their API keys.
   */
  adminMfa: choice("optional", "required")({ env: "POSTERN_ADMIN_MFA", default: "optional" }),
  /**
   * How the log is written.
   * @defaultValue `pretty` on a terminal, else `json`
   */
  logFormat: choice("pretty", "json")({ env: "POSTERN_LOG_FORMAT" }),
  /**
   * The longest JSON body, in bytes.
   * @defaultValue 1 MiB
   */
  jsonLimitBytes: count(1, 64 * mebibyte)({ env: "POSTERN_BODY_LIMIT", default: mebibyte }),
  /**
   * The longest body of a webhook, in bytes. A webhook also has the limit of its scheme (GitHub 25
   * MiB, SNS 256 kB, others 1 MiB); the smaller of the two counts.
   * @defaultValue 5 MiB
   */
  webhookLimitBytes: count(1, 64 * mebibyte)({ env: "POSTERN_WEBHOOK_BODY_LIMIT", default: 5 * mebibyte }),
  /**
   * `off`: answers leave uncompressed. A proxy that compresses them may rewrite their `ETag`;
   * `If-Match` and `If-None-Match` take it either way.
   */
  compression: onOff({ env: "POSTERN_COMPRESSION", default: "on" }),
  /**
   * How many milliseconds the event loop may be late before the API answers 503 with `Retry-After`.
   * Webhooks are refused at four times the delay, health checks and metrics never. `0` turns this
   * off.
   */
  maxEventLoopDelayMs: duration(0, 60_000)({ env: "POSTERN_MAX_EVENT_LOOP_DELAY", default: 1000 }),
  /**
   * How many processes the server starts, so that it uses several cores. Needs PostgreSQL, MySQL or
   * MariaDB ([several cores](deploy.md#several-cores-on-a-database-server)).
   */
  processes: count(1, 64)({ env: "POSTERN_PROCESSES", default: 1 }),
  /** A job is dead after this many processes have died while they ran it. */
  jobLosses: count(1, 100)({ env: "POSTERN_JOB_LOSSES", default: 3 }),
  /**
   * `off` for load tests. Connections stay bounded; `http.maxConnections` and
   * `http.maxConnectionsPerAddress` of the configuration file raise that.
   */
  rateLimits: onOff({ env: "POSTERN_RATE_LIMIT", default: "on" }),
  /** The certificate with which the server speaks HTTPS itself. */
  tls: group({
    /**
     * A PEM file with the certificate. With it and its key, the server speaks HTTPS itself. It
     * reads both again when they change.
     */
    certPath: needed(text({ env: "POSTERN_TLS_CERT" })),
    /** A PEM file with the key of the certificate. */
    keyPath: needed(text({ env: "POSTERN_TLS_KEY" })),
  }),
  /**
   * Where to report a weakness: URIs (`mailto:security@example.com`), separated by commas, for
   * `/.well-known/security.txt`.
   */
  securityContacts: listed(httpOptionRules.securityContacts)({ env: "POSTERN_SECURITY_CONTACT", default: [] }),
  /**
   * Serves `GET /metrics` for Prometheus. `meter` in the configuration file sends the metrics to
   * OpenTelemetry.
   * @defaultValue off
   */
  metricsPort: count(1, 65_535)({ env: "POSTERN_METRICS_PORT" }),
  /** The address of the metrics. */
  metricsHost: text({ env: "POSTERN_METRICS_HOST", default: "127.0.0.1" }),
  /** A bearer token that the readers of the metrics must send. */
  metricsToken: matching(
    /^[A-Za-z0-9._~+/-]{16,256}=*$/,
    "at least 16 letters and digits",
  )({
    env: "POSTERN_METRICS_TOKEN",
    secret: true,
  }),
  /**
   * For how many milliseconds a connection may pause between requests ([behind a
   * proxy](deploy.md#behind-a-proxy)).
   * @defaultValue `5000`; `75000` with `POSTERN_TRUST_PROXY`
   */
  keepAliveMs: duration(1_000, 3_600_000)({ env: "POSTERN_KEEP_ALIVE" }),
  /**
   * For how many milliseconds `/health/ready` answers 503 before the server stops accepting
   * connections.
   */
  drainDelayMs: duration(0, 300_000)({ env: "POSTERN_DRAIN_DELAY", default: 0 }),
} satisfies Table;

/** What the environment says, or an option of `openPostern`. */
export const sharedSettings = {
  /**
   * The database: `sqlite:…` (`?driver=node:sqlite`, `better-sqlite3` or `sqlite3` names the
   * library; by default the first of them that works); `postgres://user:password@host:5432/name`
   * (PostgreSQL ≥ 14), with `?sslmode=verify-full` over TLS ([the modes, a
   * schema](../packages/storage-knex/README.md#postgresql)); or
   * `mysql://user:password@host:3306/name` (MySQL ≥ 8.0.17, MariaDB ≥ 10.6). Both take [several
   * hosts](../packages/storage-knex/README.md#several-hosts): `postgres://one,two/name`. With
   * `?ssl=true` over TLS; `&ssl-ca=/path` names the file of a private authority (RDS, Cloud SQL,
   * Aiven, DigitalOcean), `&ssl-cert=/path&ssl-key=/path` a client's certificate. The server's
   * certificate must be for the host in the URL; for an IP address with `ssl-ca`, the authority
   * alone is checked.
   */
  database: matching(
    /^(sqlite:|postgres(ql)?:\/\/|mysql:\/\/|mariadb:\/\/)./,
    "sqlite:<file>, postgres://…, mysql://… or mariadb://…",
  )({
    env: "DATABASE_URL",
    default: "sqlite:./data/postern.db",
    secret: true,
    // The name of a file is no secret, and it says which database this is.
    mayShow: (value) => String(value).startsWith("sqlite:"),
  }),
  /**
   * For how many milliseconds a start waits for a database that is not there yet: it refuses
   * connections, its host has no address, it is starting, or it has no primary. Meanwhile the
   * server is alive and not ready, and says every few seconds what it waits for. A wrong password,
   * role or name ends the start at once.
   */
  databaseWaitMs: duration(0, 3_600_000)({ env: "POSTERN_DATABASE_WAIT", default: 30_000 }),
  /**
   * 32 bytes in base64. Any other database requires it. Set the same key on every node.
   * @defaultValue created beside the SQLite file
   */
  secretKey: ruled<string | Uint8Array>(
    { is: isKey, says: "32 bytes in a Uint8Array, or a text with their base64; `openssl rand -base64 32` makes some" },
    { written: "32 bytes in base64; `openssl rand -base64 32` makes some" },
  )({ env: "POSTERN_SECRET_KEY", secret: true }),
  /**
   * Up to 3 previous keys. What they sealed (secrets, cursors, kept answers) can still be read:
   * [changing the secret key](operate.md#change-the-secret-key).
   * @defaultValue none
   */
  previousSecretKeys: listed<string | Uint8Array>(previousKeys)({
    env: "POSTERN_SECRET_KEY_PREVIOUS",
    default: [],
    secret: true,
  }),
  /** The first administrator, who is created if there is none. */
  admin: group({
    /** The address of the first administrator, who is created if there is none. */
    email: needed(
      ruled<string>(
        { is: (value) => emailAddress.safeParse(value).success, says: "an email address" },
        { read: (written) => emailAddress.safeParse(written).data },
      )({ env: "POSTERN_ADMIN_EMAIL" }),
    ),
    /** The password of that administrator. */
    password: needed(matching(/^.{8,}$/s, "at least 8 characters")({ env: "POSTERN_ADMIN_PASSWORD", secret: true })),
  }),
  /** `admin`: only administrators create users. */
  signup: choice("open", "admin")({ env: "POSTERN_SIGNUP", default: "open", embedded: "admin" }),
  /** The mail server and the sender of mails about accounts. */
  mail: group({
    /**
     * The mail server for mails about accounts: `smtp://user:password@host:587`, `smtps://…:465`.
     * Needs `POSTERN_PUBLIC_URL`. With `smtp:` the connection changes to TLS, unless the server is
     * this machine or the URL ends in `?requireTLS=false`. Without a mail server, links are shown
     * on the terminal if there is one and `HOST` is a loopback address; otherwise no mail is sent.
     * @defaultValue no mail
     */
    url: needed(
      matching(
        /^smtps?:\/\/[^\s/]/,
        "smtp://host:port or smtps://host:port",
      )({ env: "POSTERN_SMTP_URL", secret: true }),
    ),
    /**
     * The sender of mails about accounts: an address, or a name and an address.
     * @defaultValue no mail
     */
    from: needed(
      matching(
        /^[^\r\n]*[^\s@<]+@[^\s@>]+>?$/,
        "an address, or a name and an address: Postern <no-reply@example.com>",
      )({ env: "POSTERN_MAIL_FROM" }),
    ),
  }),
  /** The version that answers paths without a version (`/api/users`). */
  defaultVersion: ruled<VersionId>(httpOptionRules.defaultVersion)({
    env: "POSTERN_DEFAULT_API_VERSION",
    default: "v1",
  }),
  /** `on`: a request for anything past its announced sunset is answered 410. */
  enforceSunsets: onOff({ env: "POSTERN_ENFORCE_SUNSETS", default: "off" }),
  /** What is logged: this level and those above it. */
  logLevel: choice("debug", "info", "warn", "error")({ env: "LOG_LEVEL", default: "info", embedded: "warn" }),
  /** `off`: no [console](console.md) at `/console`; `/` leads to the documentation. */
  console: onOff({ env: "POSTERN_CONSOLE", default: "on", embedded: "off" }),
  /**
   * How many jobs run at once in each process. With `false` in `openPostern`, this process takes
   * webhooks, stores jobs, reads and writes, and runs nothing; another one runs the jobs.
   */
  workers: ruled<number | false>(
    {
      is: (value) => value === false || wholeNumber(1, 1000).is(value),
      says: "a whole number from 1 to 1000, or false",
    },
    { read: (written) => (/^\d+$/.test(written) ? Number(written) : undefined), written: wholeNumber(1, 1000).says },
  )({ env: "POSTERN_JOBS", default: 10 }),
  /** How many days things are kept. */
  retention: group(
    {
      /**
       * How many days events are kept, with their dead jobs. A repeat is recognised as long as its
       * event is kept.
       * @defaultValue `35`
       */
      events: days(1, 3650)({ env: "POSTERN_RETENTION_EVENTS" }),
      /**
       * How many days bodies and headers of processed, cancelled and ignored events are kept.
       * Afterwards these events cannot be replayed.
       * @defaultValue `14`
       */
      bodies: days(0, 3650)({ env: "POSTERN_RETENTION_BODIES" }),
      /**
       * How many days done jobs are kept.
       * @defaultValue `1`
       */
      done_jobs: days(0, 3650)({ env: "POSTERN_RETENTION_JOBS" }),
      /**
       * How many days cancelled jobs are kept.
       * @defaultValue `7`
       */
      cancelled_jobs: days(0, 3650)({}),
      /**
       * How many days dead jobs are kept.
       * @defaultValue as long as their events
       */
      dead_jobs: days(0, 3650)({}),
      /**
       * How many days the audit log is kept.
       * @defaultValue `400`
       */
      audit: days(1, 36_500)({ env: "POSTERN_RETENTION_AUDIT" }),
      /**
       * How many days processes that have ended are remembered.
       * @defaultValue `1`
       */
      runners: days(0, 3650)({}),
      /**
       * How many days the times of schedules are remembered.
       * @defaultValue `8`
       */
      slots: days(0, 3650)({}),
    },
    { default: {} },
  ),
  /**
   * How many of your own proxies stand in front. Each must append its caller to `X-Forwarded-For`,
   * and strangers must reach the server only through all of them.
   */
  trustProxy: count(0, 10)({ env: "POSTERN_TRUST_PROXY", default: 0 }),
  /** A path in front of every path, such as `/postern`. */
  basePath: ruled<string>(httpOptionRules.basePath)({ env: "POSTERN_BASE_PATH", default: "" }),
  /**
   * The address at which others reach the server. It is used for senders that sign the URL, for
   * links in mails, and as the issuer of access tokens. Without it there is no [OAuth 2](oauth.md).
   */
  publicUrl: ruled<string>(httpOptionRules.publicUrl)({ env: "POSTERN_PUBLIC_URL" }),
  /**
   * Origins whose pages may call the API, separated by commas. `https://*.example.com` stands for
   * each origin with exactly one label there.
   */
  corsOrigins: listed(httpOptionRules.corsOrigins)({ env: "POSTERN_CORS_ORIGINS", default: [] }),
  /**
   * Further request headers that these pages may send, separated by commas. Those that the API
   * reads, `traceparent`, `tracestate` and `baggage` are always allowed.
   */
  corsHeaders: listed(httpOptionRules.corsHeaders)({ env: "POSTERN_CORS_HEADERS", default: [] }),
  /**
   * A URL that receives a POST for every alert, such as a dead or quarantined event, and one at the
   * start. It may be in your own network. A job repeats alerts that the URL did not accept.
   * @defaultValue the log
   */
  alertUrl: url({ env: "POSTERN_ALERT_URL", secret: true }),
} satisfies Table;

const above0 = numbered({
  is: (value) => typeof value === "number" && Number.isFinite(value) && value > 0,
  says: "a number above 0",
});

const queueSettings = {
  concurrency: above0({}),
  globalConcurrency: above0({}),
  perSecond: above0({}),
} satisfies Readonly<Record<keyof QueueLimits, object>>;

const quotaSettings = { rows: count(1)({}), bytes: size({}) };

const shown = { shown: (value: unknown) => value };

/** Uses in a window of milliseconds. */
const rate = (standard: RateLimit | undefined) =>
  group({ limit: needed(count(1)({})), windowMs: needed(count(1)({})) }, { default: standard, ...shown });

const rates = defaultSettings.limits;
const oidc = outsideIssuerRules;

const issuerSettings = {
  /**
   * An OpenID Connect issuer whose access tokens are accepted beside Postern's own: [an outside
   * issuer](oauth.md#an-outside-issuer).
   */
  issuer: needed(ruled<string>(oidc.issuer)({ env: "POSTERN_OIDC_ISSUER" })),
  /** The audience that its tokens must name, or up to 20, separated by commas. */
  audience: needed(
    ruled<OutsideIssuer["audience"]>(oidc.audience, {
      ...separated(oidc.audience),
      read: (written) => (written.includes(",") ? separated(oidc.audience).read(written) : written.trim()),
    })({ env: "POSTERN_OIDC_AUDIENCE" }),
  ),
  /**
   * The `http` or `https` URL under which this server reaches the issuer, if that is another one.
   * @defaultValue the issuer's own URL
   */
  internalUrl: ruled<string>(oidc.internalUrl)({ env: "POSTERN_OIDC_INTERNAL_URL" }),
  /**
   * The claim in these tokens that contains the role: a name, or a JSON Pointer such as
   * `/realm_access/roles`.
   * @defaultValue the account's own role
   */
  roleClaim: ruled<string>(oidc.roleClaim)({ env: "POSTERN_OIDC_ROLE_CLAIM" }),
  /**
   * The claims in these tokens that limit what a token may do: up to 10 names or JSON Pointers, the
   * first one that names a scope of this API decides: [what a token may
   * do](oauth.md#what-a-token-may-do).
   * @defaultValue `scope,scp,permissions`
   */
  scopeClaims: listed(oidc.scopeClaims)({ env: "POSTERN_OIDC_SCOPE_CLAIMS" }),
  /** What stands in front of each scope, such as `api://postern/`. */
  scopePrefix: ruled<string>(oidc.scopePrefix)({ env: "POSTERN_OIDC_SCOPE_PREFIX" }),
  /**
   * Values of these claims that stand for all the user's rights, such as
   * `user_impersonation,openid`.
   */
  fullAccess: listed(oidc.fullAccess)({ env: "POSTERN_OIDC_FULL_ACCESS" }),
  /**
   * `required`: a token without any of these claims may do nothing.
   * @defaultValue `optional`
   */
  scopes: choice("optional", "required")({ env: "POSTERN_OIDC_SCOPES" }),
  /**
   * Domains such as `example.com`, or `*`: for addresses there, accounts are made although the
   * issuer has not verified them: [accounts](oauth.md#accounts-of-an-outside-issuer).
   */
  trustAddresses: ruled<NonNullable<OutsideIssuer["trustAddresses"]>>(oidc.trustAddresses, {
    read: (written) => (written.trim() === "*" ? "*" : separated(oidc.trustAddresses).read(written)),
    written: "1 to 100 domains such as example.com, separated by commas, or *",
  })({ env: "POSTERN_OIDC_TRUST_ADDRESSES" }),
  /**
   * The claim with the address; whether it is verified is in the claim of the same name and
   * `_verified`.
   * @defaultValue `email`
   */
  emailClaim: ruled<string>(oidc.emailClaim)({ env: "POSTERN_OIDC_EMAIL_CLAIM" }),
  /**
   * `subject`: a token whose address does not count gets an account without an address.
   * @defaultValue `address`
   */
  accounts: choice("address", "subject")({ env: "POSTERN_OIDC_ACCOUNTS" }),
} satisfies Readonly<Record<keyof OutsideIssuer, object>>;

/** The types of these are told by their names. What they consist of is not exported where they are. */
interface AnyResource extends Resource {}
interface OwnRoles extends Roles {}

/** What the configuration file says, or an option of `openPostern`. */
export const fileSettings = {
  /**
   * The senders of webhooks, by name, each by its secret alone (`stripe: process.env.STRIPE_SECRET`)
   * or by an object: `scheme` (a name, or
   * [one that you defined](../packages/webhook-verifier/README.md#your-own-sender)); one of
   * `secret`, `publicKey` (each one or several), `jwksUrl` and `keySource` (`snsCertificates()`,
   * `graphKeys(…)`, `keyLookup(…)`); `toleranceSeconds`, `settings`, `schemas`.
   */
  providers: named<ProviderDeclaration | string | undefined>(
    senderSettings,
    { shown: (value) => Object.keys(Object(value)) },
    // A text is a secret. The code that reads the keys reports one that is missing.
    (value) => typeof value === "string" || value === undefined,
  ),
  /**
   * `{ provider, type, where, to, queue }`. `where` is a condition on the event's data, or with
   * `$.` in front on its payload; `to: "log"` logs events, `to: { url, secret }` forwards them,
   * signed as Standard Webhooks. Give a slow target a `queue` of its own and limit it in `queues`,
   * so that other jobs find a slot.
   */
  routes: several<RouteDeclaration>(routeSettings),
  /** Handlers in code, made with `on(provider, type, handle)`: [how to write them](handlers.md). */
  handlers: declarations<InboxHandler>(),
  /** Work of your own, made with `defineJob` ([handlers and jobs](handlers.md)). */
  jobs: declarations<JobHandler>(),
  /** Code of yours on the writes of rows, made with `beforeWrite` and `afterCommit` ([hooks](hooks.md)). */
  hooks: declarations<Hook>(),
  /** Work that starts at set times, made with `schedule` ([handlers and jobs](handlers.md)). */
  schedules: declarations<Schedule>(),
  /** Operations of your own, made with `defineOperation` ([your own endpoint](operations.md)). */
  operations: declarations<OwnOperation>(),
  /**
   * Limits of queues by name: how many jobs run at once in each process (`concurrency`) and over
   * all (`globalConcurrency`), how many start per second over all (`perSecond`). Each process has
   * an equal share of the rate. After a pause it may start at once as many jobs as its share allows
   * in one second, and always at least one.
   */
  queues: named<QueueLimits>(queueSettings, shown),
  /**
   * How much of a resource one owner may have, by the resource's plural name: `rows`, and `bytes`
   * of texts and JSON, a number or a text such as `"50MB"` ([limits](limits.md)).
   */
  quotas: named<Written<typeof quotaSettings>>(quotaSettings, shown),
  /**
   * Bounds of rates, requests at once, sessions, statements and the shutdown ([limits](limits.md)).
   */
  limits: group({
    /** Requests of one caller that are answered at the same time. */
    requestsAtOnce: count(1)({ default: defaultSettings.requestsAtOnce }),
    /** A session ends this many seconds after its sign-in, however often it is refreshed. */
    sessionMostSeconds: count(1)({ default: defaultSettings.sessionMostSeconds }),
    /** A session ends if it is not refreshed for this many seconds. */
    sessionSeconds: count(1)({ default: defaultSettings.sessionSeconds }),
    /** How many milliseconds a statement that only reads may take. Default 2,000. */
    statementMs: count(1)({}),
    /** How many milliseconds running jobs have to end when the process stops. Default 8,000. */
    stopJobsMs: count(1)({}),
    /** How often callers may ask: uses in a window of `windowMs` milliseconds. */
    rates: group({
      address: rate(rates.address),
      default: rate(rates.default),
      "sign-in": rate(rates["sign-in"]),
      "sign-up": rate(rates["sign-up"]),
    }),
  }),
  /** Bounds of HTTP ([limits](limits.md)). */
  http: group({
    /** Most connections in total. Default 10,000. */
    maxConnections: numbered(connectionOptionRules.maxConnections)({}),
    /** Most connections from one address. Default 2,000. */
    maxConnectionsPerAddress: numbered(connectionOptionRules.maxConnectionsPerAddress)({}),
    /** Most requests of the API that are answered at the same time, half of them from one address. Default 200. */
    /** Most bytes of bodies in memory; as many may be of large answers. Default 64 MiB. */
    memoryLimitBytes: numbered(httpOptionRules.memoryLimitBytes)({}),
    /** How many milliseconds a caller may take for a whole request. Default 30,000. */
    requestTimeoutMs: numbered(connectionOptionRules.requestTimeoutMs)({}),
  }),
  /**
   * The user of the part `users`, made with `userWith`: with fields of your own, and without some of ours
   * ([your own product](product.md#users)).
   */
  user: code<AnyResource>(option.anObject),
  /** Your resources, made with `defineResource`; the server creates their tables when it starts. */
  resources: declarations<AnyResource>(),
  /**
   * Where everything is stored, instead of `DATABASE_URL`: [an adapter of your own](adapters.md), or one
   * of `createKnexStorage` with options of yours. It must know `resources` and `user`. Then `POSTERN_SECRET_KEY`
   * must be set, and the commands that copy a database do not apply.
   */
  storage: code<StorageAdapter>(option.anObject),
  /**
   * The built-in parts of the server: `users`, `posts`, `inbox`. A part that you leave out gets no
   * tables. If you turn a part off later, its tables stay.
   */
  parts: ruled<readonly Part[]>(option.aList)({}),
  /** Says who a request acts for, if you leave out the part `users`: a function. */
  authenticate: code<NonNullable<AppOptions["authenticate"]>>(option.aFunction),
  /**
   * Roles of your own in addition to `user`, `viewer`, `operator` and `admin`, each with the scopes of
   * operations below `/admin` that it gives: `{ auditor: { scopes: ["audit:read"], description: "…" } }`
   * ([access](access.md)).
   */
  roles: declaredByName<OwnRoles>(),
  /**
   * An issuer of OpenID Connect whose access tokens are accepted beside the server's own, in place of
   * the variables `POSTERN_OIDC_…`: [an outside issuer](oauth.md#an-outside-issuer). It needs the part
   * `users`.
   */
  outsideIssuer: group(issuerSettings, shown),
  /**
   * IP addresses and ranges that are never called, even if a route says `allowPrivate`. You need not
   * list the metadata services of clouds.
   */
  blockAddresses: addresses({}),
  /**
   * How documents, pages and mails present your application to its customers
   * ([your own product](product.md)). Without it they say Postern.
   */
  product: group({
    /** Its name, one line of at most 60 characters. */
    title: needed(ruled<string>(option.aText)({})),
    /** What it is, in at most 500 characters. */
    description: ruled<string>(option.aText)({}),
    /** Whom customers ask. */
    contact: group({
      /** At most 100 characters. */
      name: ruled<string>(option.aText)({}),
      /** An address. */
      email: ruled<string>(option.aText)({}),
      /** A URL that begins with `https://`. */
      url: ruled<string>(option.aText)({}),
    }),
    /** An image in SVG, as its text, of at most 32 KiB. */
    logo: ruled<string>(option.aText)({}),
    /** The colour of links and buttons, such as `#0b57c4`. */
    accent: ruled<string>(option.aText)({}),
  }),
  /**
   * Your version table, oldest first ([versions](versions.md)). Default: `builtInVersions`, which the
   * server has without an application; with `openPostern` `v1` alone.
   */
  versions: declarations<VersionDefinition>(),
  /**
   * Whether PUT, PATCH and DELETE of rows need `If-Match`: `required` or `optional`. Default:
   * `optional`, unless a version has `requireHeader`, as v2 of `builtInVersions` has.
   */
  preconditions: ruled<NonNullable<AppOptions["preconditions"]>>(oneOf("optional", "required"))({}),
  /**
   * What you announce to remove. Default: `builtInDeprecations`, if you have `builtInVersions`.
   */
  deprecations: declarations<Deprecation>(),
  /**
   * A meter of OpenTelemetry that receives every metric: `metrics.getMeter("postern")` of
   * `@opentelemetry/api`. Set up its SDK and exporter in this file.
   */
  meter: code<OpenTelemetryMeter>(option.anObject),
} satisfies Table;
