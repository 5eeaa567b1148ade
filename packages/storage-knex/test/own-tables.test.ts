import { type App, createApp, user } from "@postern/app";
import type { Ports } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import { newEvent } from "@postern/core/testing";
import { on } from "@postern/inbox";
import { defineJob, newJob } from "@postern/jobs";
import type { Knex } from "knex";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KnexStorage } from "../src/index.ts";
import { onEachDatabase, openStorage, withKnex } from "./databases.ts";

const all = { where: { all: [] }, reason: "test" };
const remind = defineJob<{ order: number }>("remind", async () => undefined);
/** Ids that no two tests on one database share. */
const { ids } = memoryPorts();
const person = (name: string) => ({ name, email: `${name}@example.com`, password: "hash" });

interface Scene {
  readonly app: App;
  readonly ports: Ports;
  /** How often workers were told of new work. */
  told(): number;
  jobs(): Promise<number>;
  users(): Promise<number>;
}

const sceneOn = (storage: Pick<Ports, "storage">, options: Partial<Parameters<typeof createApp>[0]> = {}): Scene => {
  const ports: Ports = { ...memoryPorts(), ids, ...storage };
  const app = createApp({ ports, jobs: [remind], ...options });
  let told = 0;
  ports.wakeup.subscribe(() => {
    told += 1;
  });
  return {
    app,
    ports,
    told: () => told,
    jobs: async () => (await ports.storage.jobRecords.list({ limit: 1_000 })).length,
    users: () => ports.storage.resources.count(user, { scope: all }, 1_000),
  };
};

/** What holds wherever Postern stores. */
const describeTransactions = (scene: (options?: Partial<Parameters<typeof createApp>[0]>) => Scene): void => {
  test("keeps rows and jobs together, and tells workers after the commit", async () => {
    const { app, told, jobs, users } = scene();
    const before = { jobs: await jobs(), users: await users() };
    const answer = await app.transaction(async ({ rows, enqueue }) => {
      await rows.users?.create(person("ann"));
      await enqueue(newJob(remind, { order: 1 }), newJob(remind, { order: 2 }));
      expect(told()).toBe(0);
      return "kept";
    });
    expect(answer).toBe("kept");
    expect(told()).toBe(1);
    expect({ jobs: await jobs(), users: await users() }).toEqual({ jobs: before.jobs + 2, users: before.users + 1 });
  });

  test("keeps neither if it throws after it has enqueued", async () => {
    const { app, told, jobs, users } = scene();
    const before = { jobs: await jobs(), users: await users() };
    const failing = app.transaction(async ({ rows, enqueue }) => {
      await rows.users?.create(person("bob"));
      await enqueue(newJob(remind, { order: 1 }));
      throw new Error("the card was refused");
    });
    await expect(failing).rejects.toThrow("the card was refused");
    expect(told()).toBe(0);
    expect({ jobs: await jobs(), users: await users() }).toEqual(before);
  });

  test("takes the jobs that are taken outside, and refuses the others with the same words", async () => {
    const { app, jobs } = scene();
    const before = await jobs();
    const stray = { kind: "remnd", maxAttempts: 1 };
    const words = 'there is no handler named "remnd"; did you mean "remind"?';
    await expect(app.enqueue(stray)).rejects.toThrow(words);
    await expect(app.transaction(({ enqueue }) => enqueue(newJob(remind, { order: 1 }), stray))).rejects.toThrow(words);
    await expect(
      app.transaction(({ rows }) => rows.users?.create({ name: "x" }) ?? Promise.reject()),
    ).rejects.toThrow();
    expect(await jobs()).toBe(before);
  });

  test("stores a job with a taken unique key once, inside and outside", async () => {
    const { app, jobs } = scene();
    const before = await jobs();
    const once = newJob(remind, { order: 3 }, { unique: { key: "remind 3" } });
    const [first] = await app.transaction(({ enqueue }) => enqueue(once));
    expect(await app.transaction(({ enqueue }) => enqueue(once))).toEqual([first]);
    expect(await app.enqueue(once)).toEqual([first]);
    expect(await jobs()).toBe(before + 1);
  });

  test("refuses a commit inside a commit, in a job and by hand", async () => {
    const words =
      "commit was called inside a transaction, and would not be part of it: use the `tx` that your work is given";
    const refusals: unknown[] = [];
    const paid = on("stripe", "invoice.*", async (_event, { commit }) => {
      await commit(async ({ users }) => {
        await users?.create(person(`dora${refusals.length}`));
        await commit(async () => undefined).catch((thrown: unknown) => refusals.push(thrown));
      });
    });
    const { app, ports, users } = scene({ handlers: [paid] });
    const before = await users();
    const [event] = await ports.storage.events.accept([
      newEvent("evt_nested", { jobs: [{ kind: "stripe:invoice.*", maxAttempts: 1 }] }),
    ]);
    await app.runByHand("stripe:invoice.*", { eventId: Number(event?.id), keep: true });
    const worker = app.worker({ name: "nested", concurrency: 10 });
    await worker.start();
    await worker.runDue();
    await expect.poll(() => refusals.length).toBe(2);
    await worker.stop(1_000);
    expect(refusals.map(String)).toEqual([`TypeError: ${words}`, `TypeError: ${words}`]);
    expect(await users()).toBe(before + 2);
  });

  test("enqueues in the commit of a handler, and not if that throws", async () => {
    let fails = true;
    const paid = on("stripe", "invoice.*", async (_event, { commit }) => {
      await commit(async ({ users }, tx) => {
        await users?.create(person("carl"));
        await tx.enqueue(newJob(remind, { order: 4 }));
        expect(tx.jobs).toBeDefined();
        if (fails) throw new Error("not yet");
      });
    });
    const { app, ports, jobs, users } = scene({ handlers: [paid] });
    const job = { kind: "stripe:invoice.*", maxAttempts: 3 };
    const [event] = await ports.storage.events.accept([newEvent("evt_paid", { jobs: [job] })]);
    const before = { jobs: await jobs(), users: await users() };
    const run = { eventId: Number(event?.id), keep: true };
    expect(await app.runByHand("stripe:invoice.*", run)).toMatchObject({ error: "Error: not yet", kept: false });
    expect({ jobs: await jobs(), users: await users() }).toEqual(before);
    fails = false;
    expect(await app.runByHand("stripe:invoice.*", run)).toMatchObject({ kept: true });
    expect({ jobs: await jobs(), users: await users() }).toEqual({ jobs: before.jobs + 1, users: before.users + 1 });
  });
};

