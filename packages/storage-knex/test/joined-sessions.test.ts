import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, createApp } from "@postern/app";
import type { OwnTransaction, Ports } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import { defineJob, newJob } from "@postern/jobs";
import mysql from "mysql2/promise";
import pg from "pg";
import { beforeAll, expect, test } from "vitest";
import { backUp, copyDatabase, type KnexStorage, restore } from "../src/index.ts";
import { migrations } from "../src/schema/migrations/index.ts";
import {
  adminConnection,
  mariadb,
  onEachDatabaseItself,
  onMariadb,
  onPostgres,
  openStorage,
  postgres,
  postgresConnection,
  sqlite,
  withKnex,
} from "./databases.ts";

const remind = defineJob<{ text: string }>("remind", async () => undefined);
const { ids } = memoryPorts();

const appOn = ({ storage }: KnexStorage): App => {
  const ports: Ports = { ...memoryPorts(), ids, storage };
  return createApp({ ports, jobs: [remind] });
};

/** Texts of which every character is read otherwise by some setting. */
const texts = [
  "it’s 😀 o'clock",
  "\\' OR 1=1; DROP TABLE job; -- \\\\",
  '"quoted" `ticks` \\n \\0 % _ \\%',
  "line\nbreak\ttab\r\u001a",
  "ﾃﾞ ß ‘ é ü 漢字 表示",
  "",
];

/** Stores each text by a job in the application's transaction, and reads it back by Postern's own connections. */
const storesAll = async (app: App, transaction: OwnTransaction): Promise<readonly number[]> => {
  const stored: number[] = [];
  for (const text of texts) {
    const [id] = await app.within(transaction).enqueue(newJob(remind, { text }, { orderKey: `order ${text}` }));
    stored.push(Number(id));
    const found = await app.within(transaction).enqueue(newJob(remind, { text }, { unique: { key: `once ${text}` } }));
    expect(
      await app.within(transaction).enqueue(newJob(remind, { text }, { unique: { key: `once ${text}` } })),
    ).toEqual(found);
  }
  return stored;
};

/** The payloads of these jobs, as Postern's own session reads them. */
const readBack = (url: string, numbers: readonly number[]): Promise<readonly unknown[]> =>
  withKnex(url, async (db) => {
    const rows = await db("job").select("payload").whereIn("id", numbers).orderBy("id");
    return rows.map(({ payload }) => JSON.parse(payload));
  });

const asStored = texts.map((text) => ({ text }));

onPostgres("a session of the application", () => {
  let url: string;
  let storage: KnexStorage;
  let app: App;
  beforeAll(async () => {
    url = await postgres.prepared();
    storage = openStorage({ url });
    app = appOn(storage);
  });

  const inSession = async (settings: string, work: (client: pg.Client) => Promise<void>): Promise<void> => {
    const client = new pg.Client({ connectionString: url, options: settings });
    await client.connect();
    try {
      await client.query("BEGIN");
      await work(client);
      await client.query("COMMIT");
    } finally {
      await client.end();
    }
  };

  test.each([
    "-c timezone=Europe/Berlin",
    "-c timezone=Australia/Lord_Howe -c datestyle=SQL,DMY",
    "-c datestyle=German -c intervalstyle=iso_8601",
    "-c bytea_output=escape -c extra_float_digits=-15",
    "-c lc_messages=C -c lc_numeric=C -c lc_time=C",
    "-c quote_all_identifiers=on -c transform_null_equals=on -c backslash_quote=on",
  ])("with %s is Postern's database, and stores each text as it is", async (settings) => {
    let numbers: readonly number[] = [];
    await inSession(settings, async (client) => {
      numbers = await storesAll(app, client);
    });
    expect(await readBack(url, numbers)).toEqual(asStored);
  });

  test.each([
    ["client_encoding", "LATIN1"],
    ["client_encoding", "SQL_ASCII"],
    ["client_encoding", "WIN1252"],
    ["standard_conforming_strings", "off"],
  ])("with %s = %s is refused with what to run", async (name, value) => {
    await inSession("", async (client) => {
      // The connection was fit before.
      await app.within(client).enqueue(newJob(remind, { text: "before" }));
      await client.query(`SET ${name} = '${value}'`);
      await expect(app.within(client).enqueue(newJob(remind, { text: "it’s" }))).rejects.toThrow(
        `within: ${name} of your connection is ${value}, with which Postern's rows would be stored or read wrongly; run SET ${name} = `,
      );
      await client.query(`RESET ${name}`);
      await app.within(client).enqueue(newJob(remind, { text: "after" }));
    });
  });

  test("that the database gives another time zone is the same database, for connections that are open and new ones", async () => {
    const name = new URL(url).pathname.slice(1);
    const admin = await postgresConnection();
    await admin.query(`ALTER DATABASE "${name}" SET timezone = 'Europe/Berlin'`);
    await admin.query(`ALTER DATABASE "${name}" SET datestyle = 'German'`);
    try {
      await storage.storage.check();
      await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [name]);
      expect(await storage.replacement()).toBeUndefined();
      await app.enqueue(newJob(remind, { text: "still" }));
      await inSession("", async (client) => {
        await app.within(client).enqueue(newJob(remind, { text: "still" }));
      });
    } finally {
      await admin.query(`ALTER DATABASE "${name}" RESET ALL`);
      await admin.end();
    }
  });
});

