import { open } from "node:fs/promises";
import { BackupRefused } from "../../engine/backup-refused.ts";
import { translate, vendorErrorOf } from "../../engine/translate-error.ts";
import { type Connection, query } from "../../postgres/connection.ts";
import { postgresErrors } from "../../postgres/errors.ts";
import { connect, type PostgresAddress } from "../../postgres/pool.ts";
import { firstDatabase } from "../../postgres/postgres-migrations.ts";
import { dumpOf, loadOf } from "./postgres-dump-tools.ts";
import { databaseInUse, formerExists, type ServerDumps, scratchExists } from "./server-dumps.ts";

/** The first bytes of a file of `pg_dump --format=custom`. */
const magic = "PGDMP";

const requireDump = async (file: string): Promise<void> => {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(magic.length), 0, magic.length, 0);
    if (buffer.toString("latin1", 0, bytesRead) === magic) return;
  } finally {
    await handle.close();
  }
  throw new BackupRefused("damaged", `${file} is damaged, or no file of pg_dump --format=custom`);
};

/** How PostgreSQL sorts and stores texts in a database. Newer versions have more columns. */
interface Locale {
  readonly encoding: string;
  readonly datcollate: string;
  readonly datctype: string;
  readonly datlocprovider?: "c" | "i" | "b";
  readonly daticulocale?: string | null;
  readonly datlocale?: string | null;
}

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** What `CREATE DATABASE` needs, so that the new one sorts as the old one. */
const sameLocale = ({ encoding, datcollate, datctype, datlocprovider, daticulocale, datlocale }: Locale): string => {
  const own = daticulocale ?? datlocale;
  const providers = { i: `icu ICU_LOCALE ${text(own ?? "")}`, b: `builtin BUILTIN_LOCALE ${text(own ?? "")}` };
  const provider = datlocprovider === "i" || datlocprovider === "b" ? providers[datlocprovider] : undefined;
  return [
    `TEMPLATE template0 ENCODING ${text(encoding)} LC_COLLATE ${text(datcollate)} LC_CTYPE ${text(datctype)}`,
    ...(provider === undefined ? [] : [`LOCALE_PROVIDER ${provider}`]),
  ].join(" ");
};

/** Backups of PostgreSQL. */
export const postgresDumps = (address: PostgresAddress, given: URLSearchParams): ServerDumps => {
  const settings = { requireFlush: false, statementTimeoutMs: 0 };
  const { database, user, schema } = address;
  const at = (name: string): PostgresAddress => ({ ...address, database: name });

  const on = async (name: string, work: (connection: Connection) => Promise<unknown>): Promise<void> => {
    try {
      const connection = await connect(at(name), settings);
      await work(connection).finally(() => connection.end());
    } catch (thrown) {
      if (vendorErrorOf(thrown).code !== "42501") throw translate(thrown, postgresErrors);
      throw new BackupRefused(
        "not_allowed",
        `the role ${user} may not make or rename databases. Let it: ALTER ROLE "${user}" CREATEDB`,
      );
    }
  };
  /** @throws what `refusal` makes of an error with this code. */
  const unless = async (code: string, refusal: BackupRefused, work: Promise<unknown>): Promise<void> => {
    try {
      await work;
    } catch (thrown) {
      throw vendorErrorOf(thrown).code === code ? refusal : thrown;
    }
  };

  return {
    longestName: 63,
    moment: {
      begin: [
        "START TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
        "SET LOCAL idle_in_transaction_session_timeout = 0",
      ],
      name: "SELECT pg_export_snapshot() AS name",
    },
    loadsWhole: true,
    swapsOpen: false,
    afterLoad: "ANALYZE",
    dump: (file, moment) => dumpOf(address, given, file, moment),
    load: async (file, name) => loadOf(at(name), given, file),
    requireDump,
    makeScratch: async (scratch) => {
      await on(firstDatabase, async (connection) => {
        const { rows } = await query<{ locale: Locale }>(
          connection,
          `SELECT to_jsonb(d) || jsonb_build_object('encoding', pg_encoding_to_char(d.encoding)) AS locale
           FROM pg_database AS d WHERE datname = ?`,
          [database],
        );
        const [found] = rows;
        const like = found === undefined ? "" : ` ${sameLocale(found.locale)}`;
        await unless("42P04", scratchExists(scratch), query(connection, `CREATE DATABASE "${scratch}"${like}`));
      });
      if (schema !== undefined) await on(scratch, (connection) => query(connection, `CREATE SCHEMA "${schema}"`));
    },
    dropScratch: (scratch) =>
      on(firstDatabase, (connection) => query(connection, `DROP DATABASE IF EXISTS "${scratch}" WITH (FORCE)`)),
    swap: (scratch, former) =>
      on(firstDatabase, async (connection) => {
        const rename = (from: string, to: string) =>
          unless("55006", databaseInUse(from), query(connection, `ALTER DATABASE "${from}" RENAME TO "${to}"`));
        await query(connection, "BEGIN");
        if (former !== undefined) await unless("42P04", formerExists(former), rename(database, former));
        await unless("42P04", databaseInUse(database), rename(scratch, database));
        await query(connection, "COMMIT");
      }),
  };
};
