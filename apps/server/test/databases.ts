import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { databaseServers } from "./database-servers.ts";

const endings: (() => Promise<void>)[] = [];

/** Runs this after the test: the last one first, and before its databases and folders are removed. */
export const afterwards = (end: () => Promise<void>): void => void endings.push(end);

/** Ends what a test left. `after-each-test.ts` calls it. */
export const endAll = async (): Promise<void> => {
  for (const end of endings.splice(0).toReversed()) await end();
};

const onSqlite = async () => {
  const directory = mkdtempSync(join(tmpdir(), "postern-server-"));
  const drop = async (): Promise<void> => rmSync(directory, { recursive: true, force: true });
  return { url: `sqlite:${join(directory, "test.db")}`, drop };
};

const onServer = (server: (typeof databaseServers)[number]) => async () => {
  const { url, create, drop } = server.database();
  await create();
  return { url, drop };
};

const placed = (name: string, make: () => Promise<{ readonly url: string; readonly drop: () => Promise<void> }>) => ({
  name,
  /** Makes a database for whoever drops it: several tests share it. */
  make,
  /** Makes a database for the test that calls it. */
  newUrl: async (): Promise<string> => {
    const { url, drop } = await make();
    afterwards(drop);
    return url;
  },
});

/** The databases on which a test runs. */
export const databases = [
  placed("SQLite", onSqlite),
  ...databaseServers.map((server) => placed(server.name, onServer(server))),
];
