import { addColumn, type Migration } from "./migration.ts";

/**
 * What a sender said outside of body and headers, as JSON, and why an event was quarantined that an
 * operator let run all the same. Nearly every event has neither.
 */
export const addOutsideOfBodies: Migration = {
  name: "0061-add-outside-of-bodies",
  part: "inbox",
  up: (types) => [
    ...addColumn(types, "inbox_event", { name: "outside", type: `${types.longText} NULL` }),
    ...addColumn(types, "inbox_event", { name: "overruled", type: `${types.longText} NULL` }),
  ],
  down: () => ["ALTER TABLE `inbox_event` DROP COLUMN `overruled`", "ALTER TABLE `inbox_event` DROP COLUMN `outside`"],
};
