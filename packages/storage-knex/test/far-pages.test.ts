import { type EventFilter, type EventQuery, type JobQuery, jobStates } from "@postern/core/ports";
import { newEvent } from "@postern/core/testing";
import type { Knex } from "knex";
import { expect, test } from "vitest";
import { mysqlDialect } from "../src/mysql/dialect.ts";
import { pageOfEvents } from "../src/stores/event-lists.ts";
import { nextEventsOf } from "../src/stores/events-of-jobs.ts";
import { pageOfJobs } from "../src/stores/knex-job-records.ts";
import { compilingDialect, mariadb, onMariadb, openStorage, sqlite, withKnex } from "./databases.ts";

const total = 1_500;
const limit = 26;

/** They differ only behind as many characters as an index of MySQL can have. */
const typesOfTwo = [`${"é".repeat(100)}.one`, `${"é".repeat(100)}.two`] as const;

/** Counts the rows and the entries of indexes that a connection has looked at. */
const handled = async (db: Knex): Promise<number> => {
  const [rows] = await db.raw("SHOW SESSION STATUS LIKE 'Handler_read%'");
  return rows.reduce((sum: number, { Value }: { Value: string }) => sum + Number(Value), 0);
};

onMariadb("a page", () => {
  test("of events reads its own rows alone, however many lie in front of it", { timeout: 60_000 }, async () => {
    const opened = await mariadb.fresh();
    const ids: number[] = [];
    for (let from = 0; from < total; from += 100) {
      const events = Array.from({ length: 100 }, (_, at) =>
        // The rows of a disposition lie side by side, so that the page's own are all that is read.
        newEvent(`evt_${from + at}`, {
          disposition: from < total / 2 ? "quarantined" : "accepted",
          type: typesOfTwo[at % 2 === 0 ? 0 : 1],
        }),
      );
      for (const { id } of await opened.storage.events.accept(events)) ids.push(id);
    }
    const at = (place: number): number => ids[Math.floor(place * total)] ?? 0;
    const read: Record<string, number> = {};
    await withKnex(mariadb.urlOf(opened), async (db) => {
      await db.raw("ANALYZE TABLE inbox_event");
      const filters: readonly EventFilter[] = [
        { provider: "stripe" },
        { state: "quarantined" },
        { type: typesOfTwo[0] },
        { type: typesOfTwo[1], provider: "stripe" },
      ];
      for (const filter of filters) {
        for (const place of [{}, { before: at(0.4) }, { before: at(0.1) }, { after: at(0.1) }, { after: 0 }]) {
          const query: EventQuery = { ...filter, ...place, limit };
          const { sql, bindings } = pageOfEvents({ dialect: mysqlDialect }, query).select("id").toSQL().toNative();
          const before = await handled(db);
          const [rows] = await db.raw(sql, bindings);
          read[JSON.stringify(query)] = (await handled(db)) - before;
          const found: readonly number[] = rows.map(({ id }: { id: number }) => id);
          const listed = await opened.storage.events.list(query);
          expect(found).toEqual(listed.map(({ id }) => id));
          expect(found.length).toBe(limit);
        }
      }
    });
    const far = Object.entries(read).filter(([, count]) => count > 2 * limit);
    expect(far).toEqual([]);
  });

  test("of jobs in a state reads its own rows alone, behind a backlog as well", { timeout: 60_000 }, async () => {
    const opened = await mariadb.fresh();
    for (let from = 0; from < total; from += 100) {
      await opened.storage.events.accept(Array.from({ length: 100 }, (_, at) => newEvent(`evt_${from + at}`)));
    }
    const read: Record<string, number> = {};
    await withKnex(mariadb.urlOf(opened), async (db) => {
      const ids: readonly number[] = (await db("job").select("id").orderBy("id")).map(({ id }: { id: number }) => id);
      const third = ids.slice(0, total / 3);
      await db("job").whereIn("id", third).update({ state: jobStates.dead, attempt: 1, finished_at: 1 });
      await db.raw("ANALYZE TABLE job");
      for (const state of ["dead", "ready"] as const) {
        for (const place of [{}, { before: ids[200] ?? 0 }, { after: ids[900] ?? 0 }, { after: 0 }]) {
          const query: JobQuery = { state, ...place, limit };
          const page = pageOfJobs({ dialect: mysqlDialect }, query)?.select("id").toSQL().toNative();
          const before = await handled(db);
          const [rows] = await db.raw(page?.sql ?? "", page?.bindings ?? []);
          read[JSON.stringify(query)] = (await handled(db)) - before;
          const own = ids.filter((id) => third.includes(id) === (state === "dead"));
          const { before: end = Number.POSITIVE_INFINITY, after } = query;
          const expected =
            after === undefined ? own.filter((id) => id < end).toReversed() : own.filter((id) => id > after);
          expect(rows.map(({ id }: { id: number }) => id)).toEqual(expected.slice(0, limit));
          expect((await opened.storage.jobRecords.list(query)).map(({ id }) => id)).toEqual(expected.slice(0, limit));
        }
      }
    });
    expect(Object.entries(read).filter(([, count]) => count > 2 * limit)).toEqual([]);
  });
});

