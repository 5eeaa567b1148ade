import { OptionError } from "@postern/core/internal";

/** What a parameter comes to: parameters of ours, none if it changes nothing, or why it is refused. */
type Meaning = Readonly<Record<string, string>> | string;
type Reading = (value: string) => Meaning;

/** Changes nothing, or asks for less than what Postern does anyway. */
const taken: Reading = () => ({});

const oneOf =
  (meanings: Readonly<Record<string, Meaning>>, otherwise: string): Reading =>
  (value) =>
    Object.hasOwn(meanings, value.toLowerCase()) ? (meanings[value.toLowerCase()] ?? {}) : otherwise;

const named =
  (name: string): Reading =>
  (value) => ({ [name]: value });

const ofPool = "leave it out; Postern has a pool of its own";
const inFront =
  (url: string): Reading =>
  () =>
    `leave it out, and write ${url}`;
const inFrontPostgres = inFront("postgres://user:password@host:5432/name");
const inFrontMysql = inFront("mysql://user:password@host:3306/name");

/** What clients of PostgreSQL, Prisma, JDBC and providers write, and what it is here. */
const ofPostgres: Readonly<Record<string, Reading>> = {
  // How Postern connects, whatever is asked for: it names itself, and tries for 2 s.
  application_name: taken,
  fallback_application_name: taken,
  connect_timeout: taken,
  keepalives: taken,
  keepalives_idle: taken,
  keepalives_interval: taken,
  keepalives_count: taken,
  tcp_user_timeout: taken,
  client_encoding: oneOf({ utf8: {}, "utf-8": {}, unicode: {}, auto: {} }, "leave it out; Postern sends UTF-8"),
  sslnegotiation: taken,
  sslsni: oneOf({ "1": {} }, "leave it out"),
  sslcompression: taken,
  uselibpqcompat: taken,
  gssencmode: oneOf({ disable: {}, prefer: {} }, "leave it out, and encrypt by sslmode=verify-full"),
  channel_binding: oneOf(
    { disable: {}, prefer: {}, require: { channel_binding: "require" } },
    "it is disable, prefer or require",
  ),
  target_session_attrs: oneOf(
    { any: {}, "read-write": {}, primary: {} },
    "leave it out; Postern writes, so it connects to the primary",
  ),
  load_balance_hosts: oneOf({ disable: {} }, "leave it out; the first host that takes writes is used"),
  // Prisma's word for a pooler in transaction mode, and that of Supabase.
  pgbouncer: oneOf({ true: { pooler: "transaction" }, false: {} }, "write pooler=transaction, or leave it out"),
  pool_mode: oneOf(
    { transaction: { pooler: "transaction" }, session: {} },
    "write pooler=transaction, or leave it out",
  ),
  statement_cache_size: taken,
  prepared_statements: taken,
  connection_limit: () => ofPool,
  pool_timeout: () => ofPool,
  pool_size: () => ofPool,
  max: () => ofPool,
  ssl: oneOf(
    { true: { sslmode: "verify-full" }, "1": { sslmode: "verify-full" }, false: {}, "0": {} },
    "write sslmode=verify-full, or sslmode=require if nobody vouches for the server",
  ),
  currentschema: named("schema"),
  search_path: named("schema"),
  options: (value) => optionsOf(value),
  host: taken,
  port: inFrontPostgres,
  hostaddr: inFrontPostgres,
  dbname: inFrontPostgres,
  user: inFrontPostgres,
  password: inFrontPostgres,
};

/**
 * The switches of a session. Neon and Supabase also name the server here, for clients that do not name it
 * in TLS, as Postern does.
 */
const optionsOf = (value: string): Meaning => {
  const [, name, setting = ""] = /^\s*-c\s*([a-z_]+)\s*=\s*"?([^\s"]*)"?\s*$/i.exec(value) ?? [];
  if (name === "search_path") return { schema: setting };
  if (/^\s*(?:endpoint|project)=[\w-]+\s*$/.test(value)) return {};
  return "leave it out; Postern makes the settings of its sessions, and the search path is schema=name";
};

/** What certificates are worth to MySQL's own clients. Postern checks them always, which asks for more. */
const modesOfMysql = oneOf(
  {
    disabled: { ssl: "false" },
    disable: { ssl: "false" },
    preferred: { ssl: "true" },
    prefer: { ssl: "true" },
    required: { ssl: "true" },
    require: { ssl: "true" },
    verify_ca: { ssl: "true" },
    "verify-ca": { ssl: "true" },
    verify_identity: { ssl: "true" },
    "verify-full": { ssl: "true" },
  },
  "write ssl=true, and ssl-ca=/path for a private authority",
);

const unchecked =
  "write ssl=true; Postern checks certificates, and ssl-ca=/path names the file of the authority, which the provider offers";
const onOrOff = oneOf(
  { true: { ssl: "true" }, "1": { ssl: "true" }, false: {}, "0": {}, preferred: { ssl: "true" } },
  unchecked,
);

