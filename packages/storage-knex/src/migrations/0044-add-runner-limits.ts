import { addColumn, type Migration } from "./migration.ts";

/** How many jobs a runner runs at once, and the limits of its queues, as JSON. */
export const addRunnerLimits: Migration = {
  name: "0044-add-runner-limits",
  part: "always",
  up: (types) => addColumn(types, "runner", { name: "limits", type: `${types.longText} NULL` }),
  down: () => ["ALTER TABLE `runner` DROP COLUMN `limits`"],
};
