import { addColumn, type Migration } from "./migration.ts";

/** `job.ready_at`: when a job became ready, where that was not when it was stored; whoever waits is told by it from whoever has just come due. */
export const addReadyAt: Migration = {
  name: "0013-add-ready-at",
  part: "always",
  up: (types) => addColumn(types, "job", { name: "ready_at", type: `${types.bigint} NULL` }),
  down: () => ["ALTER TABLE `job` DROP COLUMN `ready_at`"],
};
