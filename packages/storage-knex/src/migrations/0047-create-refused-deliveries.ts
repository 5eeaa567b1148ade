import { createTable, type Migration } from "./migration.ts";

/**
 * The last deliveries that were refused. `details` is JSON: how each was verified, and where it came
 * from. There are few rows, so only the key is an index.
 */
export const createRefusedDeliveries: Migration = {
  name: "0047-create-refused-deliveries",
  part: "always",
  tables: ["refused_delivery"],
  up: (types) =>
    createTable(types, "refused_delivery", [
      `id ${types.id} NOT NULL PRIMARY KEY`,
      `refused_at ${types.bigint} NOT NULL`,
      `provider ${types.ascii(64)} NOT NULL`,
      `reason ${types.ascii(64)} NOT NULL`,
      `details ${types.longText} NOT NULL`,
    ]),
  down: () => ["DROP TABLE IF EXISTS refused_delivery"],
};