describe("a transaction in memory", () => {
  describeTransactions((options) => sceneOn({ storage: memoryPorts().storage }, options));

  test("has no tables of your own", async () => {
    const { app } = sceneOn({ storage: memoryPorts().storage });
    await expect(app.transaction(async ({ knex }) => knex("orders"))).rejects.toThrow(
      'memory has no tables of your own, so there is no "knex"; use a database for them',
    );
  });
});

onEachDatabase("a transaction", (databases) => {
  let opened: KnexStorage;
  let url: string;
  const scene = (options?: Partial<Parameters<typeof createApp>[0]>): Scene => sceneOn(opened, options);
  const orders = (): Promise<readonly { readonly id: number }[]> =>
    withKnex(url, async (db) => db("orders").select("id").orderBy("id"));

  beforeAll(async () => {
    url = await databases.prepared();
    opened = openStorage({ url, guardNesting: false });
    await withKnex(url, (db) =>
      db.schema.createTable("orders", (table) => {
        table.integer("id").primary();
        table.string("state").notNullable();
        table.boolean("is_paid").notNullable().defaultTo(false);
        table.timestamp("at").nullable();
      }),
    );
  });
  afterAll(() => opened.close());

  describeTransactions(scene);

  test("writes your own tables with the same commit", async () => {
    const { app, jobs } = scene();
    const before = await jobs();
    const found = await app.transaction(async ({ knex, enqueue }) => {
      await knex("orders").insert({ id: 1, state: "new", is_paid: true, at: new Date("2026-01-31T12:00:00Z") });
      await knex("orders").insert([
        { id: 2, state: "new" },
        { id: 3, state: "new" },
      ]);
      expect(await knex("orders").where({ id: 2 }).update({ state: "sent" })).toBe(1);
      expect(await knex("orders").where({ id: 3 }).del()).toBe(1);
      await enqueue(newJob(remind, { order: 1 }));
      const { count } = (await knex("orders").count({ count: "*" }).first()) ?? {};
      return { count: Number(count), first: await knex("orders").where({ id: 1 }).first() };
    });
    expect(found).toMatchObject({ count: 2, first: { id: 1, state: "new" } });
    // As the driver gives it to everybody.
    expect(found.first.is_paid).toBe(databases.name === "PostgreSQL" ? true : 1);
    expect(await orders()).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await jobs()).toBe(before + 1);
  });

  test("keeps nothing in them if it throws", async () => {
    const { app, jobs } = scene();
    const before = { jobs: await jobs(), orders: await orders() };
    const failing = app.transaction(async ({ knex, enqueue }) => {
      await enqueue(newJob(remind, { order: 5 }));
      await knex("orders").insert({ id: 5, state: "new" });
      await knex("orders").insert({ id: 5, state: "twice" });
    });
    await expect(failing).rejects.toThrow(/duplicate|unique/i);
    expect({ jobs: await jobs(), orders: await orders() }).toEqual(before);
  });

  test("throws the driver's own errors, and what its work makes of them", async () => {
    const { app } = scene();
    const codes = { SQLite: "SQLITE_", PostgreSQL: "23505", MariaDB: "ER_DUP_ENTRY" };
    const missing = { SQLite: "SQLITE_ERROR", PostgreSQL: "42P01", MariaDB: "ER_NO_SUCH_TABLE" };
    let seen: unknown;
    const failing = (table: string, ends: (thrown: unknown) => unknown) =>
      app
        .transaction(async ({ knex }) => {
          await knex("orders").insert({ id: 6, state: "new" });
          try {
            await knex(table).insert({ id: 6, state: "twice" });
          } catch (thrown) {
            seen = thrown;
            throw ends(thrown);
          }
        })
        .catch((thrown: unknown) => thrown);
    const same = (thrown: unknown): unknown => thrown;
    expect(await failing("orders", same)).toBe(seen);
    expect(Object(seen).code).toContain(codes[databases.name]);
    expect(await failing("no_such_table", same)).toBe(seen);
    expect(Object(seen).code).toBe(missing[databases.name]);
    const mine = new Error("there is such an order");
    expect(await failing("orders", () => mine)).toBe(mine);
    expect(await orders()).not.toContainEqual({ id: 6 });
  });

  test("does not disturb others that share its commit", async () => {
    const { app } = scene();
    const write = (id: number, fails: boolean) =>
      app.transaction(async ({ knex, enqueue }) => {
        await knex("orders").insert({ id, state: "new" });
        await enqueue(newJob(remind, { order: id }));
        if (fails) throw new Error("no");
      });
    const ends = await Promise.allSettled([10, 11, 12, 13].map((id) => write(id, id % 2 === 1)));
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected"]);
    expect((await orders()).filter(({ id }) => id >= 10)).toEqual([{ id: 10 }, { id: 12 }]);
  });

  test("cannot be ended by its Knex, and begins no other", async () => {
    const { app } = scene();
    const refused = (work: (knex: Knex) => PromiseLike<unknown>) =>
      expect(app.transaction(async ({ knex }) => work(knex))).rejects;
    await refused((knex) => knex.raw("COMMIT")).toThrow("COMMIT would end the transaction");
    await refused((knex) => knex.raw(" rollback")).toThrow("ROLLBACK would end the transaction");
    const hidden = {
      SQLite: ["-- paid\nCOMMIT", "/* paid */ COMMIT", "/* /* */ COMMIT", "; COMMIT", "--\n/* * */\n-- x\r\n  commit"],
      PostgreSQL: ["-- paid\nCOMMIT", "/* /* paid */ */ COMMIT", "; COMMIT", "-- /*\nCOMMIT -- */", "/*/ */COMMIT/**/"],
      MariaDB: ["-- paid\nCOMMIT", "# paid\nCOMMIT", "/* /* */ COMMIT", "/*!50000 COMMIT */", "/*M! COMMIT */"],
    };
    for (const sql of hidden[databases.name]) {
      await refused((knex) => knex.raw(sql)).toThrow("COMMIT would end the transaction");
    }
    const other = databases.name === "PostgreSQL" ? "/* /* */ COMMIT */" : "/* COMMIT */";
    await scene().app.transaction(({ knex }) => knex.raw(`-- COMMIT;\n${other} SELECT id AS "commit" FROM orders`));
    await refused((knex) => knex.transaction(async () => undefined)).toThrow("begins no other in it");
    if (databases.name === "MariaDB") {
      await refused((knex) => knex.schema.dropTable("orders")).toThrow("DROP would end the transaction");
    }
  });

  test("has a Knex that other code can write with, until it is over", async () => {
    const { app } = scene();
    const escaped = await withKnex(url, (other) =>
      app.transaction(async ({ knex }) => {
        await other("orders")
          .transacting(knex as Knex.Transaction)
          .insert({ id: 20, state: "new" });
        return { knex };
      }),
    );
    expect(await orders()).toContainEqual({ id: 20 });
    await expect(escaped.knex("orders").insert({ id: 21, state: "new" })).rejects.toThrow("the transaction is over");
  });

  test("runs again from its start after a deadlock", async () => {
    const { app, jobs } = scene();
    const before = await jobs();
    let runs = 0;
    let locked = 0;
    /** Resolves when both have locked their first row. */
    let bothLocked: () => void = () => undefined;
    const both = new Promise<void>((resolve) => {
      bothLocked = resolve;
    });
    const lock = (first: number, second: number) =>
      app.transaction(async ({ knex, enqueue }) => {
        runs += 1;
        await enqueue(newJob(remind, { order: first }));
        await knex("orders").where({ id: first }).update({ state: "locked" });
        locked += 1;
        if (locked >= 2) bothLocked();
        // SQLite has one writer at a time.
        if (databases.name !== "SQLite") await both;
        await knex("orders").where({ id: second }).update({ state: "locked" });
      });
    await Promise.all([lock(1, 2), lock(2, 1)]);
    expect(runs).toBeGreaterThanOrEqual(databases.name === "SQLite" ? 2 : 3);
    expect(await jobs()).toBe(before + 2);
  });

  test("takes your tables into the commit of a handler", async () => {
    const paid = on("stripe", "invoice.*", async (_event, { commit }) => {
      await commit(async (_rows, { knex }) => knex("orders").insert({ id: 30, state: "paid" }));
    });
    const { app, ports } = scene({ handlers: [paid] });
    const [event] = await ports.storage.events.accept([newEvent("evt_own", { jobs: [] })]);
    const run = { eventId: Number(event?.id), keep: false };
    expect(await app.runByHand("stripe:invoice.*", run)).toMatchObject({ kept: false });
    expect(await orders()).not.toContainEqual({ id: 30 });
    await app.runByHand("stripe:invoice.*", { ...run, keep: true });
    expect(await orders()).toContainEqual({ id: 30 });
  });
});
