import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ServerConfig } from "./config.ts";
import { ConfigError } from "./config-error.ts";

const fileName = "postern.key";
const keyLength = 32;

/** The file of a `sqlite:` URL; `undefined` for another database. */
export const sqliteFile = (databaseUrl: string): string | undefined =>
  databaseUrl.startsWith("sqlite:") ? databaseUrl.slice("sqlite:".length).replace(/^\/\/|\?.*/gs, "") : undefined;

/** Where the key of a `sqlite:` database is; `undefined` for another database. */
export const keyFileOf = (databaseUrl: string): string | undefined => {
  const database = sqliteFile(databaseUrl);
  return database === undefined ? undefined : join(dirname(database), fileName);
};

type GivenKey = Pick<ServerConfig, "secretKey" | "nameOf">;

/** The bytes of a key that was given as a text or as bytes. */
export const keyBytes = (key: string | Uint8Array): Buffer =>
  typeof key === "string" ? Buffer.from(key, "base64") : Buffer.from(key);

/** @throws ConfigError unless the file holds a key. */
const keyIn = (path: string): Buffer => {
  const key = Buffer.from(readFileSync(path, "utf8").trim(), "base64");
  if (key.length === keyLength) return key;
  throw new ConfigError([
    `The key file ${path} is damaged: it must hold 32 bytes in base64. Restore it from a backup.`,
  ]);
};

/**
 * The key that a server on this database has already; `undefined` if there is none.
 * @throws ConfigError when the key file is damaged.
 */
export const presentSecretKey = ({ secretKey }: GivenKey, databaseUrl: string): Buffer | undefined => {
  if (secretKey !== undefined) return keyBytes(secretKey);
  const path = keyFileOf(databaseUrl);
  return path === undefined || !existsSync(path) ? undefined : keyIn(path);
};

/**
 * The key from which everything else is derived. With SQLite, the first start creates it beside the
 * database file, readable only by its owner; if two first starts race, they agree on one. With any
 * other database several nodes must share it, so you must supply it.
 * @throws ConfigError when it is required and missing, or when the key file is damaged.
 */
export const loadSecretKey = ({ secretKey, nameOf }: GivenKey, databaseUrl: string): Buffer => {
  if (secretKey !== undefined) return keyBytes(secretKey);
  const path = keyFileOf(databaseUrl);
  if (path === undefined) {
    throw new ConfigError([
      `${nameOf("secretKey")} must be set with this database, the same on every node: 32 bytes in base64; \`openssl rand -base64 32\` makes some.`,
    ]);
  }
  mkdirSync(dirname(path), { recursive: true });
  try {
    writeFileSync(path, `${randomBytes(keyLength).toString("base64")}\n`, { mode: 0o600, flag: "wx" });
  } catch (thrown) {
    // In Jest it is no `Error` of ours: Node's modules are of another realm.
    if (Object(thrown).code !== "EEXIST") throw thrown;
  }
  return keyIn(path);
};
