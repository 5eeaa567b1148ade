import type { Session } from "../engine/database.ts";
import type { KeyIndex, Merging } from "./key-index.ts";

/**
 * For each new event, so many keys are copied, and later so many rows deleted. With these numbers a
 * merge ends before the next set is full. Keys that another process has copied are passed faster,
 * because that writes nothing. So several processes share the work: each comes to the front in turn.
 */
const pace = { copied: 1.3, passed: 12, deleted: 6 };

/**
 * Copies the next `count` keys to the sorted table, from memory: in the order of the hashes, each
 * would be on another page of the log. The key of an event that retention has deleted meanwhile is
 * copied, too. `clearStep` deletes it, as long as its row is in the log. So if another process has
 * already deleted rows of this set, only the keys of events that still exist are copied.
 */
const mergeStep = async (session: Session, index: KeyIndex, merging: Merging, count: number): Promise<void> => {
  const { keys, oldest, newest, next } = merging;
  const stretch = keys.stretch(next, count);
  const { changed } = await session.run(
    `INSERT INTO event_key (hash, event)
     SELECT value ->> 0, value ->> 1 FROM json_each(?)
      WHERE (SELECT place FROM event_key_log ORDER BY place LIMIT 1) <= ?
         OR EXISTS (SELECT 1 FROM inbox_event WHERE id = value ->> 1)
     ON CONFLICT DO NOTHING`,
    [JSON.stringify(stretch.keys), oldest],
  );
  session.afterCommit(() => index.noteMerged(keys, stretch.next, changed === 0));
  if (changed > 0) return;
  const left = await session.rows("SELECT 1 FROM event_key_log WHERE place <= ? LIMIT 1", [newest]);
  // Another process has copied all of the set, and deleted its rows.
  if (left.length === 0) session.afterCommit(() => index.noteCleared(keys));
};

/**
 * Deletes the first `count` rows of a merged set from the log. Keys of events that no longer exist
 * leave the sorted table with them.
 */
const clearStep = async (session: Session, index: KeyIndex, merging: Merging, count: number): Promise<void> => {
  const { keys, newest } = merging;
  const first = "SELECT place, hash, event FROM event_key_log WHERE place <= ? ORDER BY place LIMIT ?";
  await session.run(
    `DELETE FROM event_key WHERE (hash, event) IN
      (SELECT hash, event FROM (${first}) WHERE NOT EXISTS (SELECT 1 FROM inbox_event WHERE id = event))`,
    [newest, count],
  );
  const { changed } = await session.run(`DELETE FROM event_key_log WHERE place IN (SELECT place FROM (${first}))`, [
    newest,
    count,
  ]);
  if (changed < count) session.afterCommit(() => index.noteCleared(keys));
};

/**
 * Does the next step of the merge that is under way, and counts its time. `added`
 * events were just stored. A step takes at least `least` keys.
 */
export const advanceMerge = async (
  session: Session,
  index: KeyIndex,
  merging: Merging,
  added: number,
  least: number,
): Promise<void> => {
  const from = performance.now();
  if (!merging.keys.isEnd(merging.next)) {
    const count = Math.ceil((merging.isCopied ? pace.passed : pace.copied) * added);
    await mergeStep(session, index, merging, Math.max(least, count));
  } else await clearStep(session, index, merging, Math.max(2 * least, pace.deleted * added));
  merging.ms += performance.now() - from;
};
