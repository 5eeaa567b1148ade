import { type EventState, type JobState, jobStates } from "@postern/core/ports";
import { newEvent } from "@postern/core/testing";
import { expect, test } from "vitest";
import { stateCondition } from "../src/stores/event-state.ts";
import { compilingDialect, onEachDatabase, openStorage, postgres, sqlite, withKnex } from "./databases.ts";

/** More jobs than a list gathers by their state. */
const waiting = 2_100;
const before = 300;
const behind = 2_200;

onEachDatabase("lists of a state with many jobs", (databases) => {
  test("have the right rows on each page, near and far from the backlog", { timeout: 60_000 }, async () => {
    const opened = await databases.fresh({ durability: "relaxed" });
    const { events, jobRecords } = opened.storage;
    const stateAt = (n: number): JobState => {
      if (n % 700 === 0) return "dead";
      return n < before || n >= before + waiting ? "done" : "ready";
    };
    const total = before + waiting + behind;
    const isRare = (n: number): boolean => n % 450 === 1;
    const all: { id: number; state: JobState; rare: boolean }[] = [];
    for (let from = 0; from < total; from += 100) {
      const some = Array.from({ length: 100 }, (_, index) =>
        newEvent(`evt_${from + index}`, isRare(from + index) ? { type: "rare" } : {}),
      );
      const stored = await events.accept(some);
      for (const [index, { id }] of stored.entries()) {
        all.push({ id, state: stateAt(from + index), rare: isRare(from + index) });
      }
    }
    await withKnex(databases.urlOf(opened), async (db) => {
      for (const state of ["dead", "done"] as const) {
        const ids = all.filter((one) => one.state === state).map(({ id }) => id);
        for (let from = 0; from < ids.length; from += 500) {
          const some = ids.slice(from, from + 500);
          await db("job").whereIn("event_ref", some).update({ state: jobStates[state], attempt: 1 });
        }
      }
      // PostgreSQL does this by itself within a minute. Without statistics it joins thousands of rows row by row.
      if (databases === postgres) await db.raw("ANALYZE");
    });
    const jobs = new Map((await jobRecords.list({ limit: 1000 })).map(({ id, eventId }) => [id, eventId]));
    expect(jobs.size).toBe(1000);
    const named: Partial<Record<JobState, EventState>> = { ready: "received", done: "processed", dead: "dead" };
    const borders: readonly { readonly before?: number; readonly after?: number }[] = [
      {},
      ...[0, 100, 1_500, 2_500, total - 1].flatMap((n) => [{ before: all[n]?.id ?? 0 }, { after: all[n]?.id ?? 0 }]),
    ];
    const checked: string[] = [];
    for (const [state, eventState] of Object.entries(named) as [JobState, EventState][]) {
      const inState = all.filter((one) => one.state === state);
      const own = inState.map(({ id }) => id);
      for (const border of borders) {
        const { before: end = Number.POSITIVE_INFINITY, after } = border;
        for (const more of [{}, { provider: "stripe" }, { type: "rare" }]) {
          const fitting = inState.filter(({ rare }) => rare || !("type" in more)).map(({ id }) => id);
          const ahead =
            after === undefined ? fitting.filter((id) => id < end).toReversed() : fitting.filter((id) => id > after);
          const expected = ahead.slice(0, 26);
          const found = await events.list({ state: eventState, limit: 26, ...border, ...more });
          expect(
            found.map(({ id }) => id),
            `${eventState} ${JSON.stringify(border)}`,
          ).toEqual(expected);
        }
        checked.push(eventState);
      }
      // Jobs have other numbers than their events, in the same order.
      for (const more of [{}, { queue: "default" }]) {
        const found = await jobRecords.list({ state, limit: 26, ...more });
        expect(found.map(({ eventId }) => eventId)).toEqual(own.toReversed().slice(0, 26));
        const oldest = await jobRecords.list({ state, limit: 26, after: 0, ...more });
        expect(oldest.map(({ eventId }) => eventId)).toEqual(own.slice(0, 26));
      }
      expect(await events.count({ state: eventState }, 9_999)).toBe(own.length);
    }
    for (const state of ["running", "scheduled", "blocked", "cancelled"] as const) {
      expect(await jobRecords.list({ state, limit: 26 })).toEqual([]);
    }
    expect(checked).toHaveLength(33);
  });
});

test("SQLite finds the events of a state by the indexes of their jobs' states, and reads no other jobs", async () => {
  const url = sqlite.url();
  const { migrate, close } = openStorage({ url });
  await migrate.latest();
  await close();
  const states: readonly EventState[] = ["processing", "dead", "retrying", "received", "cancelled", "processed"];
  await withKnex(url, async (db) => {
    for (const state of states) {
      for (const from of ["jobs", "events"] as const) {
        const where = stateCondition(compilingDialect, state, from);
        const steps: readonly { readonly detail: string }[] = await db.raw(
          `EXPLAIN QUERY PLAN SELECT id FROM inbox_event WHERE ${where} ORDER BY id DESC LIMIT 26`,
        );
        const details = steps.map(({ detail }) => detail);
        expect(details, `${state} from ${from}`).not.toContain("SCAN job");
        expect(details.join(), `${state} from ${from}`).not.toContain("TEMP B-TREE");
      }
    }
  });
});
