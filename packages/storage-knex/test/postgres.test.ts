import { newEvent, rejectsWith } from "@postern/core/testing";
import pg from "pg";
import { expect, test } from "vitest";
import type { Session } from "../src/engine/database.ts";
import { spelled } from "../src/engine/spelling.ts";
import { createKnexStorage } from "../src/index.ts";
import { missingVacuum } from "../src/postgres/low-limits.ts";
import { arrayOf, unnested } from "../src/postgres/unnested.ts";
import { createDatabase, onPostgres, openStorage, postgres, postgresConnection } from "./databases.ts";

test("names and values are spelled for PostgreSQL, and texts inside a statement stay as they are", () => {
  expect(spelled("SELECT `a` FROM t WHERE b = ? AND c = ?", ["x", null])).toBe(
    'SELECT "a" FROM t WHERE b = $1 AND c = $2',
  );
  expect(spelled("UPDATE t SET n = CASE id WHEN ? THEN ? END", [1, 2.5])).toBe(
    "UPDATE t SET n = CASE id WHEN CAST($1 AS bigint) THEN CAST($2 AS numeric) END",
  );
  expect(spelled("SELECT '? ` it''s', \"? `\", ?", ["x"])).toBe("SELECT '? ` it''s', \"? `\", $1");
  expect(spelled("SELECT $1", ["x"])).toBe("SELECT $1");
});

test("values of one type are an array, whatever their texts hold", () => {
  expect(arrayOf([1, null, 2])).toBe("{1,NULL,2}");
  expect(arrayOf(["a,b", 'c"d', "e\\f", "", "NULL", null])).toBe('{"a,b","c\\"d","e\\\\f","","NULL",NULL}');
  const { expressions, from, values } = unnested([
    [1, null, "a"],
    [2, null, null],
  ]);
  expect(expressions).toEqual(["given.v1", "NULL", "given.v2"]);
  expect(from).toBe("unnest(CAST(? AS bigint[]), CAST(? AS text[])) AS given(v1, v2)");
  expect(values).toEqual(["{1,2}", '{"a",NULL}']);
});

onPostgres("a storage", () => {
  test("is on the first of several hosts that answers", async () => {
    const url = new URL(postgres.url());
    const several = url.href.replace(url.host, `127.0.0.1:1,${url.host}`);
    const { migrate, storage } = openStorage({ url: several });
    await migrate.latest();
    expect((await storage.events.accept([newEvent("evt_1")]))[0]?.outcome).toBe("accepted");
  });

  test("warns that a commit waits for no standby, where the URL names several hosts", async () => {
    const base = postgres.url();
    await createDatabase(base);
    const several = base.replace(/@?127/, (found) => found.replace("127", "127.0.0.1:1,127"));
    // The server of the tests may have no autovacuum.
    const warned = async (url: string) =>
      (await openStorage({ url }).lowLimits({ longestBytes: 1 }))
        .map(({ name, found }) => `${name}=${found}`)
        .filter((one) => one !== "autovacuum=off");
    expect(await warned(base)).toEqual([]);
    expect(await warned(several)).toEqual(["synchronous_standby_names="]);
  });

  test("warns where autovacuum is off, for the server or for a table", async () => {
    const url = postgres.url();
    await createDatabase(url);
    const { migrate, lowLimits } = openStorage({ url });
    await migrate.latest();
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query("SHOW autovacuum");
    await client.query("ALTER TABLE job SET (autovacuum_enabled = off)");
    await client.query("ALTER TABLE lane SET (autovacuum_enabled = on)");
    await client.end();
    const ofServer = rows[0].autovacuum === "on" ? [] : ["autovacuum"];
    expect((await lowLimits({ longestBytes: 1 })).map(({ name }) => name)).toEqual([
      ...ofServer,
      "autovacuum_enabled of job",
    ]);
    const runs = async (setting: string) => {
      const session = { rows: async () => [{ setting, table: null }] } as unknown as Session;
      return missingVacuum({ read: (work) => work(session) });
    };
    expect(await runs("on")).toEqual([]);
    expect(await runs("off")).toMatchObject([{ name: "autovacuum", text: expect.stringContaining("Set it to on") }]);
  });

  test("says so if none of its hosts answers", async () => {
    const { storage } = openStorage({ url: "postgres://127.0.0.1:1,127.0.0.1:2/none" });
    await rejectsWith("unavailable", () => storage.check());
  });

  test("has its tables in the schema of its URL, apart from those of another", async () => {
    const base = postgres.url();
    await createDatabase(base);
    const [one, other] = ["one", "other"].map((schema) => openStorage({ url: `${base}?schema=${schema}` }));
    if (one === undefined || other === undefined) throw new Error("there are two");
    await Promise.all([one.migrate.latest(), other.migrate.latest()]);
    expect(await one.storage.events.accept([newEvent("evt_1")])).toMatchObject([{ outcome: "accepted" }]);
    expect(await other.storage.events.accept([newEvent("evt_1")])).toMatchObject([{ outcome: "accepted" }]);
    expect(await one.storage.events.list({ limit: 9 })).toHaveLength(1);
    // Each has a runner of its own with the same number.
    const lease = await one.liveness.hold(1);
    expect([await one.liveness.isHeld(1), await other.liveness.isHeld(1)]).toEqual([true, false]);
    const own = await other.liveness.hold(1);
    await Promise.all([lease.release(), own.release()]);
    expect([await one.liveness.isHeld(1), await other.liveness.isHeld(1)]).toEqual([false, false]);
  });

  test("refuses a server that loses the last commits in a power cut, unless that is accepted", async () => {
    const url = postgres.url();
    await createDatabase(url);
    const client = await postgresConnection(url);
    await client.query(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET synchronous_commit = off`);
    await client.end();
    const strict = createKnexStorage({ url });
    const refusal = await strict.migrate.latest().catch((thrown: Error) => thrown.cause);
    expect(String(refusal)).toContain("synchronous_commit is off");
    await strict.close();
    await openStorage({ url, durability: "relaxed" }).migrate.latest();
  });
});

onPostgres("the queue", () => {
  test("has its old rows cleared before a fifth of the table is old", async () => {
    const url = await postgres.prepared();
    const client = await postgresConnection(url);
    const { rows } = await client.query(
      "SELECT relname FROM pg_class WHERE reloptions @> ARRAY['autovacuum_vacuum_scale_factor=0.01'] ORDER BY relname",
    );
    await client.end();
    expect(rows.map(({ relname }) => relname)).toEqual(["job", "lane", "rate_limit", "runner"]);
  });
});
