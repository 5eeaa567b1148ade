import type { NoteStore } from "@postern/core/parts";
import { checkLimit, type Database } from "../database.ts";
import { changeQuery, readQuery } from "../query-builder.ts";

interface NoteRow {
  readonly event_ref: number;
  readonly id: string;
  readonly at: number;
  readonly author: string;
  readonly note: string;
}

/** Notes about events, in `event_note`. */
export const knexNotes = (database: Database): NoteStore => {
  const rows = () => database.dialect.query("event_note");
  return {
    add: async ({ eventId, id, at, author, text }) => {
      await changeQuery(database, rows().insert({ event_ref: eventId, id, at, author, note: text }));
    },
    list: async (eventId, limit) => {
      checkLimit(limit);
      const found = rows().where({ event_ref: eventId }).orderBy("id").limit(limit).select();
      const notes = await readQuery<NoteRow>(database, found);
      return notes.map(({ id, at, author, note }) => ({ id, eventId, at: Number(at), author, text: note }));
    },
  };
};
