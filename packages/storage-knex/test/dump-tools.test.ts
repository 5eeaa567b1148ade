import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { parseDatabaseUrl } from "../src/engine/database-url.ts";
import type { MysqlAddress } from "../src/mysql/pool.ts";
import type { PostgresAddress } from "../src/postgres/pool.ts";
import { dumpTools } from "../src/tools/dump/installed-tools.ts";
import { dumpOf as mysqlDump, loadOf as mysqlLoad } from "../src/tools/dump/mysql-dump-tools.ts";
import { dumpOf as postgresDump, loadOf as postgresLoad } from "../src/tools/dump/postgres-dump-tools.ts";
import { lineOf } from "../src/tools/dump/tool-command.ts";

const none = new URLSearchParams();
// The files of a URL are read when it is parsed, so these stand beside it.
const postgres = (url: string) => parseDatabaseUrl(url) as PostgresAddress;
const mysql = (url: string) => parseDatabaseUrl(url) as MysqlAddress;

test("the programs of PostgreSQL get the parts of the URL by the environment, the password too", () => {
  const address = postgres("postgres://u%40x:it's%20secret@one,[::1]:5433/shop?schema=Store");
  const dump = postgresDump(address, none, "/backups/of today.dump", "0001-1");
  expect(dump.args).toEqual([
    "--format=custom",
    "--no-password",
    '--schema="Store"',
    "--snapshot=0001-1",
    "--file=/backups/of today.dump",
    "shop",
  ]);
  expect(dump.environment).toEqual({
    PGHOST: "one,::1",
    PGPORT: "5432,5433",
    PGUSER: "u@x",
    PGTARGETSESSIONATTRS: "read-write",
    PGSSLMODE: "disable",
  });
  expect(dump.password).toEqual({ variable: "PGPASSWORD", value: "it's secret" });
  expect(lineOf(dump)).toBe(
    `PGHOST=one,::1 PGPORT=5432,5433 PGUSER=u@x PGTARGETSESSIONATTRS=read-write PGSSLMODE=disable PGPASSWORD=… pg_dump --format=custom --no-password '--schema="Store"' --snapshot=0001-1 '--file=/backups/of today.dump' shop`,
  );
  const load = postgresLoad(address, none, "it's.dump");
  expect(lineOf(load)).toMatch(
    /pg_restore --exit-on-error --single-transaction --no-owner --no-password --schema=Store --dbname=shop 'it'\\''s\.dump'$/,
  );
});

test.each([
  ["sslmode=require", { PGSSLMODE: "require" }],
  ["sslmode=verify-ca&sslrootcert=/ca.pem", { PGSSLMODE: "verify-ca", PGSSLROOTCERT: "/ca.pem" }],
  ["sslmode=verify-full", { PGSSLMODE: "verify-full", PGSSLROOTCERT: "system" }],
  [
    "sslrootcert=/ca.pem&sslcert=/me.pem&sslkey=/me.key",
    { PGSSLMODE: "verify-full", PGSSLROOTCERT: "/ca.pem", PGSSLCERT: "/me.pem", PGSSLKEY: "/me.key" },
  ],
])("the programs of PostgreSQL trust whom the URL trusts: %s", (parameters, expected) => {
  const address = { ...postgres("postgres://db/shop"), tls: { rejectUnauthorized: true } };
  const { environment } = postgresDump(address, new URLSearchParams(parameters), "x");
  expect(environment).toEqual({ PGHOST: "db", PGPORT: "5432", PGUSER: "postgres", ...expected });
});

test("the programs of MySQL and MariaDB get the parts of the URL, and the password by the environment", () => {
  const address = mysql("mysql://app:secret@db:3307/shop");
  const dump = mysqlDump("mysql", address, none, "shop.sql.gz");
  expect(dump.programs).toEqual(["mysqldump", "mariadb-dump"]);
  expect(mysqlDump("mariadb", address, none, "shop.sql.gz").programs).toEqual(["mariadb-dump", "mysqldump"]);
  // It counts as the first argument only.
  expect(dump.args[0]).toBe("--no-defaults");
  expect(dump.args).toEqual(
    expect.arrayContaining(["--protocol=TCP", "--host=db", "--port=3307", "--user=app", "--single-transaction"]),
  );
  expect(dump.args.at(-1)).toBe("shop");
  expect(lineOf(dump)).toMatch(/^MYSQL_PWD=… mysqldump --no-defaults .* shop \| gzip > shop\.sql\.gz$/);
  expect(lineOf(dump)).not.toContain("secret");

  const load = mysqlLoad("mariadb", mysql("mysql://db/shop?socket=/run/db.sock"), none, {
    file: "shop.sql.gz",
    isCompressed: true,
  });
  expect(load.args).toContain("--socket=/run/db.sock");
  expect(load.args.join(" ")).not.toMatch(/--host|--protocol/);
  expect(lineOf(load)).toMatch(/^gunzip -c shop\.sql\.gz \| mariadb --no-defaults .* --one-database shop$/);
});

