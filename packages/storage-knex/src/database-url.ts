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

export type DatabaseAddress =
  | SqliteAddress
  | {
      readonly kind: "mysql";
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly password: string;
      readonly database: string;
      readonly socketPath: string | undefined;
      /** `undefined`: no TLS. */
      readonly tls: DatabaseTls | undefined;
    };

const supported = "sqlite:./data/postern.db, mysql://user:password@host:3306/name and mariadb://… are supported";

/**
 * Reads the option `url` of `createKnexStorage`. No error repeats the URL, because it may contain a password.
 * @throws TypeError that says what is wrong and what would be right.
 */
export const parseDatabaseUrl = (url: string): DatabaseAddress => {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme === "sqlite") return sqliteAddress(url.slice("sqlite:".length));
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

const mysqlAddress = (url: string): DatabaseAddress => {
  const parsed = parseUrl(url);
  const database = decodeURIComponent(parsed.pathname.slice(1));
  if (!/^[A-Za-z0-9_$-]{1,64}$/.test(database)) {
    throw new TypeError("url: the path must be a database name of letters, digits, _, $ and -");
  }
  for (const name of parsed.searchParams.keys()) {
    if (!parameters.includes(name)) {
      throw new TypeError(
        `url: unknown parameter "${name}"; there are ssl=true, ssl-ca=/path, ssl-cert=/path, ssl-key=/path and socket=/path`,
      );
    }
  }
  return {
    kind: "mysql",
    host: parsed.hostname === "" ? "127.0.0.1" : parsed.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: parsed.port === "" ? 3306 : Number(parsed.port),
    user: parsed.username === "" ? "root" : decodeURIComponent(parsed.username),
    password: decodeURIComponent(parsed.password),
    database,
    socketPath: parsed.searchParams.get("socket") ?? undefined,
    tls: tlsOf(parsed.searchParams),
  };
};

const parameters: readonly string[] = ["ssl", "ssl-ca", "ssl-cert", "ssl-key", "socket"];

/** @throws TypeError when a file cannot be read or has something else in it, or a certificate has no key. */
const tlsOf = (given: URLSearchParams): DatabaseTls | undefined => {
  const ssl =
    given.get("ssl") ?? (parameters.some((name) => name.startsWith("ssl-") && given.has(name)) ? "true" : "false");
  if (ssl !== "true" && ssl !== "false") throw new TypeError("url: ssl is true or false");
  if (ssl === "false") return undefined;
  if (given.has("ssl-cert") !== given.has("ssl-key")) {
    throw new TypeError("url: ssl-cert and ssl-key go together: a client's certificate and its key");
  }
  const member = (name: "ca" | "cert" | "key"): DatabaseTls => {
    const path = given.get(`ssl-${name}`);
    return path === null ? {} : { [name]: textIn(path, `ssl-${name}`) };
  };
  return { ...member("ca"), ...member("cert"), ...member("key") };
};

const textIn = (path: string, name: string): string => {
  const text = textOf(path);
  if (text === undefined) throw new TypeError(`url: ${name}: the file ${path} cannot be read`);
  const what = name === "ssl-key" ? "PRIVATE KEY" : "CERTIFICATE";
  if (new RegExp(`-----BEGIN ([A-Z0-9]+ )*${what}-----`).test(text)) return text;
  throw new TypeError(`url: ${name}: the file ${path} has no ${what.toLowerCase()} in PEM`);
};

const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
};

const parseUrl = (url: string): URL => {
  try {
    return new URL(url);
  } catch {
    throw new TypeError(`url: it is not a URL; ${supported}`);
  }
};
