import assert from "node:assert/strict";
import type { EventNote } from "../ports/note-store.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";
import { idNumber } from "./rows.ts";

const now = 1_800_000_000_000;

const noteNumber = (n: number, changes: Partial<EventNote> = {}): EventNote => ({
  id: idNumber(n),
  eventId: 7,
  at: now + n,
  author: "ada",
  text: "später \u{1f4a5}\n",
  ...changes,
});

/** What every `NoteStore` promises, on a fresh storage. */
export const noteStoreContract: Contract<Storage> = {
  "keeps the notes about an event, oldest first, and gives them back as they were": async ({ notes }) => {
    const long = noteNumber(3, { author: "ü".repeat(128), text: "☃".repeat(2_000) });
    for (const note of [noteNumber(1), long, noteNumber(2), noteNumber(4, { eventId: 8 })]) await notes.add(note);
    assert.deepEqual(await notes.list(7, 10), [noteNumber(1), noteNumber(2), long]);
    assert.deepEqual(await notes.list(7, 1), [noteNumber(1)]);
    assert.deepEqual(await notes.list(9, 10), []);
  },
  "leaves no trace of a transaction that fails": async (storage) => {
    const failing = storage.transaction(async ({ notes }) => {
      await notes.add(noteNumber(1));
      throw new Error("after all that");
    });
    await assert.rejects(failing, /after all that/);
    assert.deepEqual(await storage.notes.list(7, 10), []);
  },
};
