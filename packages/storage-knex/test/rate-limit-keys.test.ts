import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import type { RowDataPacket } from "mysql2/promise";
import { expect, test } from "vitest";
import type { Database, Session } from "../src/engine/database.ts";
import type { Dialect } from "../src/engine/dialect.ts";
import { knexRateLimitStore } from "../src/stores/knex-rate-limit-store.ts";
import { adminConnection, mariadb, onEachDatabase, onMariadb, openStorage, withKnex } from "./databases.ts";

/**
 * Resolves when a transaction waits for a row that another one has locked. The table of transactions
 * would not do: the server renews it only if nobody has read it for 100 ms.
 */
const untilOneWaits = async (connection: Awaited<ReturnType<typeof adminConnection>>): Promise<void> => {
  for (;;) {
    const sql = "SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'";
    const [[row]] = await connection.query<RowDataPacket[]>(sql);
    if (Number(row?.Value) > 0) return;
  }
};

const use = (key: string) => ({ key, limit: 5, windowMs: 60_000, now: 1_800_000_000_000 });

onMariadb("rate limits", () => {
  test("a key whose row is locked elsewhere keeps one connection busy, and other keys are served", async () => {
    const opened = await mariadb.fresh({ connections: 2 });
    const { rateLimits } = opened;
    await rateLimits.take(use("crowded"));
    const other = await adminConnection();
    await other.query(`USE \`${new URL(mariadb.urlOf(opened)).pathname.slice(1)}\``);
    await other.query("START TRANSACTION");
    await other.query("SELECT tat FROM rate_limit WHERE limit_key = 'crowded' FOR UPDATE");

    const crowd = Array.from({ length: 6 }, () => rateLimits.take(use("crowded")));
    const decisions = await Promise.all(["a", "b", "c"].map((key) => rateLimits.take(use(key))));
    expect(decisions.map(({ remaining }) => remaining)).toEqual([4, 4, 4]);

    await other.query("COMMIT");
    await other.end();
    const allowed = (await Promise.all(crowd)).filter((decision) => decision.allowed);
    expect(allowed).toHaveLength(4);
  });

  test("several limits are taken in one transaction: while one waits for its row, none is committed", async () => {
    const opened = await mariadb.fresh();
    const { rateLimits } = opened;
    const both = ["first", "second"].map(use);
    await rateLimits.takeEach(both);
    const other = await adminConnection();
    await other.query(`USE \`${new URL(mariadb.urlOf(opened)).pathname.slice(1)}\``);
    const stored = () => withKnex(mariadb.urlOf(opened), (db) => db("rate_limit").orderBy("limit_key"));
    const before = await stored();
    await other.query("START TRANSACTION");
    await other.query("SELECT tat FROM rate_limit WHERE limit_key = 'second' FOR UPDATE");

    const taken = rateLimits.takeEach(both);
    await untilOneWaits(other);
    expect(await stored()).toEqual(before);

    await other.query("COMMIT");
    await other.end();
    expect((await taken).map(({ remaining }) => remaining)).toEqual([3, 3]);
    expect(await stored()).not.toEqual(before);
  });
});

onEachDatabase("rate limits", (databases) => {
  test("a refused key is not looked up again for a second", async () => {
    const opened = await databases.fresh();
    const { rateLimits } = opened;
    const takenAfter = async (ms: number) =>
      (await rateLimits.take({ ...use("flooded"), now: use("flooded").now + ms })).allowed;
    for (let times = 0; times < 5; times += 1) expect(await takenAfter(0)).toBe(true);
    expect(await takenAfter(0)).toBe(false);
    // Another process gives all uses back.
    await withKnex(databases.urlOf(opened), (db) => db("rate_limit").update({ tat: 0 }));
    expect(await takenAfter(999)).toBe(false);
    expect(await takenAfter(1_000)).toBe(true);
  });
});

test("rate limits: while the database does not answer, the uses of a key fail together", async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket)).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const address = silent.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const { rateLimits, close } = openStorage({ url: `mysql://root@127.0.0.1:${address.port}/nothing` });
  const settled = (uses: number) =>
    Promise.allSettled(Array.from({ length: uses }, () => rateLimits.take(use("away"))));

  const startMs = performance.now();
  await settled(1);
  const oneMs = performance.now() - startMs;
  const decisions = await settled(20);
  expect(decisions.map(({ status }) => status)).toEqual(Array(20).fill("rejected"));
  expect(performance.now() - startMs - oneMs).toBeLessThan(3 * oneMs);

  for (const socket of sockets) socket.destroy();
  await close();
  silent.close();
});

test("rate limits: callers that arrive together share transactions", async () => {
  const changes: string[] = [];
  const session = {
    rows: async () => [],
    run: async (sql: string) => {
      if (sql.startsWith("UPDATE")) changes.push(sql);
      return { changed: 1, insertId: 0 };
    },
  } as Pick<Session, "rows" | "run"> as Session;
  const { take } = knexRateLimitStore({
    dialect: { forUpdate: "", insertUnlessTaken: () => "INSERT" } as Pick<Dialect, "forUpdate" | "insertUnlessTaken">,
    read: (work) => work(session),
    write: (work) => work(session),
  } as Pick<Database, "dialect" | "read" | "write"> as Database);

  const keys = Array.from({ length: 36 }, (_, n) => `key ${n}`);
  const decisions = await Promise.all([...keys, "key 0"].map((key) => take(use(key))));
  expect(decisions.map(({ remaining }) => remaining)).toEqual(Array(37).fill(4));
  // Three alone, at most 16 in each of the others.
  expect(changes.length).toBeLessThanOrEqual(6);
});

onEachDatabase("rate limits", (databases) => {
  test("callers that share a transaction take their uses one after the other, all of them or none", async () => {
    const { rateLimits } = await databases.fresh();
    const crowd = Array.from({ length: 12 }, (_, n) => [use("crowd"), use(`own ${n}`)]);
    const decisions = await Promise.all([
      rateLimits.take(use("first")),
      rateLimits.take(use("second")),
      rateLimits.take(use("third")),
      ...crowd.map((requests) => rateLimits.takeEach(requests)),
    ]);
    // Five get both of their uses; seven get one decision, the refusal.
    expect(decisions.slice(3).map((each) => [each].flat().length)).toEqual([2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1]);
    const own = await Promise.all(crowd.map((_, n) => rateLimits.take(use(`own ${n}`))));
    expect(own.map(({ remaining }) => remaining)).toEqual([3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4]);
  });

  test("uses that are given back together are all free again, of one key as well", async () => {
    const { rateLimits } = await databases.fresh();
    for (let times = 0; times < 4; times += 1) await rateLimits.takeEach([use("a"), use("b")]);
    await Promise.all([
      rateLimits.giveBack(use("b")),
      rateLimits.giveBackEach([use("a"), use("b")]),
      rateLimits.giveBack(use("a")),
      rateLimits.giveBack(use("a")),
    ]);
    expect([(await rateLimits.take(use("a"))).remaining, (await rateLimits.take(use("b"))).remaining]).toEqual([3, 2]);
  });
});
