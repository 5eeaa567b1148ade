import { createTable, type Migration } from "./migration.ts";

/**
 * How many webhooks came: a row for each minute, sender and result. Its key begins with the minute,
 * because the last hour is read and old minutes are deleted.
 */
export const createDeliveryCount: Migration = {
  name: "0043-create-delivery-count",
  part: "always",
  tables: ["delivery_count"],
  up: (types) =>
    createTable(types, "delivery_count", [
      `minute ${types.bigint} NOT NULL`,
      `provider ${types.ascii(64)} NOT NULL`,
      `result ${types.ascii(16)} NOT NULL`,
      `reason ${types.ascii(64)} NOT NULL`,
      `deliveries ${types.bigint} NOT NULL`,
      "PRIMARY KEY (minute, provider, result, reason)",
    ]),
  down: () => ["DROP TABLE IF EXISTS delivery_count"],
};
