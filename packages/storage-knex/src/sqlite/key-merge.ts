import type { Session } from "../database.ts";
import type { KeyIndex, Merging } from "./key-index.ts";

/** Copies the next `count` keys to the sorted table. */
const mergeStep = async (session: Session, index: KeyIndex, { keys, next }: Merging, count: number): Promise<void> => {
  const { places, next: reached } = keys.stretch(next, count);
  await session.run(
    `INSERT INTO event_key (hash, event)
     SELECT hash, event FROM event_key_log WHERE place IN (SELECT value FROM json_each(?)) ORDER BY hash, event
     ON CONFLICT DO NOTHING`,
    [JSON.stringify(places)],
  );
  session.afterCommit(() => index.noteMerged(keys, reached));
};

/** Deletes up to `count` merged rows from the log, but none that is not in the sorted table. */
const clearStep = async (session: Session, index: KeyIndex, { keys }: Merging, count: number): Promise<void> => {
  const { changed } = await session.run(
    `DELETE FROM event_key_log
      WHERE place IN (SELECT place FROM event_key_log WHERE place <= ? ORDER BY place LIMIT ?)
        AND EXISTS (SELECT 1 FROM event_key AS sorted
          WHERE sorted.hash = event_key_log.hash AND sorted.event = event_key_log.event)`,
    [keys.newest, count],
  );
  if (changed === count) return;
  const left = await session.rows("SELECT 1 FROM event_key_log WHERE place <= ? LIMIT 1", [keys.newest]);
  session.afterCommit(() => index.noteCleared(keys, left.length > 0));
};

/** Does the next step of the merge that is under way, if there is one, and counts its time. */
export const advanceMerge = async (session: Session, index: KeyIndex, count: number): Promise<void> => {
  const { merging } = index;
  if (merging === undefined) return;
  const from = performance.now();
  if (!merging.keys.isEnd(merging.next)) await mergeStep(session, index, merging, count);
  // Deleting a row costs less than merging it.
  else await clearStep(session, index, merging, 2 * count);
  merging.ms += performance.now() - from;
};
