import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadDriver } from "../../packages/storage-knex/src/sqlite/driver/load-driver.ts";

/** The drivers of the storage adapter, so that the siege does not install its own. */
const requireDriver = createRequire(new URL("../../packages/storage-knex/package.json", import.meta.url));

export type DatabaseKind = "sqlite" | "mariadb";

export type Query = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

export interface FreshDatabase {
  readonly kind: DatabaseKind;
  readonly url: string;
  /** A folder for the server to run in. */
  readonly directory: string;
  /** Runs statements directly, without Postern's code. */
  readonly query: Query;
  drop(): Promise<void>;
}

const mariadbUrl = process.env.POSTERN_TEST_MYSQL_URL ?? "mysql://root@127.0.0.1:3306";

/** Whether there is a MariaDB for the siege. */
export const mariadbAnswers = async (): Promise<boolean> => {
  try {
    await (await openMariadb(mariadbUrl)).close();
    return true;
  } catch {
    return false;
  }
};

const openSqlite = (file: string): { readonly query: Query; close(): Promise<void> } => {
  const open = async () => {
    const connection = await (await loadDriver()).open(file, { create: true });
    await connection.all("PRAGMA busy_timeout = 10000");
    return connection;
  };
  const connection = open();
  return {
    query: async (sql) => (await connection).all(sql),
    close: async () => (await connection).close(),
  };
};

const openMariadb = async (url: string) => {
  const connection = await requireDriver("mysql2/promise").createConnection(url);
  const query: Query = async (sql) => (await connection.query(sql))[0];
  return { query, close: (): Promise<void> => connection.end() };
};

/** An empty database and a folder, both gone after `drop`. */
export const freshDatabase = async (kind: DatabaseKind): Promise<FreshDatabase> => {
  const directory = mkdtempSync(join(tmpdir(), "postern-siege-"));
  const removeDirectory = (): void => rmSync(directory, { recursive: true, force: true });
  if (kind === "sqlite") {
    const file = join(directory, "postern.db");
    let opened: ReturnType<typeof openSqlite> | undefined;
    return {
      kind,
      url: `sqlite:${file}`,
      directory,
      // It is opened only if an attack needs rows, because the server makes the file itself.
      query: (sql) => {
        opened ??= openSqlite(file);
        return opened.query(sql);
      },
      drop: async () => {
        await opened?.close();
        removeDirectory();
      },
    };
  }
  const name = `postern_siege_${process.pid}_${Date.now() % 1_000_000}`;
  const admin = await openMariadb(mariadbUrl);
  await admin.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
  await admin.query(`USE ${name}`);
  return {
    kind,
    url: `${mariadbUrl.replace(/\/$/, "")}/${name}`,
    directory,
    query: admin.query,
    drop: async () => {
      await admin.query(`DROP DATABASE ${name}`);
      await admin.close();
      removeDirectory();
    },
  };
};
