import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterCommit, beforeWrite, createApp, type Hook, hooksFor, user } from "@postern/app";
import { Refused } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import { idNumber, userRow } from "@postern/core/testing";
import mysql from "mysql2";
import pg from "pg";
import { expect, test, vi } from "vitest";
import { mariadb, onEachDatabase, onMariadb, onPostgres, postgres, type TestDatabases, withKnex } from "./databases.ts";
import { counted, counter, countingApp, mark } from "./processes/counters.ts";
import { program } from "./program.ts";

const everything = { where: { all: [] } };
const moment = "2026-01-01T00:00:00.000Z";
const times = { created_at: moment, updated_at: moment };
const kills = process.env.POSTERN_TEST_LONG === "1" ? 100 : 10;
/** Whether the process that is killed deletes a counter with many marks. */
const hasLarge = (kill: number): boolean => kill % 5 === 1;
/** More than are deleted in the transaction of a request. */
const manyMarks = 510;

interface Told {
  readonly resource: string;
  readonly rowId: string;
  readonly kind: string;
  readonly row: { readonly n: number; readonly revision: number } | null;
}

onEachDatabase("hooks after a commit, of a process that is killed while it writes in every way", (databases) => {
  test(`hear once of each committed write, never of one that was rolled back, in order, through ${kills} kills`, async () => {
    const opened = await databases.fresh({ resources: counted, parts: ["users"], durability: "relaxed" });
    await opened.migrate.latest();
    const url = databases.urlOf(opened);
    await withKnex(url, (db) =>
      db.schema.createTable("handled", (table) => {
        table.increments("place");
        table.string("row_id", 36);
        table.integer("revision");
      }),
    );
    const { storage } = opened;
    await storage.resources.insert(user, userRow(1));
    const { app } = countingApp(opened, 1_000);
    const userId = idNumber(1);
    const live = await app.transaction(async ({ rows }) =>
      Promise.all([1, 2, 3].map(async () => String((await rows.counters?.create({ user_id: userId, n: 1 }))?.id))),
    );
    for (let kill = 1; kill <= kills; kill += 1) {
      const large = hasLarge(kill) ? idNumber(100 + kill) : "";
      if (large !== "")
        await storage.transaction(async ({ resources }) => {
          await resources.insert(counter, { id: large, user_id: userId, n: 1, stamp: 0, ...times });
          for (let n = 0; n < manyMarks; n += 1) {
            const id = idNumber(10_000 + kill * 1_000 + n);
            await resources.insert(mark, { id, user_id: userId, counter_id: large, label: "x", ...times });
          }
        });
      const child = spawn(
        process.execPath,
        [program("write-counters"), url, String(kill), userId, large, live.join()],
        {
          stdio: ["ignore", "pipe", "inherit"],
        },
      );
      await once(child.stdout, "data");
      await new Promise((resolve) => setTimeout(resolve, (kill * 37) % 120));
      child.kill("SIGKILL");
      await once(child, "exit");
    }

    // Another process ends what the killed ones have left.
    const worker = app.worker({ name: "last", concurrency: 20 });
    await worker.start();
    for (const { id } of await storage.runners.live()) {
      if (!(await opened.liveness.isHeld(id))) {
        await storage.runners.recover(id, {
          now: Date.now(),
          maxLosses: 1_000,
          suspectLosses: 1_000,
          delayMs: () => 0,
        });
      }
    }
    const isIdle = async (): Promise<boolean> => {
      await storage.jobs.promoteDue(Date.now());
      await worker.runDue();
      const { ready, running, scheduled, blocked } = await storage.jobRecords.countByState();
      return worker.running + ready + running + scheduled + blocked === 0;
    };
    await expect.poll(isIdle, { timeout: 60_000, interval: 5 }).toBe(true);
    await worker.stop(0);

    const payloads = await withKnex(url, (db) => db("job").whereIn("kind", ["told", "mark-told"]).select("payload"));
    const changes = payloads.flatMap(({ payload }: { payload: unknown }): Told[] => {
      const text =
        typeof payload === "string"
          ? payload
          : payload instanceof Uint8Array
            ? Buffer.from(payload).toString()
            : JSON.stringify(payload);
      return JSON.parse(text)?.change ?? [];
    });
    expect(changes.filter(({ row }) => row?.n === -1)).toEqual([]);
    const handled: { row_id: string; revision: number }[] = await withKnex(url, (db) => db("handled").orderBy("place"));
    for (const id of live) {
      const row = await storage.resources.find(counter, id, everything);
      const revisions = Array.from({ length: Number(row?.revision) }, (_, n) => n + 1);
      expect(Number(row?.revision)).toBeGreaterThan(kills * 3);
      const told = changes.filter(({ rowId }) => rowId === id).map((change) => change.row?.revision ?? 0);
      expect(told.toSorted((a, b) => a - b)).toEqual(revisions);
      expect(handled.filter(({ row_id }) => row_id === id).map(({ revision }) => revision)).toEqual(revisions);
    }
    // Each mark is gone or there, and each that is gone was told of once.
    const gone = changes
      .filter(({ resource, kind }) => resource === "mark" && kind === "delete")
      .map(({ rowId }) => rowId);
    expect(new Set(gone).size).toBe(gone.length);
    for (let kill = 1; kill <= kills; kill += 1) {
      if (!hasLarge(kill)) continue;
      const isThere = (await storage.resources.find(counter, idNumber(100 + kill), everything)) !== undefined;
      const marks = gone.filter((id) => id >= idNumber(10_000 + kill * 1_000) && id < idNumber(11_000 + kill * 1_000));
      expect([isThere, marks.length]).toEqual(isThere ? [true, 0] : [false, manyMarks]);
    }
    expect(changes.filter(({ kind, resource }) => kind === "delete" && resource === "counter").length).toBeGreaterThan(
      kills,
    );
  }, 600_000);
});