test.each([
  ["mysql://db/shop", undefined, ["--loose-skip-ssl", "--loose-ssl-mode=DISABLED"], []],
  [
    "mysql://db/shop",
    { ca: "a private authority" },
    ["--loose-ssl-verify-server-cert", "--loose-ssl-mode=VERIFY_IDENTITY", "--ssl-ca=/ca.pem"],
    [],
  ],
  // The driver cannot check the address of a server, so a private authority alone vouches for it.
  [
    "mysql://10.0.0.1/shop",
    { ca: "a private authority" },
    ["--loose-ssl", "--loose-ssl-mode=VERIFY_CA", "--ssl-ca=/ca.pem"],
    ["--loose-ssl-verify-server-cert"],
  ],
])("the programs of MySQL and MariaDB trust whom the URL trusts: %s, %j", (url, tls, with_, without) => {
  const { args } = mysqlDump("mariadb", { ...mysql(url), tls }, new URLSearchParams("ssl-ca=/ca.pem"), "x");
  expect(args).toEqual(expect.arrayContaining(with_));
  for (const one of without) expect(args).not.toContain(one);
});

test("says which programs are installed, whether they fit the server, and what to install", async () => {
  const directory = mkdtempSync(join(tmpdir(), "postern-tools-"));
  const install = (name: string, says: string): void =>
    writeFileSync(join(directory, name), `#!/bin/sh\necho '${says}'\n`, { mode: 0o755 });
  vi.stubEnv("PATH", directory);
  try {
    const onPostgres = () => dumpTools("pg (PostgreSQL 15.20 (Debian 15.20-0+deb12u1))");
    const onMariadb = () => dumpTools("mysql2 (10.11.14-MariaDB-0+deb12u2)");
    const onMysql = () => dumpTools("mysql2 (8.0.36)");
    const client = "needs the client programs of PostgreSQL 15 or later (Debian: postgresql-client-15)";
    expect(await onPostgres()).toEqual({
      ok: false,
      text: `pg_dump is not installed here; "postern backup" ${client}: install them, or make backups where they are`,
    });
    install("pg_dump", "pg_dump (PostgreSQL) 14.9");
    install("pg_restore", "pg_restore (PostgreSQL) 16.1");
    expect((await onPostgres())?.text).toContain("pg_dump 14.9 does not fit the server");
    install("pg_dump", "pg_dump (PostgreSQL) 17.0");
    expect(await onPostgres()).toEqual({ ok: true, text: "pg_dump 17.0, pg_restore 16.1" });

    install("mysqldump", "mysqldump  Ver 8.0.36 for Linux on x86_64 (MySQL Community Server - GPL)");
    install("mysql", "mysql  Ver 8.0.36 for Linux on x86_64 (MySQL Community Server - GPL)");
    expect(await onMysql()).toEqual({ ok: true, text: "mysqldump 8.0.36, mysql 8.0.36" });
    expect(await onMariadb()).toMatchObject({
      ok: false,
      text: expect.stringMatching(/^mysqldump 8\.0\.36 does not fit .* of MariaDB/),
    });
    install("mariadb-dump", "mariadb-dump from 11.8.2-MariaDB, client 10.19 for debian-linux-gnu (x86_64)");
    install("mariadb", "mariadb from 11.8.2-MariaDB, client 15.2 for debian-linux-gnu (x86_64)");
    expect(await onMariadb()).toEqual({ ok: true, text: "mariadb-dump 11.8.2, mariadb 11.8.2" });
    install("mariadb", "mariadb  Ver 15.1 Distrib 10.11.19-MariaDB, for debian-linux-gnu (x86_64) using readline");
    expect((await onMariadb())?.text).toBe("mariadb-dump 11.8.2, mariadb 10.11.19");
    rmSync(join(directory, "mysqldump"));
    expect((await onMysql())?.text).toContain("mariadb-dump 11.8.2 does not fit");

    expect(await dumpTools("node:sqlite (SQLite 3.53.4)")).toBeUndefined();
  } finally {
    vi.unstubAllEnvs();
    rmSync(directory, { recursive: true });
  }
});
