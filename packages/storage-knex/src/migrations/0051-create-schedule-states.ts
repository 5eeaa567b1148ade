import { createTable, type Migration } from "./migration.ts";

/** Which schedules are paused, and the newest job of each. */
export const createScheduleStates: Migration = {
  name: "0051-create-schedule-states",
  part: "always",
  tables: ["schedule_state"],
  up: (types) =>
    createTable(types, "schedule_state", [
      `name ${types.ascii(128)} NOT NULL PRIMARY KEY`,
      `last_job ${types.bigint} NULL`,
      `paused_at ${types.bigint} NULL`,
      `note ${types.longText} NULL`,
      `resumed_at ${types.bigint} NULL`,
    ]),
  down: () => ["DROP TABLE IF EXISTS schedule_state"],
};