/** The object that mysql2 takes, and in which PlanetScale's page writes it. */
const sslOf: Reading = (value) => {
  if (/^\{\s*(?:"rejectUnauthorized"\s*:\s*true\s*)?\}$/.test(value)) return { ssl: "true" };
  return value.startsWith("{")
    ? unchecked
    : oneOf(
        { true: { ssl: "true" }, "1": { ssl: "true" }, false: { ssl: "false" }, "0": { ssl: "false" } },
        "it is true or false",
      )(value);
};

/** By their names without `-` and `_` and in small letters: each client writes them in its own way. */
const ofMysql: Readonly<Record<string, Reading>> = {
  sslmode: modesOfMysql,
  usessl: onOrOff,
  requiressl: onOrOff,
  tls: onOrOff,
  sslaccept: oneOf({ strict: { ssl: "true" } }, unchecked),
  sslca: named("ssl-ca"),
  sslcert: () =>
    "write ssl-ca=/path for the authority's file, or ssl-cert=/path and ssl-key=/path for a client's certificate",
  sslkey: named("ssl-key"),
  unixsocket: named("socket"),
  socketpath: named("socket"),
  host: (value) =>
    value.startsWith("/") ? { socket: value } : "leave it out, and write mysql://user:password@host:3306/name",
  // Postern always sends and reads utf8mb4.
  charset: (value) => (/^utf-?8/i.test(value) ? {} : "leave it out; Postern stores texts in utf8mb4"),
  characterencoding: (value) => (/^utf-?8/i.test(value) ? {} : "leave it out; Postern stores texts in utf8mb4"),
  collation: (value) => (/^utf8/i.test(value) ? {} : "leave it out; Postern stores texts in utf8mb4"),
  useunicode: taken,
  // Postern stores no local times.
  timezone: taken,
  servertimezone: taken,
  parsetime: taken,
  loc: taken,
  connecttimeout: taken,
  allowpublickeyretrieval: taken,
  reconnect: taken,
  autoreconnect: taken,
  connectionlimit: () => ofPool,
  pooltimeout: () => ofPool,
  port: inFrontMysql,
  user: inFrontMysql,
  password: inFrontMysql,
  database: inFrontMysql,
};

/** PostgreSQL's own words. Those that may end without TLS count as `require`, which asks for more. */
const modesOfPostgres = oneOf(
  {
    disable: { sslmode: "disable" },
    allow: { sslmode: "require" },
    prefer: { sslmode: "require" },
    "no-verify": { sslmode: "require" },
    require: { sslmode: "require" },
    "verify-ca": { sslmode: "verify-ca" },
    "verify-full": { sslmode: "verify-full" },
  },
  "it is one of disable, require, verify-ca, verify-full",
);

interface Kind {
  /** The parameters of ours, and how they are listed. */
  readonly own: Readonly<Record<string, Reading>>;
  readonly listed: string;
  readonly others: Readonly<Record<string, Reading>>;
  nameOf(given: string): string;
}

const asGiven = (...names: readonly string[]): Readonly<Record<string, Reading>> =>
  Object.fromEntries(names.map((name) => [name, named(name)]));

const kinds: Readonly<Record<"postgres" | "mysql", Kind>> = {
  postgres: {
    own: { ...asGiven("sslrootcert", "sslcert", "sslkey", "schema", "pooler"), sslmode: modesOfPostgres },
    listed: "sslmode=…, sslrootcert=/path, sslcert=/path, sslkey=/path, schema=name and pooler=transaction",
    others: ofPostgres,
    nameOf: (given) => given.toLowerCase(),
  },
  mysql: {
    own: { ...asGiven("ssl-ca", "ssl-cert", "ssl-key", "socket"), ssl: sslOf },
    listed: "ssl=true, ssl-ca=/path, ssl-cert=/path, ssl-key=/path and socket=/path",
    others: ofMysql,
    nameOf: (given) => given.toLowerCase().replace(/[-_]/g, ""),
  },
};

/**
 * The parameters of a URL in the names of ours. Those that providers and other clients write are taken if
 * they change nothing or ask for less, and translated if there is a name for them. What is given in a name
 * of ours counts before what is translated.
 * @throws OptionError for the others, with what to write instead.
 */
export const ownParameters = (kind: "postgres" | "mysql", given: URLSearchParams): URLSearchParams => {
  const { own, listed, others, nameOf } = kinds[kind];
  const found: Record<string, string> = {};
  const translated: Record<string, string> = {};
  for (const [name, value] of given) {
    const isOwn = Object.hasOwn(own, name);
    const reading = isOwn ? own[name] : Object.hasOwn(others, nameOf(name)) ? others[nameOf(name)] : undefined;
    if (reading === undefined) throw new OptionError("url", `unknown parameter "${name}"; there are ${listed}`);
    const meaning = reading(value);
    if (typeof meaning === "string") throw new OptionError("url", `${name}: ${meaning}`);
    Object.assign(isOwn ? found : translated, meaning);
  }
  return new URLSearchParams({ ...translated, ...found });
};
