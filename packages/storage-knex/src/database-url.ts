import { resolve } from "node:path";

export type DatabaseAddress =
  | { readonly kind: "sqlite"; readonly file: string }
  | {
      readonly kind: "mysql";
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly password: string;
      readonly database: string;
      readonly socketPath: string | undefined;
      readonly ssl: boolean;
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

const sqliteAddress = (rest: string): DatabaseAddress => {
  const path = rest.startsWith("//") ? rest.slice(2) : rest;
  if (path === "") throw new TypeError(`url: the path of the SQLite file is missing; ${supported}`);
  if (path.includes(":memory:")) {
    // Each connection would have a database of its own: readers would never see what the writer
    // wrote.
    throw new TypeError(
      "url: an in-memory SQLite database cannot be shared by connections; name a file, or use memoryStorage",
    );
  }
  if (/[?#\0]/.test(path)) throw new TypeError("url: a SQLite path takes no parameters and no '?' or '#'");
  return { kind: "sqlite", file: resolve(path) };
};

const mysqlAddress = (url: string): DatabaseAddress => {
  const parsed = parseUrl(url);
  const database = decodeURIComponent(parsed.pathname.slice(1));
  if (!/^[A-Za-z0-9_$-]{1,64}$/.test(database)) {
    throw new TypeError("url: the path must be a database name of letters, digits, _, $ and -");
  }
  for (const name of parsed.searchParams.keys()) {
    if (name !== "ssl" && name !== "socket") {
      throw new TypeError(`url: unknown parameter "${name}"; there are ssl=true and socket=/path`);
    }
  }
  const ssl = parsed.searchParams.get("ssl") ?? "false";
  if (ssl !== "true" && ssl !== "false") throw new TypeError("url: ssl is true or false");
  return {
    kind: "mysql",
    host: parsed.hostname === "" ? "127.0.0.1" : parsed.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: parsed.port === "" ? 3306 : Number(parsed.port),
    user: parsed.username === "" ? "root" : decodeURIComponent(parsed.username),
    password: decodeURIComponent(parsed.password),
    database,
    socketPath: parsed.searchParams.get("socket") ?? undefined,
    ssl: ssl === "true",
  };
};

const parseUrl = (url: string): URL => {
  try {
    return new URL(url);
  } catch {
    throw new TypeError(`url: it is not a URL; ${supported}`);
  }
};
