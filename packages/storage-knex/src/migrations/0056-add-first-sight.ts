import { addColumn, type Migration } from "./migration.ts";

/** When each schedule was first looked at: from then on, its times count as missed if nothing ran. */
export const addFirstSight: Migration = {
  name: "0056-add-first-sight",
  part: "always",
  up: (types) => addColumn(types, "schedule_state", { name: "seen_at", type: `${types.bigint} NULL` }),
  down: () => ["ALTER TABLE `schedule_state` DROP COLUMN `seen_at`"],
};
