import { join } from "node:path";
import { databaseServers } from "./database-servers.ts";
import { temporaryDirectory } from "./server-process.ts";

const endings: (() => Promise<void>)[] = [];

/** Runs this after the test: the last one first, and before its databases and folders are removed. */
export const afterwards = (end: () => Promise<void>): void => void endings.push(end);

/** Ends what a test left. `after-each-test.ts` calls it. */
export const endAll = async (): Promise<void> => {
  for (const end of endings.splice(0).toReversed()) await end();
};

const newSqlite = async (): Promise<string> => `sqlite:${join(temporaryDirectory(), "test.db")}`;

const newOn = (server: (typeof databaseServers)[number]) => async (): Promise<string> => {
  const { url, create, drop } = server.database();
  await create();
  afterwards(drop);
  return url;
};

/** The databases on which a test runs. `newUrl` makes a database for the test that calls it. */
export const databases = [
  { name: "SQLite", newUrl: newSqlite },
  ...databaseServers.map((server) => ({ name: server.name, newUrl: newOn(server) })),
];
