import { createHash } from "node:crypto";
import { memoryTelemetry } from "@postern/core/memory";
import type { AcceptOutcome, NewEvent } from "@postern/core/ports";
import { newEvent } from "@postern/core/testing";
import fc from "fast-check";
import type { Knex } from "knex";
import { expect, test } from "vitest";
import { knexEventStore } from "../src/stores/knex-event-store.ts";
import { fileOf, openKnex, openStorage, sqlite, withKnex } from "./databases.ts";
import { openEvents } from "./sqlite-events.ts";

const isLong = process.env.POSTERN_TEST_LONG === "1";
const limits = { inLog: 12, step: 3 };

const hashOf = (provider: string, key: string): number =>
  createHash("sha256").update(`${provider} ${key}`).digest().readUIntBE(0, 6) - 2 ** 47;

interface KeyRow {
  readonly hash: number;
  readonly event: number;
}

/**
 * Checks the tables, which must be like this after every transaction of any process. Returns how
 * many keys are in each.
 */
const checked = async (db: Knex) => {
  const events: { id: number; provider: string; dedupe_key: string }[] = await db.raw(
    "SELECT id, provider, dedupe_key FROM inbox_event",
  );
  const log: KeyRow[] = await db.raw("SELECT hash, event FROM event_key_log");
  const sorted: KeyRow[] = await db.raw("SELECT hash, event FROM event_key");
  const textOf = ({ hash, event }: KeyRow) => `${hash} ${event}`;
  const noted = new Set([...log, ...sorted].map(textOf));
  const wanted = events.map(({ id, provider, dedupe_key: key }) => `${hashOf(provider, key)} ${id}`);
  expect(wanted.filter((each) => !noted.has(each))).toEqual([]);
  // The key of an event that no longer exists goes with its row of the log.
  const logged = new Set(log.map(textOf));
  expect(sorted.map(textOf).filter((each) => !wanted.includes(each) && !logged.has(each))).toEqual([]);
  const gone = sorted.filter((each) => !wanted.includes(textOf(each))).length;
  expect(new Set(events.map(({ provider, dedupe_key: key }) => `${provider} ${key}`)).size).toBe(events.length);
  return { log: log.length, sorted: sorted.length, gone };
};

const checkTables = (url: string) => withKnex(url, checked);

const eventOf = (n: number, receivedAt: number): NewEvent =>
  newEvent(`evt_${n}`, {
    disposition: "ignored",
    reason: "x",
    jobs: [],
    receivedAt,
    provider: n % 2 ? "stripe" : "github",
  });

class Undone extends Error {}

/** Which step, by which process, and two numbers for its arguments. */
const step = fc.tuple(fc.nat(9), fc.nat(1), fc.nat(60), fc.nat(8));

/** A long walk that is the same each time. It meets everything that `seen` counts. */
const [sameWalk = []] = fc.sample(fc.array(step, { minLength: 120, maxLength: 120 }), { numRuns: 1, seed: 2 });

