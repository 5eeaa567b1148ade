import type { Knex } from "knex";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KnexStorage } from "../src/index.ts";
import { onEachDatabase, openStorage, withKnex } from "./databases.ts";

const never = new AbortController().signal;

onEachDatabase("a snapshot", (databases) => {
  let opened: KnexStorage;
  let url: string;
  const read = <Result>(work: (knex: Knex) => Promise<Result>, signal = never): Promise<Result> =>
    opened.storage.snapshot((_resources, { knex }) => work(knex), signal);
  const write = (work: (knex: Knex) => Promise<unknown>): Promise<unknown> =>
    opened.storage.transaction((_stores, { knex }) => work(knex));

  beforeAll(async () => {
    url = await databases.prepared();
    opened = openStorage({ url });
    await withKnex(url, (db) =>
      db.schema.createTable("orders", (table) => {
        table.integer("id").primary();
        table.string("state").notNullable();
      }),
    );
    await write((knex) => knex("orders").insert({ id: 1, state: "new" }));
  });
  afterAll(() => opened.close());

  test("reads tables of your own as they were when it began", async () => {
    const seen = await read(async (knex) => {
      await write((other) => other("orders").insert({ id: 2, state: "new" }));
      await write((other) => other("orders").where({ id: 1 }).update({ state: "sent" }));
      return [await knex("orders").select("id", "state"), await knex("orders").where({ id: 1 }).first("state")];
    });
    expect(seen).toEqual([[{ id: 1, state: "new" }], { state: "new" }]);
    expect(await read((knex) => knex("orders").orderBy("id").pluck("state"))).toEqual(["sent", "new"]);
  });

  test("is refused every write by the database, and leaves its connection as it was", async () => {
    const words = { SQLite: /readonly/, PostgreSQL: /read-only transaction/, MariaDB: /READ ONLY transaction/ };
    const refused = (work: (knex: Knex) => Promise<unknown>) =>
      expect(read(work)).rejects.toThrow(words[databases.name]);
    for (let round = 0; round < 5; round += 1) {
      await refused((knex) => knex("orders").insert({ id: 3, state: "new" }));
      await refused((knex) => knex("orders").where({ id: 1 }).update({ state: "lost" }));
      await refused((knex) => knex("orders").del());
      await write((knex) =>
        knex("orders")
          .where({ id: 1 })
          .update({ state: `round ${round}` }),
      );
      expect(await read((knex) => knex("orders").where({ id: 1 }).first())).toEqual({ id: 1, state: `round ${round}` });
    }
    expect(await opened.storage.jobs.enqueue([{ kind: "mail", maxAttempts: 1 }], 0)).toHaveLength(1);
  });

  test("cannot be made to write", async () => {
    const ways = {
      SQLite: ["PRAGMA query_only = OFF", "pragma main.query_only(0)", '/* x */ PRAGMA "query_only" = 0', "COMMIT"],
      PostgreSQL: ["SET TRANSACTION READ WRITE", "SET transaction_read_only = off", "COMMIT"],
      MariaDB: ["SET TRANSACTION READ WRITE", "COMMIT", "START TRANSACTION READ WRITE"],
    };
    for (const sql of ways[databases.name]) {
      const writing = read(async (knex) => {
        await knex.raw(sql);
        await knex("orders").insert({ id: 4, state: "forced" });
      });
      await expect(writing, sql).rejects.toThrow();
    }
    await write((knex) => knex("orders").insert({ id: 4, state: "fine" }));
    await write((knex) => knex("orders").where({ id: 4 }).del());
  });

  test("ends by its signal while a statement runs, and others read on", async () => {
    const slow = {
      SQLite: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) FROM n",
      PostgreSQL: "SELECT pg_sleep(60)",
      MariaDB: "SELECT SLEEP(60)",
    };
    for (let round = 0; round < 8; round += 1) {
      const ending = new AbortController();
      const began = performance.now();
      const reading = read((knex) => {
        setTimeout(() => ending.abort(new Error("too long")), 20);
        return knex.raw(slow[databases.name]);
      }, ending.signal);
      await expect(reading).rejects.toThrow("too long");
      expect(performance.now() - began).toBeLessThan(2_000);
    }
    expect(await read((knex) => knex("orders").where({ id: 2 }).first("id"))).toEqual({ id: 2 });
  });

  test("leaves connections to others, however many read", async () => {
    const releases: (() => void)[] = [];
    const reading = Array.from({ length: 20 }, () =>
      read(async (knex) => {
        await knex("orders").select("id");
        await new Promise<void>((resolve) => {
          releases.push(resolve);
          if (releases.length > 2) for (const release of releases) release();
          else setTimeout(resolve, 50);
        });
      }),
    );
    await opened.storage.jobRecords.list({ limit: 1 });
    await opened.storage.jobs.enqueue([{ kind: "mail", maxAttempts: 1 }], 0);
    await Promise.all(reading);
  });
});
