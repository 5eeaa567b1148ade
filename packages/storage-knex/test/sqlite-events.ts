import type { EventKeyLimits } from "../src/sqlite/event-keys.ts";
import type { EventKeyTelemetry } from "../src/sqlite/key-index.ts";
import { openSqlite } from "../src/sqlite/sqlite-database.ts";
import { knexEventStore } from "../src/stores/knex-event-store.ts";
import { knexHousekeeping } from "../src/stores/knex-housekeeping.ts";
import { resourceGraph } from "../src/stores/resource-graph.ts";
import { repositoryParts } from "../src/stores/resource-statements.ts";
import { sqliteDriver } from "./sqlite-driver.ts";

/**
 * The inbox of one process on a SQLite file, with bounds of its own for the log of keys. Closed
 * without a word, it is as if it were killed.
 */
export const openEvents = (file: string, eventKeys: EventKeyLimits, telemetry?: EventKeyTelemetry) => {
  const database = openSqlite(file, {
    synchronous: "NORMAL",
    driver: sqliteDriver,
    readers: 1,
    guardNesting: true,
    readLimitMs: 60_000,
    eventKeys,
    telemetry,
  });
  return {
    events: knexEventStore(database),
    housekeeping: knexHousekeeping(database, {
      inbox: true,
      resources: new Map(),
      repository: repositoryParts(database.dialect, new Map(), resourceGraph(new Map())),
    }),
    database,
    close: () => database.close(),
  };
};