const withoutUpkeep = { kinds: { notIn: ["postern.prune", "postern.checkpoint"] } };

onMariadb("a page of jobs without some kinds", () => {
  test("reads its own rows, and those that it leaves out between them", { timeout: 60_000 }, async () => {
    const opened = await mariadb.fresh();
    await withKnex(mariadb.urlOf(opened), async (db) => {
      await db.raw(
        `INSERT INTO job (id, queue, kind, priority, state, attempt, max_attempts, losses, suspect, created_at)
         SELECT seq, 'default', ELT(1 + seq % 3, 'mail', 'postern.prune', 'postern.checkpoint'), 0,
                ${jobStates.ready}, 0, 12, 0, 0, 1 FROM seq_1_to_${10 * total}`,
      );
      await db.raw("ANALYZE TABLE job");
      for (const state of [{}, { state: "ready" }] as const) {
        for (const place of [{}, { before: 2 * total }, { after: 7 * total }]) {
          const query: JobQuery = { ...withoutUpkeep, ...state, ...place, limit };
          const page = pageOfJobs({ dialect: mysqlDialect }, query)?.select("kind").toSQL().toNative();
          const before = await handled(db);
          const [rows] = await db.raw(page?.sql ?? "", page?.bindings ?? []);
          const read = (await handled(db)) - before;
          expect(rows.map(({ kind }: { kind: string }) => kind)).toEqual(Array.from({ length: limit }, () => "mail"));
          expect(read, JSON.stringify(query)).toBeLessThanOrEqual(3 * limit + 2);
        }
      }
    });
  });
});

onMariadb("the events of many jobs", () => {
  test("are found in an index alone", async () => {
    const opened = await mariadb.fresh();
    await withKnex(mariadb.urlOf(opened), async (db) => {
      await db.raw(
        `INSERT INTO job (id, event_ref, queue, kind, priority, state, attempt, max_attempts, losses, suspect, created_at)
         SELECT seq, seq, 'default', 'log', 0, IF(seq <= ${total}, ${jobStates.dead}, ${jobStates.done}), 1, 12, 0, 0, 1
           FROM seq_1_to_${10 * total}`,
      );
      await db.raw("ANALYZE TABLE job");
      for (const states of [["dead"], ["ready", "scheduled", "blocked"]] as const) {
        for (const place of [{}, { before: 9 * total }, { after: 10 }]) {
          const { sql, bindings } = nextEventsOf({ dialect: mysqlDialect }, states, { ...place, limit: 100 })
            .toSQL()
            .toNative();
          const [[step]] = await db.raw(`EXPLAIN ${sql}`, bindings);
          expect(step.key, JSON.stringify({ states, place })).toBe("with_events");
          expect(step.Extra).toContain("Using index");
        }
      }
    });
  });
});

test("SQLite walks the jobs from their newest for a page without some kinds, and sorts none", async () => {
  const url = sqlite.url();
  const { migrate, close } = openStorage({ url });
  await migrate.latest();
  await close();
  await withKnex(url, async (db) => {
    for (const place of [{}, { before: 5 }, { after: 5 }]) {
      const page = pageOfJobs({ dialect: compilingDialect }, { ...withoutUpkeep, ...place, limit });
      const { sql, bindings } = page?.select("kind").toSQL().toNative() ?? { sql: "", bindings: [] };
      const steps: readonly { readonly detail: string }[] = await db.raw(`EXPLAIN QUERY PLAN ${sql}`, bindings);
      const walk = "before" in place || "after" in place ? "SEARCH job USING INTEGER PRIMARY KEY" : "SCAN job";
      expect(steps.map(({ detail }) => detail)).toEqual([expect.stringContaining(walk)]);
    }
  });
});

test("SQLite reads the dead and the cancelled jobs from their own indexes, in order", async () => {
  const url = sqlite.url();
  const { migrate, close } = openStorage({ url });
  await migrate.latest();
  await close();
  await withKnex(url, async (db) => {
    for (const state of ["dead", "cancelled"] as const) {
      for (const place of [{}, { before: 5 }, { after: 5 }]) {
        const page = pageOfJobs({ dialect: compilingDialect }, { state, ...place, limit });
        const { sql, bindings } = page?.select("kind").toSQL().toNative() ?? { sql: "", bindings: [] };
        const steps: readonly { readonly detail: string }[] = await db.raw(`EXPLAIN QUERY PLAN ${sql}`, bindings);
        const details = steps.map(({ detail }) => detail).join();
        expect(details).toContain(`INDEX job_${state}`);
        expect(details).not.toContain("TEMP B-TREE");
      }
    }
  });
});
