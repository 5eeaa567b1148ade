import { expect, test, vi } from "vitest";
import { parseDatabaseUrl } from "../src/engine/database-url.ts";
import { createPostgresDialect } from "../src/postgres/dialect.ts";
import { type PostgresAddress, postgresPool } from "../src/postgres/pool.ts";
import { readyFloors } from "../src/postgres/ready-floors.ts";
import { createLineage } from "../src/server/lineage.ts";
import { openServer } from "../src/server/server-database.ts";
import { claimReady } from "../src/stores/claim-jobs.ts";
import { onPostgres, openStorage, postgres, postgresConnection } from "./databases.ts";

/** Entries that nobody may clear, enough for a search that is slow on any machine. */
const dead = 100_000;
const ready = { queue: "default", kinds: undefined, suspects: false, priority: undefined };

onPostgres("the index of ready jobs", () => {
  test("is not searched from its beginning by each claim while a transaction keeps its old entries, and nothing is left lying", async () => {
    const url = await postgres.prepared();
    const { storage } = openStorage({ url });
    const client = await postgresConnection(url);
    const [holder, late] = [await postgresConnection(url), await postgresConnection(url)];
    await client.query("ALTER TABLE job SET (autovacuum_enabled = off)");
    await holder.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT COUNT(*) FROM job");
    await client.query(
      `INSERT INTO job (id, queue, kind, priority, state, attempt, max_attempts, losses, suspect, ready_order, created_at)
         SELECT 1000000 + n, 'default', 'old', CASE WHEN n % 3 = 0 THEN 5 ELSE 0 END, 0, 0, 1, 0, 0, n, 0
           FROM generate_series(1, ${dead}) AS n`,
    );
    await client.query("UPDATE job SET state = 4 WHERE state = 0");
    await client.query("ANALYZE job");

    let nowMs = 0;
    const settings = { requireFlush: false, readLimitMs: 2_000 };
    const lineage = createLineage();
    const dialect = createPostgresDialect(readyFloors(() => nowMs));
    const pool = postgresPool(parseDatabaseUrl(url) as PostgresAddress, 2, settings, lineage);
    const database = openServer({ ...pool, dialect }, { ...settings, guardNesting: true, lineage });
    const claim = async (limit = 10): Promise<readonly string[]> => {
      const wanted = { ...ready, limit, runnerId: 1, now: 1, globalLimit: undefined, endsIdle: false };
      const { rows } = await claimReady(database, wanted);
      return rows.map(({ kind }) => kind);
    };
    /** How many entries of the index the given work has passed over. */
    const passed = async (work: () => Promise<unknown>): Promise<number> => {
      const entries = async (): Promise<number> => {
        const flush = "SELECT 1 AS flushed FROM pg_stat_force_next_flush()";
        await database.read((session) => session.rows(flush));
        await database.write((session) => session.rows(flush));
        const { rows } = await client.query(
          "SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = 'job_ready'",
        );
        return Number(rows[0].idx_tup_read);
      };
      const before = await entries();
      await work();
      return (await entries()) - before;
    };
    const enqueue = (kind: string, priority = 0) => storage.jobs.enqueue([{ kind, maxAttempts: 1, priority }], 1);

    // The first search finds out that it is slow, in both priorities.
    await enqueue("first");
    await enqueue("second", 5);
    expect(await passed(async () => expect(await claim()).toEqual(["first", "second"]))).toBeGreaterThan(dead / 2);

    // Now a claim begins where the last one ended, in each priority.
    await enqueue("low", 5);
    await enqueue("usual");
    expect(await passed(async () => expect(await claim()).toEqual(["usual", "low"]))).toBeLessThan(100);
    expect(await passed(async () => expect(await claim()).toEqual([]))).toBeLessThan(100);

    // It goes on with the jobs that it takes. Here they come later than this clock says.
    const later = (first: number, count: number): Promise<unknown> =>
      client.query(
        `INSERT INTO job (id, queue, kind, priority, state, attempt, max_attempts, losses, suspect, ready_order, created_at)
           SELECT n, 'default', 'later', 0, 0, 0, 1, 0, 0, CAST(EXTRACT(EPOCH FROM now()) * 1000000 AS bigint) + CAST(n AS bigint) * 100000, 0
             FROM generate_series(${first}, ${first + count - 1}) AS n`,
      );
    await later(2_000_000, 300);
    expect(await claim(300)).toHaveLength(300);
    await later(2_002_000, 1);
    expect(await passed(async () => expect(await claim()).toEqual(["later"]))).toBeLessThan(100);

    // What lies before, or has a priority that nobody has seen, waits for the next long search.
    await late.query("BEGIN");
    await late.query(
      `INSERT INTO job (id, queue, kind, priority, state, attempt, max_attempts, losses, suspect, ready_order, created_at)
         VALUES (999999, 'default', 'late', 0, 0, 0, 1, 0, 0, 1000000, 0)`,
    );
    await enqueue("urgent", -1);
    await late.query("COMMIT");
    expect(await claim()).toEqual([]);
    nowMs += 60_000;
    const found: string[] = [];
    await vi.waitFor(async () => {
      found.push(...(await claim()));
      expect(found).toEqual(["urgent", "late"]);
    });

    // Without the transaction, the entries are cleared, and claims see everything at once again.
    await holder.query("COMMIT");
    await client.query("VACUUM job");
    nowMs += 60_000;
    await claim();
    await vi.waitFor(() => expect(dialect.readyFloors?.(ready)).toBeUndefined());
    await enqueue("most urgent", -2);
    expect(await claim()).toEqual(["most urgent"]);
    await Promise.all([client.end(), holder.end(), late.end(), database.close()]);
  });
});
