import { addColumn, type Migration } from "./migration.ts";

/** A runner that has nothing to do beats rarely, and says so. */
export const markIdleRunners: Migration = {
  name: "0070-mark-idle-runners",
  part: "always",
  up: (types) => addColumn(types, "runner", { name: "idle", type: `${types.boolean} NOT NULL DEFAULT 0` }),
  down: () => ["ALTER TABLE `runner` DROP COLUMN `idle`"],
};
