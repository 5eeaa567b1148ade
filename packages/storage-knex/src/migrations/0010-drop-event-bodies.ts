import { addColumn, type Migration } from "./migration.ts";

/**
 * `inbox_event.body_dropped` is 1 once retention has emptied body and headers. The index finds the
 * events that are old enough, among those with a body and among those without.
 */
export const dropEventBodies: Migration = {
  name: "0010-drop-event-bodies",
  part: "inbox",
  up: (types) =>
    addColumn(types, "inbox_event", { name: "body_dropped", type: `${types.integer} NOT NULL DEFAULT 0` }, [
      { name: "retention", columns: "body_dropped, received_at" },
    ]),
  down: ({ hasPartialIndexes }) => [
    hasPartialIndexes
      ? "DROP INDEX IF EXISTS `inbox_event_retention`"
      : "ALTER TABLE `inbox_event` DROP KEY `retention`",
    "ALTER TABLE `inbox_event` DROP COLUMN `body_dropped`",
  ],
};
