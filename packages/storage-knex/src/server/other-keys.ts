import { chunksOf, inOrderOf, type Session } from "../engine/database.ts";
import { type AcceptedRow, byKeyText, type EventRow, heldElsewhere } from "../engine/dialect.ts";

type Key = EventRow["key"];

/** Batches that share keys insert them in this order, so that one waits for the other. */
export const inOrderOfKeys = (events: readonly EventRow[]): readonly EventRow[] =>
  inOrderOf(events, ({ key }) => key.join("\0"));

/** The rows that hold these keys, after a wait for the transactions that store under one of them. */
export type LockedHolders = (
  session: Session,
  keys: readonly Key[],
  events: readonly EventRow[],
) => Promise<readonly AcceptedRow[]>;

/**
 * Takes back the events that are stored under another key. Returns the rows that hold them. `rows` are
 * those that were read after the insert.
 *
 * Two callers may store one event at the same moment, each under a key that the other looks up. Both
 * have inserted their row by then. So one waits for the commit of the other, or both wait for each
 * other. The server ends one of the two as a deadlock, and its next run finds the row of the other. To
 * look first and insert then would let both through.
 */
export const takeBack = async (
  session: Session,
  events: readonly EventRow[],
  rows: readonly AcceptedRow[],
  lockedHolders: LockedHolders,
): Promise<readonly AcceptedRow[]> => {
  const others = events.filter((event) => event.others.length > 0);
  if (others.length === 0) return [];
  const own = byKeyText(rows);
  const inserted = others.filter(({ id, key }) => (own.get(key.join(" "))?.id ?? id) === id);
  const answers: AcceptedRow[] = [];
  for (const part of chunksOf(inserted, 80)) {
    const keys = part.flatMap((event) => event.others.map(({ key }) => key));
    const found = byKeyText(await lockedHolders(session, keys, part));
    for (const event of part) {
      const holder = heldElsewhere(event, found);
      if (holder === undefined) continue;
      await session.run("DELETE FROM inbox_event WHERE id = ?", [event.id]);
      await session.run("UPDATE inbox_event SET repeats = repeats + ? WHERE id = ?", [event.repeats + 1, holder.id]);
      answers.push(holder);
    }
  }
  return answers;
};