onEachDatabase("a hook before a write that holds the row by which it counts", (databases) => {
  test("lets one of eight writes at once take the last place", async () => {
    const { storage, migrate } = await databases.fresh({ resources: counted, parts: ["users"], durability: "relaxed" });
    await migrate.latest();
    await storage.resources.insert(user, userRow(1));
    const { beforeWrite: before } = hooksFor(counted);
    const oneMark = before(mark, async ({ row, rows }) => {
      if (row === null) return;
      const { id } = await rows.counters.get(row.counter_id, { hold: true });
      if ((await rows.marks.list({ counter_id: id })).length > 0) throw new Refused("full", "There is one.");
      // Long enough for another connection to come between.
      await new Promise((resolve) => setTimeout(resolve, 40));
    });
    const ports = { ...memoryPorts(), storage };
    const app = createApp({ ports, parts: ["users"], resources: counted, hooks: [oneMark] });
    const user_id = idNumber(1);
    const made = await app.transaction(async ({ rows }) => rows.counters?.create({ user_id, n: 1 }));
    const write = (label: string) =>
      app.transaction(async ({ rows }) => rows.marks?.create({ user_id, counter_id: String(made?.id), label }));
    const ends = await Promise.allSettled(["a", "b", "c", "d", "e", "f", "g", "h"].map(write));
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const end of ends) if (end.status === "rejected") expect(end.reason).toBeInstanceOf(Refused);
  });
});

/** How often code of the drivers sends a statement, begin and commit included. */
const counting = () => {
  const spies = [
    vi.spyOn(pg.Client.prototype, "query"),
    vi.spyOn(mysql.Connection.prototype, "query"),
    vi.spyOn(mysql.Connection.prototype, "execute"),
  ];
  return {
    sent: () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0),
    end: () => spies.map((spy) => spy.mockRestore()),
  };
};

/** How many statements the same write takes with these hooks. */
const statementsOf = async (databases: TestDatabases, hooks: readonly Hook[]): Promise<number> => {
  const { storage, migrate } = await databases.fresh({ resources: counted, parts: ["users"], durability: "relaxed" });
  await migrate.latest();
  await storage.resources.insert(user, userRow(1));
  const app = createApp({ ports: { ...memoryPorts(), storage }, parts: ["users"], resources: counted, hooks });
  const id = await app.transaction(async ({ rows }) =>
    String((await rows.counters?.create({ user_id: idNumber(1), n: 1 }))?.id),
  );
  const principal = { kind: "operator", name: "test" } as const;
  const change = (n: number) => app.run({ operation: "counters.update", principal, params: { id }, body: { n } });
  // The second one prepares no statement, and reserves no numbers.
  await change(2);
  const { sent, end } = counting();
  await change(3);
  const statements = sent();
  end();
  return statements;
};

const heard = (order?: "row") =>
  afterCommit(counter, "heard", async () => undefined, order === undefined ? {} : { order });

for (const [on, databases, ordered] of [
  [onMariadb, mariadb, 3],
  [onPostgres, postgres, 2],
] as const) {
  on("a write", () => {
    test(`takes one statement more with a hook, ${ordered} with an order, and none for hooks of other resources`, async () => {
      const without = await statementsOf(databases, []);
      expect(without).toBeGreaterThan(3);
      expect((await statementsOf(databases, [heard()])) - without).toBe(1);
      expect((await statementsOf(databases, [heard("row")])) - without).toBe(ordered);
      expect((await statementsOf(databases, [beforeWrite(counter, () => ({ stamp: 1 }))])) - without).toBe(0);
      const another = afterCommit(mark, "other", async () => undefined);
      expect((await statementsOf(databases, [another])) - without).toBe(0);
    });
  });
}
