import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { OptionError } from "@postern/core/internal";
import { type SqliteDriverName, sqliteDriverNames } from "./driver-names.ts";
import { ownParameters } from "./url-parameters.ts";

/** What a connection over TLS needs beyond the authorities that Node knows; texts in PEM. */
interface DatabaseTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

interface SqliteAddress {
  readonly kind: "sqlite";
  readonly file: string;
  /** Absent: the first that works. */
  readonly driver?: SqliteDriverName;
}

/** TLS to a PostgreSQL server, as the driver takes it. */
interface PostgresTls extends DatabaseTls {
  /** False for `sslmode=require` without an authority: the connection is secret, and nobody vouches for the server. */
  readonly rejectUnauthorized: boolean;
  /** For `verify-ca`, which compares no name. */
  readonly checkServerIdentity?: () => undefined;
}

export interface Host {
  /** A name or an address; on PostgreSQL also the folder of a socket, with a slash in front. */
  readonly host: string;
  readonly port: number;
}

/** What the URLs of both kinds of servers have. */
interface ServerAddress {
  /** At least one. The first that takes writes is used. */
  readonly hosts: readonly Host[];
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

export type DatabaseAddress =
  | SqliteAddress
  | (ServerAddress & {
      readonly kind: "postgres";
      /** `undefined`: the one that the server chooses, which is `public`. */
      readonly schema: string | undefined;
      /** Whether a pooler stands in between that gives each transaction another connection. */
      readonly pooled: boolean;
      /** `undefined`: no TLS. */
      readonly tls: PostgresTls | undefined;
      /** The server must prove that it knows the password, on this very TLS connection. */
      readonly channelBinding?: true;
    })
  | (ServerAddress & {
      readonly kind: "mysql";
      /** Takes the place of the host. */
      readonly socketPath: string | undefined;
      /** `undefined`: no TLS. */
      readonly tls: DatabaseTls | undefined;
    });

/** The parameters in the URL of a server, such as the paths of its files, in the names of ours. */
export const parametersOf = (url: string, kind: "postgres" | "mysql"): URLSearchParams =>
  ownParameters(kind, new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]));

