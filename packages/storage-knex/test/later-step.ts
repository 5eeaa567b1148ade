import { parseDatabaseUrl } from "../src/engine/database-url.ts";
import { type Migrate, migrateWith } from "../src/schema/migrate.ts";
import { migrations } from "../src/schema/migrations/index.ts";
import {
  addColumn,
  addIndexes,
  addKey,
  createTable,
  dropIndexes,
  dropKey,
  type Migration,
  onlyOnMysql,
  storageParts,
} from "../src/schema/migrations/migration.ts";
import { migrationsOf } from "../src/tools/copy/connection.ts";

const byProvider = { name: "by_provider", columns: "provider, id" };

const onMysql = onlyOnMysql({
  up: [addKey("inbox_event", "by_day", "received_at, id"), dropKey("inbox_event", "retention")],
  down: ["ALTER TABLE `inbox_event` ADD KEY `retention` (body_dropped, received_at), DROP KEY `by_day`"],
});

/**
 * A step of a version that comes later. Only tests have it. It makes every kind of change that a step can
 * make: a table, a column with an index, values, and indexes that come and go.
 */
export const laterStep: Migration = {
  name: "9998-add-weights",
  part: "inbox",
  tables: ["weighing"],
  up: (types) => [
    ...createTable(
      types,
      "weighing",
      [`id ${types.bigint} NOT NULL PRIMARY KEY`, `weight ${types.integer} NOT NULL`],
      [{ name: "by_weight", columns: "weight, id" }],
    ),
    ...addColumn(types, "inbox_event", { name: "weight", type: `${types.integer} NOT NULL DEFAULT 7` }, [
      { name: "by_weight", columns: "weight, id" },
    ]),
    "UPDATE inbox_event SET weight = 8 WHERE disposition = 1",
    ...dropIndexes(types, "inbox_event", [byProvider.name]),
    ...onMysql.up(types),
  ],
  down: (types) => [
    ...onMysql.down(types),
    ...addIndexes(types, "inbox_event", [byProvider]),
    ...(types.hasPartialIndexes
      ? ["DROP INDEX IF EXISTS `inbox_event_by_weight`"]
      : ["ALTER TABLE `inbox_event` DROP KEY `by_weight`"]),
    "ALTER TABLE `inbox_event` DROP COLUMN `weight`",
    "DROP TABLE IF EXISTS `weighing`",
  ],
};

/** The migrations of that later version. */
export const laterVersion = (url: string): Pick<Migrate, "latest" | "plan" | "down"> =>
  migrateWith(
    migrationsOf(parseDatabaseUrl(url)),
    () => Promise.reject(new Error("a storage reads the steps that were taken")),
    { parts: storageParts, declared: [], resources: new Map() },
    [...migrations, laterStep],
  );
