import { resourceGraph } from "../src/deleted-rows.ts";
import type { Migrate } from "../src/migrate.ts";
import type { EventKeyLimits } from "../src/sqlite/event-keys.ts";
import type { EventKeyTelemetry } from "../src/sqlite/key-index.ts";
import { openSqlite } from "../src/sqlite/sqlite-database.ts";
import { knexEventStore } from "../src/stores/knex-event-store.ts";
import { knexHousekeeping } from "../src/stores/knex-housekeeping.ts";
import { sqliteDriver } from "./sqlite-driver.ts";

/** Takes the schema back to the one before the log of keys. */
export const takeBack = async ({ down }: Migrate): Promise<void> => {
  for (;;) {
    const name = await down();
    if (name === undefined) throw new Error("the step was not taken");
    if (name === "0029-log-event-keys") return;
  }
};

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
    housekeeping: knexHousekeeping(database, { inbox: true, resources: new Map(), graph: resourceGraph(new Map()) }),
    database,
    close: () => database.close(),
  };
};