/** The URL of another database on the same server. */
export const urlOfDatabase = (url: string, database: string): string =>
  url.replace(/^([a-z]+:\/\/[^/?#]*\/)[^?#]*/i, `$1${database.replaceAll("$", "$$$$")}`);

const supported =
  "sqlite:./data/postern.db, postgres://user:password@host:5432/name, mysql://user:password@host:3306/name and mariadb://… are supported";

/** What people paste that begins with something else, and what to write. */
const otherForms: readonly (readonly [RegExp, string])[] = [
  [/^["'`]/, "it is in quotes; leave them out"],
  [
    /^(?:psql|mysql|mariadb)\s/i,
    "it is a command; write its URL alone, from postgres:// or mysql:// on, without quotes",
  ],
  [/^DATABASE_URL\s*=/i, "it begins with the name of the variable; write what stands behind the ="],
  [/^jdbc:/i, "it is a URL of JDBC; leave jdbc: out, and write user:password@ in front of the host"],
  [
    /^(?:host|hostaddr|dbname|user|server|data source)\s*=/i,
    "it is a list of settings; write postgres://user:password@host:5432/name or mysql://user:password@host:3306/name",
  ],
  [/^postgres(?:ql)?\+\w+:|^postgis:/i, "it is the URL of another language's driver; begin it with postgres://"],
  [/^(?:mysql|mariadb)\+\w+:|^mysql2:/i, "it is the URL of another language's driver; begin it with mysql://"],
  [/^prisma(?:\+postgres)?:/i, "it is the URL of Prisma's own service; write the URL of the database itself"],
];

/** What stands in the place of a password until you write yours. */
const placeholder = /^(?:\[[^\]]*password[^\]]*\]|<[^>]*password[^>]*>|\$\{?\w+\}?)$/i;

const encode = "if the user or the password has a # @ / ? or %, write %23 %40 %2F %3F or %25 for it";

/** @throws OptionError with another hint for a URL in which a character of the password may have its own meaning. */
const hintingAtPassword = <Result>(url: string, read: () => Result): Result => {
  try {
    return read();
  } catch (thrown) {
    const [, head = "", tail = ""] = /^[a-z]+:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
    // What is said of the parts would repeat some of the password.
    if (tail.includes("@") || tail.includes("#") || head.split("@").length > 2) {
      throw new OptionError("url", `it cannot be read: ${encode}; ${supported}`);
    }
    throw thrown;
  }
};

/**
 * Reads the option `url` of `createKnexStorage`. No error repeats the URL, because it may contain a password.
 * @throws OptionError that says what is wrong and what would be right.
 */
export const parseDatabaseUrl = (given: string): DatabaseAddress => {
  const url = given.trim();
  const other = otherForms.find(([form]) => form.test(url));
  if (other !== undefined) throw new OptionError("url", `${other[1]}`);
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme === "sqlite") return sqliteAddress(url.slice("sqlite:".length));
  if (scheme === "postgres" || scheme === "postgresql") return hintingAtPassword(url, () => postgresAddress(url));
  if (scheme === "mysql" || scheme === "mariadb") return hintingAtPassword(url, () => mysqlAddress(url));
  throw new OptionError(
    "url",
    `${scheme === undefined ? "it has no scheme" : `unknown scheme "${scheme}"`}; ${supported}`,
  );
};

const sqliteAddress = (rest: string): SqliteAddress => {
  const [, path = "", query] = /^(?:\/\/)?([^?]*)(?:\?(.*))?$/s.exec(rest) ?? [];
  if (path === "") throw new OptionError("url", `the path of the SQLite file is missing; ${supported}`);
  if (path.includes(":memory:")) {
    // Each connection would have a database of its own: readers would never see what the writer
    // wrote.
    throw new OptionError(
      "url",
      "an in-memory SQLite database cannot be shared by connections; name a file, or use memoryStorage",
    );
  }
  if (/[#\0]/.test(path)) throw new OptionError("url", "a SQLite path takes no '?' or '#'");
  return { kind: "sqlite", file: resolve(path), ...driverIn(new URLSearchParams(query)) };
};

const driverIn = (given: URLSearchParams): Pick<SqliteAddress, "driver"> => {
  for (const [name, value] of given) {
    if (name !== "driver") throw new OptionError("url", `unknown parameter "${name}"; there is driver=…`);
    const driver = sqliteDriverNames.find((each) => each === value);
    if (driver === undefined) throw new OptionError("url", `driver is one of ${sqliteDriverNames.join(", ")}`);
    return { driver };
  }
  return {};
};

/** What the two kinds of servers do not share. */
interface Parts {
  readonly kind: "postgres" | "mysql";
  readonly user: string;
  readonly port: number;
  readonly longestName: number;
}

/**
 * The parts of the URL of a server that both kinds have, and its parameters. Written by hand: `URL`
 * takes one host only, and neither driver takes several.
 */
const serverAddress = (
  url: string,
  { kind, user, port, longestName }: Parts,
): ServerAddress & { readonly given: URLSearchParams } => {
  const [, userinfo = "", list = "", name = "", search] =
    /^[a-z]+:\/\/(?:([^@/?#]*)@)?([^/?#]*)\/([^?#]*)(?:\?([^#]*))?$/i.exec(url) ?? [];
  const database = decoded(name);
  if (!/^[A-Za-z0-9_$-]+$/.test(database) || database.length > longestName) {
    throw new OptionError("url", `the path must be a database name of letters, digits, _, $ and -; ${supported}`);
  }
  const [givenUser = "", ...rest] = userinfo.split(":");
  const password = decoded(rest.join(":"));
  if (placeholder.test(password))
    throw new OptionError("url", "write your own password in the place of the one that is meant");
  const given = new URLSearchParams(search);
  const hosts = hostsIn(list, kind === "postgres" ? given.get("host") : null);
  return {
    hosts: hosts.map((text) => hostOf(text, port)),
    user: givenUser === "" ? user : decoded(givenUser),
    password,
    database,
    given: ownParameters(kind, given),
  };
};

/** The hosts in front of the path, or those of the parameter `host`, as for PostgreSQL's own clients. */
const hostsIn = (list: string, parameter: string | null): readonly string[] => {
  if (parameter === null || parameter === list) return (list === "" ? "127.0.0.1" : list).split(",");
  if (!/^(?:(?:localhost|127\.0\.0\.1)?(?::\d+)?)$/i.test(list)) {
    throw new OptionError("url", "host: the URL names another host in front of its path; leave one of them out");
  }
  const [, port = ""] = /(:\d+)$/.exec(list) ?? [];
  return parameter.split(",").map((host) => (host.startsWith("/") ? encodeURIComponent(host) : host) + port);
};

const mysqlFiles: readonly string[] = ["ssl-ca", "ssl-cert", "ssl-key"];

const mysqlAddress = (url: string): DatabaseAddress => {
  const { given, ...server } = serverAddress(url, { kind: "mysql", user: "root", port: 3306, longestName: 64 });
  const socketPath = given.get("socket") ?? undefined;
  if (socketPath !== undefined && server.hosts.length > 1) {
    throw new OptionError("url", "socket=/path leads to one server, so it takes no several hosts");
  }
  return { kind: "mysql", ...server, socketPath, tls: mysqlTls(given) };
};

const postgresAddress = (url: string): DatabaseAddress => {
  const { given, ...server } = serverAddress(url, { kind: "postgres", user: "postgres", port: 5432, longestName: 63 });
  const schema = given.get("schema") ?? undefined;
  if (schema !== undefined && !/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(schema)) {
    throw new OptionError("url", "schema is a name of letters, digits and _");
  }
  const pooler = given.get("pooler");
  if (pooler !== null && pooler !== "transaction") {
    throw new OptionError("url", "pooler is transaction; leave it out for a pooler in session mode, or for none");
  }
  if (pooler !== null && schema !== undefined) {
    throw new OptionError(
      "url",
      `a pooler in transaction mode keeps no schema; leave schema out, and let the role have it: ALTER ROLE … SET search_path = ${schema}`,
    );
  }
  // The clients of PostgreSQL leave TLS out where nobody can be in between.
  const isSocket = server.hosts.every(({ host }) => host.startsWith("/"));
  const tls = isSocket ? undefined : postgresTls(given);
  const isBound = given.get("channel_binding") === "require";
  if (isBound && tls === undefined) {
    throw new OptionError("url", "channel_binding=require needs TLS; write sslmode=require or sslmode=verify-full");
  }
  return {
    kind: "postgres",
    ...server,
    schema,
    pooled: pooler !== null,
    tls,
    ...(isBound ? { channelBinding: isBound } : {}),
  };
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new OptionError("url", "a % is not followed by two hexadecimal digits; write %25 for a % itself");
  }
};

const hostOf = (text: string, usualPort: number): Host => {
  const [, inBrackets, plain = "", port = usualPort] =
    /^(?:\[([0-9a-f:.]+)\]|([^:@[\]]*))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const named = plain === "" && !text.startsWith(":") ? undefined : decoded(plain) || "127.0.0.1";
  // The folder of a socket may be written with the socket in it.
  const host = inBrackets ?? named?.replace(/\/\.s\.PGSQL\.\d+$/, "");
  if (host === undefined || Number(port) > 65_535) {
    throw new OptionError("url", "hosts are written host, host:port or [address]:port, separated by commas");
  }
  return { host, port: Number(port) };
};

/**
 * The modes of PostgreSQL's own clients: https://www.postgresql.org/docs/current/libpq-ssl.html.
 */
const postgresTls = (given: URLSearchParams): PostgresTls | undefined => {
  const files = ["sslrootcert", "sslcert", "sslkey"].filter((name) => given.has(name));
  const mode = given.get("sslmode") ?? (files.length > 0 ? "verify-full" : "disable");
  if (mode === "disable") {
    if (files.length > 0) throw new OptionError("url", `${files.join(", ")} need TLS; leave sslmode=disable out`);
    return undefined;
  }
  // The word for the authorities of the system, which vouch for names only. Node knows its own.
  const isOfSystem = given.get("sslrootcert") === "system";
  if (isOfSystem) given.delete("sslrootcert");
  const own = tlsFiles(given, { ca: "sslrootcert", cert: "sslcert", key: "sslkey" });
  if (mode === "require" && own.ca === undefined && !isOfSystem) return { ...own, rejectUnauthorized: false };
  // As with PostgreSQL's own clients, `require` with an authority checks it.
  const unnamed = mode === "verify-full" || isOfSystem ? {} : { checkServerIdentity: () => undefined };
  return { ...own, rejectUnauthorized: true, ...unnamed };
};

/** @throws OptionError when a file cannot be read or has something else in it, or a certificate has no key. */
const mysqlTls = (given: URLSearchParams): DatabaseTls | undefined => {
  const ssl = given.get("ssl") ?? (mysqlFiles.some((name) => given.has(name)) ? "true" : "false");
  if (ssl === "false") return undefined;
  return tlsFiles(given, { ca: "ssl-ca", cert: "ssl-cert", key: "ssl-key" });
};

/** The files that the URL names. `parameters` are its names for them. */
const tlsFiles = (given: URLSearchParams, parameters: Required<DatabaseTls>): DatabaseTls => {
  const { cert, key } = parameters;
  if (given.has(cert) !== given.has(key)) {
    throw new OptionError("url", `${cert} and ${key} go together: a client's certificate and its key`);
  }
  const named = Object.entries(parameters).filter(([, parameter]) => given.has(parameter));
  return Object.fromEntries(named.map(([name, parameter]) => [name, textIn(given.get(parameter) ?? "", parameter)]));
};

const textIn = (path: string, name: string): string => {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new OptionError("url", `${name}: the file ${path} cannot be read`);
  }
  const what = name.endsWith("key") ? "PRIVATE KEY" : "CERTIFICATE";
  if (new RegExp(`-----BEGIN ([A-Z0-9]+ )*${what}-----`).test(text)) return text;
  throw new OptionError("url", `${name}: the file ${path} has no ${what.toLowerCase()} in PEM`);
};