onMariadb("a session of the application", () => {
  let url: string;
  let storage: KnexStorage;
  let app: App;
  beforeAll(async () => {
    url = await mariadb.prepared();
    storage = openStorage({ url });
    app = appOn(storage);
  });

  const inSession = async (
    options: mysql.ConnectionOptions,
    settings: string | undefined,
    work: (connection: mysql.Connection) => Promise<void>,
  ): Promise<void> => {
    const connection = await mysql.createConnection({ uri: url, ...options });
    try {
      if (settings !== undefined) await connection.query(settings);
      await connection.beginTransaction();
      await work(connection);
      await connection.commit();
    } finally {
      await connection.end();
    }
  };

  test.each([
    "SET time_zone = '+02:00'",
    "SET sql_mode = ''",
    "SET sql_mode = 'ANSI'",
    "SET sql_mode = 'TRADITIONAL,PIPES_AS_CONCAT,ONLY_FULL_GROUP_BY,NO_UNSIGNED_SUBTRACTION,NO_AUTO_VALUE_ON_ZERO'",
    "SET collation_connection = utf8mb4_unicode_ci",
    "SET character_set_results = NULL",
    "SET lc_time_names = 'de_DE', div_precision_increment = 0",
  ])("after %s is Postern's database, and stores each text as it is", async (settings) => {
    let numbers: readonly number[] = [];
    await inSession({}, settings, async (connection) => {
      numbers = await storesAll(app, connection);
    });
    expect(await readBack(url, numbers)).toEqual(asStored);
  });

  test.each([
    [{ charset: "latin1" }, undefined, "character_set_client of your connection is latin1"],
    [{}, "SET NAMES latin1", "character_set_client of your connection is latin1"],
    [{ charset: "utf8" }, undefined, "character_set_client of your connection is utf8"],
    [{}, "SET NAMES utf8mb3", "character_set_client of your connection is utf8"],
    [{}, "SET NAMES gbk", "character_set_client of your connection is gbk"],
    [{}, "SET character_set_connection = sjis", "character_set_connection of your connection is sjis"],
    [{}, "SET character_set_results = latin1", "character_set_results of your connection is latin1"],
    [{}, "SET sql_mode = 'NO_BACKSLASH_ESCAPES'", "sql_mode of your connection is NO_BACKSLASH_ESCAPES"],
    [{}, "SET sql_mode = 'ANSI,EMPTY_STRING_IS_NULL'", "sql_mode of your connection is EMPTY_STRING_IS_NULL"],
  ])("with %o and %s is refused, and stores nothing", async (options, settings, words) => {
    await inSession(options, settings, async (connection) => {
      const [before] = await connection.query("SELECT COUNT(*) AS jobs FROM job");
      for (const text of texts) {
        await expect(app.within(connection).enqueue(newJob(remind, { text }))).rejects.toThrow(`within: ${words}`);
      }
      expect((await connection.query("SELECT COUNT(*) AS jobs FROM job"))[0]).toEqual(before);
    });
  });

  test("that changes while a transaction is joined lets no text be read as SQL", async () => {
    let id: number | undefined;
    await inSession({}, undefined, async (connection) => {
      const { enqueue } = app.within(connection);
      await enqueue(newJob(remind, { text: "before" }));
      await connection.query("SET sql_mode = 'NO_BACKSLASH_ESCAPES'");
      [id] = (await enqueue(newJob(remind, { text: texts[1] ?? "" }))).map(Number);
    });
    expect(await readBack(url, [Number(id)])).toEqual([{ text: texts[1] }]);
  });

  test("of Postern's own stores each text as it is, whatever the server sets for new sessions", async () => {
    const admin = await adminConnection();
    const name = new URL(url).pathname.slice(1);
    await admin.query(`CREATE OR REPLACE USER '${name.slice(-20)}'@'%'`);
    await admin.query(`GRANT ALL ON \`${name}\`.* TO '${name.slice(-20)}'@'%'`);
    const [[before]] = (await admin.query("SELECT @@GLOBAL.init_connect AS was")) as unknown as [[{ was: string }]];
    // It counts for users without all rights, and all others here are root.
    await admin.query("SET GLOBAL init_connect = 'SET NAMES latin1'");
    try {
      const given = new URL(url);
      given.username = name.slice(-20);
      given.password = "";
      const plain = openStorage({ url: given.href });
      const numbers: number[] = [];
      for (const text of texts) numbers.push(Number((await appOn(plain).enqueue(newJob(remind, { text })))[0]));
      await plain.close();
      expect(await readBack(url, numbers)).toEqual(asStored);
    } finally {
      await admin.query("SET GLOBAL init_connect = ?", [before.was]);
      await admin.query(`DROP USER '${name.slice(-20)}'@'%'`);
      await admin.end();
    }
  });
});

const identityIn = (url: string): Promise<number> =>
  withKnex(url, async (db) => {
    const rows = await db("database_identity").select("number");
    expect(rows).toHaveLength(1);
    return Number(rows[0]?.number);
  });

onEachDatabaseItself("the number of a database", (databases) => {
  test("is drawn once, is kept by later migrations, and is another one in a copy", async () => {
    const url = databases.url();
    const { migrate } = openStorage({ url });
    await migrate.latest();
    const number = await identityIn(url);
    expect(Number.isSafeInteger(number) && number > 0).toBe(true);
    // As after a kill before any step was noted.
    await withKnex(url, (db) => db("schema_migration").del());
    expect(await migrate.latest()).toHaveLength(migrations.length);
    expect(await identityIn(url)).toBe(number);
    const to = sqlite.url();
    await copyDatabase({ from: url, to });
    expect(await identityIn(to)).not.toBe(number);
  });

  test("is the original's in a restored backup", async () => {
    const url = await databases.prepared();
    const folder = mkdtempSync(join(tmpdir(), "postern-identity-"));
    const to = databases.url();
    await backUp(url, join(folder, "backup"));
    await restore(to, join(folder, "backup"), { verify: false });
    rmSync(folder, { recursive: true });
    expect(await identityIn(to)).toBe(await identityIn(url));
  });
});
