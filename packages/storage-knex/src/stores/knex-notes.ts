import type { EventNote, NoteStore } from "@postern/core/ports";
import { checkLimit, type Database, readRows } from "../engine/database.ts";
import { changeQuery } from "../engine/query-builder.ts";

/** Notes about events, in `event_note`. */
export const knexNotes = (database: Database): NoteStore => ({
  add: async ({ eventId, id, at, author, text }) => {
    const note = { event_ref: eventId, id, at, author, note: text };
    await changeQuery(database, database.dialect.query("event_note").insert(note));
  },
  list: async (eventId, limit) => {
    checkLimit(limit);
    return readRows<EventNote>(
      database,
      "SELECT id, event_ref AS `eventId`, at, author, note AS `text` FROM event_note WHERE event_ref = ? ORDER BY id LIMIT ?",
      [eventId, limit],
    );
  },
});
