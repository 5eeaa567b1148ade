import { addColumn, type Migration } from "./migration.ts";

/**
 * `job.order_rules` is a sum: 1 if the job lets others of its order key pass while it waits for a
 * retry, plus 2 if it holds the key when it is dead.
 */
export const addOrderRules: Migration = {
  name: "0011-add-order-rules",
  part: "always",
  up: (types) => addColumn(types, "job", { name: "order_rules", type: `${types.integer} NOT NULL DEFAULT 0` }),
  down: () => ["ALTER TABLE `job` DROP COLUMN `order_rules`"],
};
