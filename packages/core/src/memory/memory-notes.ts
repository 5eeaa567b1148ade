import type { EventNote, NoteStore } from "../ports/note-store.ts";
import type { Journal } from "./journal.ts";

/** Notes by event, oldest first. */
export type NoteTable = Map<number, readonly EventNote[]>;

export const memoryNotes = (notes: NoteTable, journal: Journal): NoteStore => ({
  add: async (note) => {
    const all = [...(notes.get(note.eventId) ?? []), note];
    journal.set(
      notes,
      note.eventId,
      all.toSorted((left, right) => (left.id < right.id ? -1 : 1)),
    );
  },
  list: async (eventId, limit) => (notes.get(eventId) ?? []).slice(0, limit),
});
