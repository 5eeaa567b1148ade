import { createTable, type Migration } from "./migration.ts";

/**
 * What each commit brought: events from `first_ref` to `last_ref`, or what `body` says. `place` is
 * its number in the order of the commits. It is empty until a second step numbers it.
 */
export const createFeedEntry: Migration = {
  name: "0050-create-feed-entry",
  part: "always",
  tables: ["feed_entry"],
  up: (types) => {
    const { serial, bigint, longText } = types;
    return [
      ...createTable(
        types,
        "feed_entry",
        [
          `id ${serial}`,
          `at ${bigint} NOT NULL`,
          `place ${bigint} NULL`,
          `first_ref ${bigint} NULL`,
          `last_ref ${bigint} NULL`,
          `body ${longText} NULL`,
        ],
        [{ name: "by_place", columns: "place", unique: true }],
      ),
      `INSERT INTO id_block (name, next) SELECT 'feed', 1 FROM (SELECT 1 AS one) AS missing ` +
        `WHERE NOT EXISTS (SELECT 1 FROM id_block AS known WHERE known.name = 'feed')`,
    ];
  },
  down: () => ["DELETE FROM id_block WHERE name = 'feed'", "DROP TABLE IF EXISTS feed_entry"],
};
