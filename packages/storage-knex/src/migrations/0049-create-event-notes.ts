import { createTable, type Migration } from "./migration.ts";

/** What people have noted about events. The ids rise, so the key gives the notes of an event in order. */
export const createEventNotes: Migration = {
  name: "0049-create-event-notes",
  part: "inbox",
  tables: ["event_note"],
  up: (types) =>
    createTable(types, "event_note", [
      `event_ref ${types.bigint} NOT NULL`,
      `id ${types.id} NOT NULL`,
      `at ${types.bigint} NOT NULL`,
      `author ${types.text(128)} NOT NULL`,
      `note ${types.longText} NOT NULL`,
      "PRIMARY KEY (event_ref, id)",
    ]),
  down: () => ["DROP TABLE IF EXISTS event_note"],
};
