import { resourceGraph } from "../src/deleted-rows.ts";
import type { EventKeyLimits } from "../src/sqlite/event-keys.ts";
import { openSqlite } from "../src/sqlite/sqlite-database.ts";
import { knexEventStore } from "../src/stores/knex-event-store.ts";
import { knexHousekeeping } from "../src/stores/knex-housekeeping.ts";

/** The inbox of one process on a SQLite file, with bounds of its own for the log of keys. Closed without a word, it is as if it were killed. */
export const openEvents = (file: string, eventKeys: EventKeyLimits) => {
  const database = openSqlite(file, {
    synchronous: "NORMAL",
    readers: 1,
    guardNesting: true,
    readLimitMs: 60_000,
    eventKeys,
  });
  return {
    events: knexEventStore(database),
    housekeeping: knexHousekeeping(database, { inbox: true, resources: new Map(), graph: resourceGraph(new Map()) }),
    database,
    close: () => database.close(),
  };
};