test("an event is accepted once, whatever two processes do and wherever they are killed", async () => {
  const seen = { merged: 0, cleared: 0, gone: 0, repeats: 0, again: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 120, size: "max" }), async (steps) => {
      const url = await sqlite.prepared();
      const watching = openKnex(url);
      const held = new Map<number, { readonly id: number; readonly receivedAt: number }>();
      const everUsed = new Set<number>();
      const open = () => openEvents(fileOf(url), limits);
      const processes = [open(), open()] as [ReturnType<typeof open>, ReturnType<typeof open>];
      let now = 1000;
      let mostSorted = 0;
      const take = async (
        numbers: readonly number[],
        accept: (events: NewEvent[]) => Promise<readonly AcceptOutcome[]>,
      ) => {
        now += 1;
        const given = numbers.map((n) => eventOf(n, now));
        const answers = await accept(given);
        for (const [at, n] of numbers.entries()) {
          const answer = answers[at];
          const holder = held.get(n);
          expect(answer).toMatchObject(
            holder === undefined ? { outcome: "accepted" } : { outcome: "duplicate", id: holder.id },
          );
          if (holder !== undefined) seen.repeats += 1;
          else if (everUsed.has(n)) seen.again += 1;
          if (holder === undefined) held.set(n, { id: answer?.id ?? 0, receivedAt: now });
          everUsed.add(n);
        }
      };
      try {
        for (const [operation, which, start, length] of steps) {
          const { events, database, housekeeping } = processes[which === 0 ? 0 : 1];
          const numbers = Array.from({ length: 1 + length }, (_, n) => (start + n * (1 + (length % 3))) % 90);
          const inside = <Result>(work: (accept: typeof events.accept) => Promise<Result>) =>
            database.transaction((own) => work(knexEventStore(own).accept));
          if (operation < 5) await take(numbers, (given) => events.accept(given));
          else if (operation === 5) await take(numbers, (given) => inside((accept) => accept(given)));
          else if (operation === 6) {
            // One transaction is rolled back; two others are kept.
            const undone = inside(async (accept) => {
              await accept(numbers.map((n) => eventOf(n + 1, now)));
              // It sees what the first one has written, which nobody else will ever see.
              await accept(numbers.map((n) => eventOf(n + 2, now)));
              throw new Undone();
            });
            const stands = take(numbers, (given) => events.accept(given));
            const alone = inside(async (accept) => {
              await accept([eventOf(95, now)]);
              throw new Undone();
            });
            await Promise.all([expect(undone).rejects.toThrow(Undone), stands, expect(alone).rejects.toThrow(Undone)]);
          } else if (operation === 7) {
            // After the kill, only what was committed is left.
            await processes[which === 0 ? 0 : 1].close();
            processes[which === 0 ? 0 : 1] = open();
          } else if (operation === 8) {
            const before = now + 1 - start;
            await housekeeping.prune("events", before, 5 + length);
            const left = await events.list({ limit: 1000 });
            const ids = new Set(left.map(({ id }) => id));
            for (const [n, { id, receivedAt }] of held) {
              if (ids.has(id)) continue;
              expect(receivedAt).toBeLessThan(before);
              held.delete(n);
            }
          } else {
            // Both processes at once, with the same events.
            now += 1;
            const given = numbers.map((n) => eventOf(n, now));
            const answers = (await Promise.all(processes.map((each) => each.events.accept(given)))) as [
              readonly AcceptOutcome[],
              readonly AcceptOutcome[],
            ];
            for (const [at, n] of numbers.entries()) {
              const [one, other] = [answers[0][at], answers[1][at]];
              const accepted = [one, other].filter((each) => each?.outcome === "accepted");
              expect(accepted.length).toBe(held.has(n) ? 0 : 1);
              expect(one?.id).toBe(other?.id);
              if (!held.has(n)) held.set(n, { id: one?.id ?? 0, receivedAt: now });
              everUsed.add(n);
            }
          }
          const { log, sorted, gone } = await checked(watching);
          if (gone > 0) seen.gone += 1;
          if (sorted > 0 && log > 0) seen.merged += 1;
          if (sorted > mostSorted && log < sorted) seen.cleared += 1;
          mostSorted = Math.max(mostSorted, sorted);
        }
        const rows = await processes[0].events.list({ limit: 1000 });
        expect(rows.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(
          [...held.values()].map(({ id }) => id).toSorted((a, b) => a - b),
        );
      } finally {
        await Promise.all([watching.destroy(), ...processes.map(({ close }) => close())]);
      }
    }),
    // To shorten a failing walk would take minutes. Its seed repeats it.
    { numRuns: isLong ? 50 : 7, endOnFailure: true, examples: [[sameWalk]] },
  );
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(0);
}, 300_000);

test("a place of the log that a merge has freed is not used again, because another process would not read it", async () => {
  const url = await sqlite.prepared();
  const [one, other] = [openEvents(fileOf(url), limits), openEvents(fileOf(url), limits)];
  expect((await other.events.accept([eventOf(0, 1)]))[0]?.outcome).toBe("accepted");
  let n = 1;
  // Until a merge has deleted all rows of the log but the newest ones.
  for (let log = 1; n < 14 || log >= limits.inLog; n += 1) {
    await one.events.accept([eventOf(n, 1)]);
    ({ log } = await checkTables(url));
  }
  expect((await other.events.accept([eventOf(n, 2)]))[0]?.outcome).toBe("accepted");
  expect((await one.events.accept([eventOf(n, 2)]))[0]?.outcome).toBe("duplicate");
  await Promise.all([one.close(), other.close()]);
});

