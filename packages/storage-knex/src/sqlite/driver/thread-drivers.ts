import { createRequire } from "node:module";
import type { SqliteDriver } from "./driver.ts";
import { WorkerConnection } from "./worker-connection.ts";

/** The SQLite of Node itself. @throws Error that says what Node lacks. */
export const loadNodeSqlite = async (): Promise<SqliteDriver> => {
  const { sqlite: version, node } = process.versions as { readonly sqlite?: string; readonly node: string };
  const [major = 0, minor = 0] = node.split(".").map(Number);
  if (version === undefined || major < 22 || (major === 22 && minor < 13)) {
    throw new Error(`Node ${node} has none; Node 22.22.3, 24.15 and later have one that works`);
  }
  return {
    name: "node:sqlite",
    version,
    open: (file, { create }) => WorkerConnection.open({ file, create, library: undefined }),
  };
};

/** @throws what `better-sqlite3` throws if it is not installed, or is of another Node or machine. */
export const loadBetterSqlite3 = async (): Promise<SqliteDriver> => {
  const require = createRequire(import.meta.url);
  const library = require.resolve("better-sqlite3");
  const Library = require(library);
  const memory = new Library(":memory:");
  const { version } = memory.prepare("SELECT sqlite_version() AS version").get();
  memory.close();
  return {
    name: "better-sqlite3",
    version,
    open: (file, { create }) => WorkerConnection.open({ file, create, library }),
  };
};
