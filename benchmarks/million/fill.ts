import { hash } from "node:crypto";
import { createRequire } from "node:module";
import { allParts, resourcesOfParts } from "@postern/app";
import { jobStates } from "@postern/core/ports";
import { createKnexStorage } from "@postern/storage-knex";

const dayMs = 86_400_000;
const days = 35;
/** Each has one in so many events. */
export const types = 20;
const deadEach = 80;
const otherSenderEach = 1_000;
const causes = 7;

const sqlite = createRequire(new URL("../../packages/storage-knex/package.json", import.meta.url))("sqlite3");

/** Makes a SQLite file with so many events, each with a job. One in a thousand comes from another sender. */
export const fill = async (file: string, events: number): Promise<void> => {
  const { migrate, close } = createKnexStorage({ url: `sqlite:${file}`, resources: resourcesOfParts(allParts) });
  await migrate.latest();
  await close();
  const database = new sqlite.Database(file);
  const execute = (sql: string): Promise<void> =>
    new Promise((resolve, reject) =>
      database.exec(sql, (error: Error | null) => (error === null ? resolve() : reject(error))),
    );
  const numbers = `(WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${events})
    SELECT n FROM counted)`;
  const at = `CAST(${Date.now() - days * dayMs} + n * ${(days * dayMs) / events} AS INTEGER)`;
  const body = `'{"id":"evt_' || n || '","type":"invoice.' || (n % ${types}) || '","data":"${"x".repeat(300)}"}'`;
  await execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; BEGIN");
  await execute(`INSERT INTO inbox_event (id, provider, dedupe_key, event_id, type, body, headers, body_sha256,
      occurred_at, received_at, disposition, reason, repeats)
    SELECT n, CASE n % ${otherSenderEach} WHEN 1 THEN 'linear' ELSE 'stripe' END, 'evt_' || n, 'evt_' || n, 'invoice.' || (n % ${types}), CAST(${body} AS BLOB), '{}',
      '${"0".repeat(64)}', NULL, ${at}, 0, NULL, 0 FROM ${numbers}`);
  await execute(`INSERT INTO job (id, event_ref, queue, kind, priority, state, attempt, max_attempts, losses, suspect,
      last_error, created_at, started_at, finished_at)
    SELECT n, n, 'default', 'mail', 0, CASE n % ${deadEach} WHEN 0 THEN ${jobStates.dead} ELSE ${jobStates.done} END,
      1, 12, 0, 0, CASE n % ${deadEach} WHEN 0 THEN 'Error: no mail ' || n END, ${at}, ${at}, ${at} FROM ${numbers}`);
  await execute(`INSERT INTO job_failure (job_id, attempt, at, error, event_ref, cause)
    SELECT n, 1, ${at}, 'Error: no mail ' || n, n, 'cause000000' || (n / ${deadEach} % ${causes}) FROM ${numbers}
    WHERE n % ${deadEach} = 0`);
  await execute("INSERT INTO event_key (hash, event) SELECT random() / 65536, id FROM inbox_event ORDER BY 1");
  // The key by which the middle event is found, as storage-knex hashes it.
  const middle = Math.ceil(events / 2);
  const digest = hash("sha256", `stripe evt_${middle}`).slice(0, 12);
  await execute(`INSERT INTO event_key (hash, event) VALUES (${Number.parseInt(digest, 16) - 2 ** 47}, ${middle})`);
  await execute(`UPDATE id_block SET next = ${events + 1} WHERE name IN ('event', 'job')`);
  await execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  await new Promise((resolve) => database.close(resolve));
};