test("the key of an event that was deleted before it was merged leaves the sorted table", async () => {
  const url = await sqlite.prepared();
  const { events, housekeeping, close } = openEvents(fileOf(url), limits);
  const take = async (from: number, to: number) => {
    for (let n = from; n < to; n += 1) await events.accept([eventOf(n, n)]);
  };
  await take(1, 10);
  expect(await housekeeping.prune("events", 9, 100)).toBe(8);
  expect(await checkTables(url)).toMatchObject({ log: 9, sorted: 0 });
  await take(20, 25);
  expect((await checkTables(url)).gone).toBeGreaterThan(0);
  await take(25, 40);
  const { sorted, gone } = await checkTables(url);
  expect(gone).toBe(0);
  expect(sorted).toBeGreaterThan(0);
  await close();
});

test("a process that copies keys after another one has merged them copies none of a deleted event", async () => {
  const url = await sqlite.prepared();
  const [one, other] = [openEvents(fileOf(url), limits), openEvents(fileOf(url), limits)];
  const takeBy = async ({ events }: typeof one, from: number, to: number) => {
    for (let n = from; n < to; n += 1) await events.accept([eventOf(n, n)]);
  };
  // Both have a full set, of which `other` copies the first keys.
  await takeBy(one, 1, 14);
  await takeBy(other, 14, 15);
  // `one` copies the rest and deletes the rows of the log. Then retention deletes the events.
  await takeBy(one, 15, 24);
  expect((await checkTables(url)).log).toBeLessThan(limits.inLog);
  expect(await one.housekeeping.prune("events", 13, 100)).toBe(12);
  await takeBy(other, 24, 60);
  expect((await checkTables(url)).gone).toBe(0);
  await Promise.all([one.close(), other.close()]);
});

test("reports the size of the log and the duration of merges", async () => {
  const url = sqlite.url();
  const { migrate, close } = openStorage({ url });
  await migrate.latest();
  await close();
  const telemetry = memoryTelemetry();
  const { events, close: end } = openEvents(fileOf(url), limits, telemetry);
  const merges = () => telemetry.observed("event_key_merge_ms");
  let merged = 0;
  for (let n = 0; n < 60; n += 1) {
    await events.accept([eventOf(n, n)]);
    const { log } = await checkTables(url);
    // Keys that were merged but not deleted yet are still in memory.
    expect(telemetry.gauged("event_key_log_keys")).toBeGreaterThanOrEqual(log);
    expect(telemetry.gauged("event_key_log_keys")).toBeLessThanOrEqual(log + limits.inLog);
    if (merges().length > merged) {
      merged = merges().length;
      expect(telemetry.gauged("event_key_log_keys")).toBe(log);
      expect(telemetry.gauged("event_key_log_memory_bytes")).toBe(12 * 1024);
    }
  }
  expect(merged).toBeGreaterThan(1);
  for (const ms of merges()) expect(ms).toBeGreaterThan(0);
  await end();
});

test("several processes share the work of a merge, and none of them falls behind", async () => {
  const url = await sqlite.prepared();
  const telemetries = Array.from({ length: 4 }, () => memoryTelemetry());
  const processes = telemetries.map((telemetry) => openEvents(fileOf(url), { inLog: 1000, step: 1 }, telemetry));
  let most = 0;
  for (let n = 0; n < 8000; n += 5) {
    const { events } = processes[(n / 5) % 4] as ReturnType<typeof openEvents>;
    await events.accept(Array.from({ length: 5 }, (_, k) => eventOf(n + k, n)));
    most = Math.max(most, ...telemetries.map((each) => each.gauged("event_key_log_keys") ?? 0));
  }
  for (const telemetry of telemetries) expect(telemetry.observed("event_key_merge_ms").length).toBeGreaterThan(4);
  expect(most).toBeLessThan(2500);
  expect(await checkTables(url)).toMatchObject({ gone: 0 });
  await Promise.all(processes.map(({ close }) => close()));
}, 60_000);
