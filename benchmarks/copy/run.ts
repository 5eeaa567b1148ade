/**
 * Measures how long a copy of a database takes, between each two kinds that answer. It asserts nothing.
 * `node --conditions=@postern/source --import tsx benchmarks/copy/run.ts [--events=100000]`
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { allParts, resourcesOfParts } from "@postern/app";
import { newEvent } from "@postern/core/testing";
import { copyDatabase, createKnexStorage } from "@postern/storage-knex";

const requireDriver = createRequire(new URL("../../packages/storage-knex/package.json", import.meta.url));
const mysql = requireDriver("mysql2/promise");
const pg = requireDriver("pg");

const { values } = parseArgs({ options: { events: { type: "string", default: "100000" } } });
const events = Number(values.events);
const mysqlServer = process.env.POSTERN_TEST_MYSQL_URL ?? "mysql://root@127.0.0.1:3306/";
const postgresServer = process.env.POSTERN_TEST_POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/postgres";
const folder = mkdtempSync(join(tmpdir(), "postern-copy-"));
const name = `postern_copy_${randomBytes(4).toString("hex")}`;
const at = (server: string): string => Object.assign(new URL(server), { pathname: `/${name}` }).href;
const resources = resourcesOfParts(allParts);

const fill = async (url: string): Promise<void> => {
  const { storage, migrate, close } = createKnexStorage({ url, resources });
  await migrate.latest();
  const body = new Uint8Array(1024).fill(0x61);
  for (let n = 0; n < events; n += 500) {
    await storage.events.accept(
      Array.from({ length: Math.min(500, events - n) }, (_, each) => newEvent(`evt_${n + each}`, { body })),
    );
  }
  await close();
};

const measure = async (what: string, from: string, to: string): Promise<void> => {
  const began = performance.now();
  let compared = 0;
  const { tables } = await copyDatabase({
    from,
    to,
    resources,
    onProgress: ({ phase }) => {
      if (phase === "verify" && compared === 0) compared = performance.now();
    },
  });
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const seconds = (until: number, since: number): string => ((until - since) / 1000).toFixed(1);
  const [all, copied] = [seconds(performance.now(), began), seconds(compared, began)];
  process.stdout.write(`| ${what} | ${events} | ${rows} | ${copied} s | ${all} s |\n`);
};

const [sqlite, mariadb, postgres, back] = [
  `sqlite:${folder}/a.db`,
  at(mysqlServer),
  at(postgresServer),
  `sqlite:${folder}/b.db`,
];
try {
  await fill(sqlite);
  process.stdout.write("| from → to | events | rows | copied | and compared |\n|---|---:|---:|---:|---:|\n");
  await measure("SQLite → PostgreSQL", sqlite, postgres);
  await measure("PostgreSQL → MariaDB", postgres, mariadb);
  await measure("MariaDB → SQLite", mariadb, back);
} finally {
  rmSync(folder, { recursive: true, force: true });
  const admin = await mysql.createConnection(mysqlServer);
  await admin.query(`DROP DATABASE IF EXISTS \`${name}\``);
  await admin.end();
  const client = new pg.Client({ connectionString: postgresServer });
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
  await client.end();
}
