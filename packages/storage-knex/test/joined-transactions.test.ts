import { createApp, user } from "@postern/app";
import type { OwnTransaction, Ports } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import { defineJob, newJob } from "@postern/jobs";
import knex, { type Knex } from "knex";
import mysql from "mysql2";
import mysqlPromises from "mysql2/promise";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KnexStorage } from "../src/index.ts";
import {
  createDatabase,
  fileOf,
  mariadb,
  onEachDatabase,
  onMariadb,
  onPostgres,
  openKnex,
  openStorage,
  postgres,
  sqlite,
  type TestDatabases,
} from "./databases.ts";

const remind = defineJob<{ order: number }>("remind", async () => undefined);
const all = { where: { all: [] }, reason: "test" };
const { ids } = memoryPorts();
let people = 0;
const person = () => {
  people += 1;
  return { name: "Ann", email: `ann${people}@example.com`, password: "hash" };
};

/** What the application and Postern have on one database. */
interface Scene {
  readonly url: string;
  readonly storage: KnexStorage;
  readonly app: ReturnType<typeof createApp>;
  told(): number;
  found(): Promise<{ readonly jobs: number; readonly users: number }>;
}

const sceneOn = (databases: () => TestDatabases): (() => Scene) => {
  let scene: Scene;
  beforeAll(async () => {
    const url = await databases().prepared();
    const storage = openStorage({ url, guardNesting: false });
    const ports: Ports = { ...memoryPorts(), ids, storage: storage.storage };
    let told = 0;
    ports.wakeup.subscribe(() => {
      told += 1;
    });
    scene = {
      url,
      storage,
      app: createApp({ ports, jobs: [remind] }),
      told: () => told,
      found: async () => ({
        jobs: (await ports.storage.jobRecords.list({ limit: 1_000 })).length,
        users: await ports.storage.resources.count(user, { scope: all }, 1_000),
      }),
    };
  });
  afterAll(() => scene.storage.close());
  return () => scene;
};

/** The application's own way to the database: a transaction that is committed, or rolled back. */
interface OwnWay {
  begin(): Promise<OwnTransaction>;
  end(how: "commit" | "rollback"): Promise<void>;
  close(): Promise<void>;
}

/** What holds for every way to begin a transaction. */
const describeWithin = (scene: () => Scene, open: (url: string) => Promise<OwnWay>, tells: boolean): void => {
  let way: OwnWay;
  beforeAll(async () => {
    way = await open(scene().url);
  });
  afterAll(() => way.close());

  test("commits rows and jobs with it, and not before", async () => {
    const { app, told, found } = scene();
    const before = await found();
    const heard = told();
    const { rows, enqueue } = app.within(await way.begin());
    const made = await rows.users?.create(person());
    const [id] = await enqueue(newJob(remind, { order: 1 }), newJob(remind, { order: 2 }));
    expect(await rows.users?.get(String(made?.id))).toMatchObject({ name: "Ann" });
    expect(await found()).toEqual(before);
    // Where nothing tells of the commit, workers hear of the job at once, and look for a while.
    await expect.poll(told).toBe(heard + (tells ? 0 : 1));
    await way.end("commit");
    expect(await found()).toEqual({ jobs: before.jobs + 2, users: before.users + 1 });
    expect(await scene().storage.storage.jobRecords.find(Number(id))).toMatchObject({ state: "ready", kind: "remind" });
    await expect.poll(told).toBe(heard + 1);
  });

  test("rolls rows and jobs back with it", async () => {
    const { app, found } = scene();
    const before = await found();
    const { rows, enqueue } = app.within(await way.begin());
    await rows.users?.create(person());
    await enqueue(newJob(remind, { order: 1 }, { orderKey: "order 1" }));
    await way.end("rollback");
    expect(await found()).toEqual(before);
  });

  test("takes the jobs that are taken outside, and each unique key once", async () => {
    const { app, found } = scene();
    const once = newJob(remind, { order: 3 }, { unique: { key: `once ${people}` } });
    const [first] = await app.enqueue(once);
    const before = await found();
    const { enqueue } = app.within(await way.begin());
    expect(await enqueue(once)).toEqual([first]);
    await expect(enqueue({ kind: "remnd", maxAttempts: 1 })).rejects.toThrow('did you mean "remind"?');
    await way.end("commit");
    expect(await found()).toEqual(before);
  });

  test("goes on after a conflict that was caught", async () => {
    const { app, found } = scene();
    const before = await found();
    const { rows } = app.within(await way.begin());
    const twice = person();
    await rows.users?.create(twice);
    await expect(rows.users?.create(twice)).rejects.toMatchObject({ code: "conflict" });
    await rows.users?.create(person());
    await way.end("commit");
    expect((await found()).users).toBe(before.users + 2);
  });

  test("is refused once it has ended", async () => {
    const { app, found } = scene();
    const before = await found();
    const { rows, enqueue } = app.within(await way.begin());
    await way.end("commit");
    const words = "within: your transaction has ended or was not begun";
    await expect(enqueue(newJob(remind, { order: 1 }))).rejects.toThrow(words);
    await expect(rows.users?.create(person())).rejects.toThrow(words);
    expect(await found()).toEqual(before);
  });
};

const withKnex =
  (openOwn: (url: string) => Knex) =>
  async (url: string): Promise<OwnWay> => {
    const own = openOwn(url);
    let trx: Knex.Transaction;
    return {
      begin: async () => {
        trx = await own.transaction();
        return trx;
      },
      end: async (how) => void (await trx[how]()),
      close: () => own.destroy(),
    };
  };

