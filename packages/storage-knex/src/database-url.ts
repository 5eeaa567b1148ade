import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type SqliteDriverName, sqliteDriverNames } from "./sqlite/driver/driver.ts";

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
    })
  | (ServerAddress & {
      readonly kind: "mysql";
      /** Takes the place of the host. */
      readonly socketPath: string | undefined;
      /** `undefined`: no TLS. */
      readonly tls: DatabaseTls | undefined;
    });

/** The parameters in the URL of a server, such as the paths of its files. */
export const parametersOf = (url: string): URLSearchParams => new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]);

/** The URL of another database on the same server. */
export const urlOfDatabase = (url: string, database: string): string =>
  url.replace(/^([a-z]+:\/\/[^/?#]*\/)[^?#]*/i, `$1${database.replaceAll("$", "$$$$")}`);

const supported =
  "sqlite:./data/postern.db, postgres://user:password@host:5432/name, mysql://user:password@host:3306/name and mariadb://… are supported";

/**
 * Reads the option `url` of `createKnexStorage`. No error repeats the URL, because it may contain a password.
 * @throws TypeError that says what is wrong and what would be right.
 */
export const parseDatabaseUrl = (url: string): DatabaseAddress => {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme === "sqlite") return sqliteAddress(url.slice("sqlite:".length));
  if (scheme === "postgres" || scheme === "postgresql") return postgresAddress(url);
  if (scheme === "mysql" || scheme === "mariadb") return mysqlAddress(url);
  throw new TypeError(`url: ${scheme === undefined ? "it has no scheme" : `unknown scheme "${scheme}"`}; ${supported}`);
};

const sqliteAddress = (rest: string): SqliteAddress => {
  const [, path = "", query] = /^(?:\/\/)?([^?]*)(?:\?(.*))?$/s.exec(rest) ?? [];
  if (path === "") throw new TypeError(`url: the path of the SQLite file is missing; ${supported}`);
  if (path.includes(":memory:")) {
    // Each connection would have a database of its own: readers would never see what the writer
    // wrote.
    throw new TypeError(
      "url: an in-memory SQLite database cannot be shared by connections; name a file, or use memoryStorage",
    );
  }
  if (/[#\0]/.test(path)) throw new TypeError("url: a SQLite path takes no '?' or '#'");
  return { kind: "sqlite", file: resolve(path), ...driverIn(new URLSearchParams(query)) };
};

const driverIn = (given: URLSearchParams): Pick<SqliteAddress, "driver"> => {
  for (const [name, value] of given) {
    if (name !== "driver") throw new TypeError(`url: unknown parameter "${name}"; there is driver=…`);
    const driver = sqliteDriverNames.find((each) => each === value);
    if (driver === undefined) throw new TypeError(`url: driver is one of ${sqliteDriverNames.join(", ")}`);
    return { driver };
  }
  return {};
};

/**
 * The parts of the URL of a server that both kinds have, and its parameters. Written by hand: `URL`
 * takes one host only, and neither driver takes several.
 */
const serverAddress = (
  url: string,
  { user, port, longestName }: { readonly user: string; readonly port: number; readonly longestName: number },
): ServerAddress & { readonly given: URLSearchParams } => {
  const [, userinfo = "", list = "", name = "", search] =
    /^[a-z]+:\/\/(?:([^@/?#]*)@)?([^/?#]*)\/([^?#]*)(?:\?([^#]*))?$/i.exec(url) ?? [];
  const database = decoded(name);
  if (!/^[A-Za-z0-9_$-]+$/.test(database) || database.length > longestName) {
    throw new TypeError(`url: the path must be a database name of letters, digits, _, $ and -; ${supported}`);
  }
  const [givenUser = "", ...password] = userinfo.split(":");
  return {
    hosts: (list === "" ? "127.0.0.1" : list).split(",").map((text) => hostOf(text, port)),
    user: givenUser === "" ? user : decoded(givenUser),
    password: decoded(password.join(":")),
    database,
    given: new URLSearchParams(search),
  };
};

const refuseUnknown = (given: URLSearchParams, known: readonly string[], text: string): void => {
  const unknown = [...given.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) throw new TypeError(`url: unknown parameter "${unknown}"; there are ${text}`);
};

const mysqlParameters: readonly string[] = ["ssl", "ssl-ca", "ssl-cert", "ssl-key", "socket"];

const mysqlAddress = (url: string): DatabaseAddress => {
  const { given, ...server } = serverAddress(url, { user: "root", port: 3306, longestName: 64 });
  refuseUnknown(given, mysqlParameters, "ssl=true, ssl-ca=/path, ssl-cert=/path, ssl-key=/path and socket=/path");
  const socketPath = given.get("socket") ?? undefined;
  if (socketPath !== undefined && server.hosts.length > 1) {
    throw new TypeError("url: socket=/path leads to one server, so it takes no several hosts");
  }
  return { kind: "mysql", ...server, socketPath, tls: mysqlTls(given) };
};

const postgresParameters: readonly string[] = ["sslmode", "sslrootcert", "sslcert", "sslkey", "schema", "pooler"];
const sslModes = ["disable", "require", "verify-ca", "verify-full"];

const postgresAddress = (url: string): DatabaseAddress => {
  const { given, ...server } = serverAddress(url, { user: "postgres", port: 5432, longestName: 63 });
  refuseUnknown(
    given,
    postgresParameters,
    "sslmode=…, sslrootcert=/path, sslcert=/path, sslkey=/path, schema=name and pooler=transaction",
  );
  const schema = given.get("schema") ?? undefined;
  if (schema !== undefined && !/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(schema)) {
    throw new TypeError("url: schema is a name of letters, digits and _");
  }
  const pooler = given.get("pooler");
  if (pooler !== null && pooler !== "transaction") {
    throw new TypeError("url: pooler is transaction; leave it out for a pooler in session mode, or for none");
  }
  if (pooler !== null && schema !== undefined) {
    throw new TypeError(
      `url: a pooler in transaction mode keeps no schema; leave schema out, and let the role have it: ALTER ROLE … SET search_path = ${schema}`,
    );
  }
  return { kind: "postgres", ...server, schema, pooled: pooler !== null, tls: postgresTls(given) };
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new TypeError("url: a % is not followed by two hexadecimal digits; write %25 for a % itself");
  }
};

const hostOf = (text: string, usualPort: number): Host => {
  const [, inBrackets, plain = "", port = usualPort] =
    /^(?:\[([0-9a-f:.]+)\]|([^:[\]]*))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = inBrackets ?? (plain === "" && !text.startsWith(":") ? undefined : plain || "127.0.0.1");
  if (host === undefined || Number(port) > 65_535) {
    throw new TypeError("url: hosts are written host, host:port or [address]:port, separated by commas");
  }
  return { host, port: Number(port) };
};

/**
 * The modes of PostgreSQL's own clients: https://www.postgresql.org/docs/current/libpq-ssl.html. There is
 * no `prefer`: somebody between the two sides could turn its TLS off.
 */
const postgresTls = (given: URLSearchParams): PostgresTls | undefined => {
  const files = ["sslrootcert", "sslcert", "sslkey"].filter((name) => given.has(name));
  const mode = given.get("sslmode") ?? (files.length > 0 ? "verify-full" : "disable");
  if (!sslModes.includes(mode)) throw new TypeError(`url: sslmode is one of ${sslModes.join(", ")}`);
  if (mode === "disable") {
    if (files.length > 0) throw new TypeError(`url: ${files.join(", ")} need TLS; leave sslmode=disable out`);
    return undefined;
  }
  const own = tlsFiles(given, { ca: "sslrootcert", cert: "sslcert", key: "sslkey" });
  if (mode === "require" && own.ca === undefined) return { ...own, rejectUnauthorized: false };
  // As with PostgreSQL's own clients, `require` with an authority checks it.
  const unnamed = mode === "verify-full" ? {} : { checkServerIdentity: () => undefined };
  return { ...own, rejectUnauthorized: true, ...unnamed };
};

/** @throws TypeError when a file cannot be read or has something else in it, or a certificate has no key. */
const mysqlTls = (given: URLSearchParams): DatabaseTls | undefined => {
  const ssl =
    given.get("ssl") ?? (mysqlParameters.some((name) => name.startsWith("ssl-") && given.has(name)) ? "true" : "false");
  if (ssl !== "true" && ssl !== "false") throw new TypeError("url: ssl is true or false");
  if (ssl === "false") return undefined;
  return tlsFiles(given, { ca: "ssl-ca", cert: "ssl-cert", key: "ssl-key" });
};

/** The files that the URL names. `parameters` are its names for them. */
const tlsFiles = (given: URLSearchParams, parameters: Required<DatabaseTls>): DatabaseTls => {
  const { cert, key } = parameters;
  if (given.has(cert) !== given.has(key)) {
    throw new TypeError(`url: ${cert} and ${key} go together: a client's certificate and its key`);
  }
  const named = Object.entries(parameters).filter(([, parameter]) => given.has(parameter));
  return Object.fromEntries(named.map(([name, parameter]) => [name, textIn(given.get(parameter) ?? "", parameter)]));
};

const textIn = (path: string, name: string): string => {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new TypeError(`url: ${name}: the file ${path} cannot be read`);
  }
  const what = name.endsWith("key") ? "PRIVATE KEY" : "CERTIFICATE";
  if (new RegExp(`-----BEGIN ([A-Z0-9]+ )*${what}-----`).test(text)) return text;
  throw new TypeError(`url: ${name}: the file ${path} has no ${what.toLowerCase()} in PEM`);
};