onEachDatabase("a transaction of the application's Knex", (databases) => {
  const scene = sceneOn(() => databases);
  describeWithin(scene, withKnex(openKnex), true);

  test("is not Knex itself, and leads to Postern's database", async () => {
    const { app, url } = scene();
    const own = openKnex(url);
    // A caller without types.
    expect(() => app.within(own as never)).toThrow("this is Knex itself");
    expect(() => app.within({} as never)).toThrow("within: give it a transaction of Knex");
    await own.destroy();
    const elsewhere = databases.url();
    await createDatabase(elsewhere);
    const other = openKnex(elsewhere);
    await expect(other.transaction((trx) => app.within(trx).enqueue(newJob(remind, { order: 1 })))).rejects.toThrow(
      "within: this connection leads to another database than Postern's",
    );
    await other.destroy();
  });
});

describe("a transaction of Knex with the driver sqlite3", () => {
  const scene = sceneOn(() => sqlite);
  const openOwn = (url: string): Knex =>
    knex({ client: "sqlite3", connection: { filename: fileOf(url) }, useNullAsDefault: true });
  describeWithin(scene, withKnex(openOwn), true);
});

onPostgres("a transaction on a client of pg", () => {
  const scene = sceneOn(() => postgres);
  const onClient = async (url: string, Client: typeof pg.Client): Promise<OwnWay> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    return {
      begin: async () => {
        await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
        return client;
      },
      end: async (how) => void (await client.query(how)),
      close: () => client.end(),
    };
  };
  describe("that tells its state", () => describeWithin(scene, (url) => onClient(url, pg.Client), false));
  /** As those were before version 8.18. */
  class OlderClient extends pg.Client {}
  Object.assign(OlderClient.prototype, { getTransactionStatus: undefined });
  describe("that does not tell its state", () => describeWithin(scene, (url) => onClient(url, OlderClient), false));

  test("is neither a pool, nor of another database", async () => {
    const { app, url } = scene();
    const pool = new pg.Pool({ connectionString: url });
    expect(() => app.within(pool)).toThrow("within: this is a pool");
    await pool.end();
    const connection = mysql.createConnection({ host: "127.0.0.1" });
    connection.on("error", () => undefined);
    expect(() => app.within(connection)).toThrow("Postern's database is PostgreSQL, and this connection is of MySQL");
    connection.destroy();
  });

  test("gives the driver's error of a serialization failure, and cannot be used after it", async () => {
    const { app, url } = scene();
    const one = new pg.Client(url);
    await one.connect();
    await one.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await one.query("SELECT 1 FROM job");
    await app.enqueue(newJob(remind, { order: 1 }, { unique: { key: "collides" } }));
    const { enqueue } = app.within(one);
    const job = newJob(remind, { order: 1 }, { unique: { key: "collides" } });
    await expect(enqueue(job)).rejects.toMatchObject({ code: "40001" });
    // The driver knows the new state when it is ready for the next statement, a moment after the error.
    await expect(one.query("SELECT 1")).rejects.toMatchObject({ code: "25P02" });
    await expect(enqueue(job)).rejects.toThrow("roll it back");
    await one.end();
  });
});

onMariadb("a transaction on a connection of mysql2", () => {
  const scene = sceneOn(() => mariadb);
  // Postern's rows do not depend on how the application reads its own.
  const settings = { bigNumberStrings: true, supportBigNumbers: true, dateStrings: false, rowsAsArray: true };
  const withCallbacks = async (url: string): Promise<OwnWay> => {
    const connection = mysql.createConnection({ uri: url, ...settings });
    const run = (sql: string) =>
      new Promise<void>((resolve, reject) => {
        connection.query(sql, (error) => (error === null ? resolve() : reject(error)));
      });
    return {
      begin: async () => {
        await run("START TRANSACTION");
        return connection;
      },
      end: run,
      close: async () => connection.destroy(),
    };
  };
  describe("with callbacks", () => describeWithin(scene, withCallbacks, false));
  const withPromises = async (url: string): Promise<OwnWay> => {
    const connection = await mysqlPromises.createConnection({ uri: url });
    return {
      begin: async () => {
        await connection.beginTransaction();
        return connection;
      },
      end: (how) => connection[how](),
      close: () => connection.end(),
    };
  };
  describe("with promises", () => describeWithin(scene, withPromises, false));

  test("sees a unique key that was taken after its first statement", async () => {
    const { app, url, found } = scene();
    const connection = await mysqlPromises.createConnection({ uri: url });
    await connection.beginTransaction();
    await connection.query("SELECT 1 FROM job");
    const job = newJob(remind, { order: 1 }, { unique: { key: "later" } });
    const [first] = await app.enqueue(job);
    const before = await found();
    expect(await app.within(connection).enqueue(job)).toEqual([first]);
    await connection.commit();
    expect(await found()).toEqual(before);
    await connection.end();
  });

  test("is no pool", async () => {
    const pool = mysqlPromises.createPool({ uri: scene().url });
    expect(() => scene().app.within(pool)).toThrow("within: this is a pool");
    await pool.end();
  });
});

test("a storage in memory shares no transactions", () => {
  const app = createApp({ ports: memoryPorts(), jobs: [remind] });
  expect(() => app.within({} as never)).toThrow(
    "within: this storage shares no transactions with your database; use `transaction`",
  );
});
