import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { BackupRefused } from "../../engine/backup-refused.ts";
import type { Host } from "../../engine/database-url.ts";
import { translate, vendorErrorOf } from "../../engine/translate-error.ts";
import { type Connection, query, serverOf } from "../../mysql/connection.ts";
import { mysqlErrors } from "../../mysql/errors.ts";
import { creationOf } from "../../mysql/mysql-migrations.ts";
import { connect, type MysqlAddress } from "../../mysql/pool.ts";
import { dumpOf, loadOf } from "./mysql-dump-tools.ts";
import { databaseInUse, formerExists, type ServerDumps, scratchExists } from "./server-dumps.ts";

/** The first bytes of a file of gzip. */
const gzipMagic = Buffer.from([0x1f, 0x8b]);

const isCompressed = async (file: string): Promise<boolean> => {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return buffer.subarray(0, bytesRead).equals(gzipMagic);
  } finally {
    await handle.close();
  }
};

/** How many characters of the end of a file are looked at. */
const tail = 200;

/** The programs write this as the last line. A compressed file has a sum of its own as well. */
const lastLine = /-- Dump completed[^\n]*\s*$/;

const requireDump = async (file: string): Promise<void> => {
  let end = "";
  const keepEnd = async (pieces: AsyncIterable<Buffer>): Promise<void> => {
    for await (const piece of pieces) end = (end + piece.subarray(-tail).toString("latin1")).slice(-tail);
  };
  try {
    const read = createReadStream(file);
    await ((await isCompressed(file)) ? pipeline(read, createGunzip(), keepEnd) : pipeline(read, keepEnd));
  } catch (thrown) {
    const { code, message } = vendorErrorOf(thrown);
    if (!code.startsWith("Z_")) throw thrown;
    throw new BackupRefused("damaged", `${file} is damaged: ${message}`);
  }
  if (lastLine.test(end)) return;
  throw new BackupRefused("damaged", `${file} is not whole, or no file of mariadb-dump or mysqldump`);
};

const settings = { requireFlush: false };
const notAllowed: ReadonlySet<number> = new Set([1044, 1142, 1227]);
const databaseExists = 1007;
const lockWaitTimeout = 1205;

/** Runs `work` on a connection that uses no database. */
const onServer = async <Result>(
  address: MysqlAddress,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> => {
  try {
    const connection = await connect(address, settings, { database: undefined });
    return await work(connection).finally(() => connection.destroy());
  } catch (thrown) {
    if (!notAllowed.has(vendorErrorOf(thrown).errno)) throw translate(thrown, mysqlErrors);
    throw new BackupRefused(
      "not_allowed",
      `the user ${address.user} may not make databases, or move tables between them. Let it: GRANT ALL ON \`${address.database.replaceAll("_", "\\_")}\\_%\`.* TO …`,
    );
  }
};

const run = (connection: Connection, sql: string, values: readonly string[] = []): Promise<unknown> =>
  query(connection, sql, values, {});

const make = async (connection: Connection, address: MysqlAddress, refusal: BackupRefused): Promise<void> => {
  try {
    await run(connection, creationOf(address).replace(" IF NOT EXISTS", ""));
  } catch (thrown) {
    throw vendorErrorOf(thrown).errno === databaseExists ? refusal : thrown;
  }
};

const tablesOf = async (connection: Connection, database: string): Promise<readonly string[]> => {
  const rows = await query<{ name: string }[]>(
    connection,
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = ? AND table_type = 'BASE TABLE'",
    [database],
  );
  return rows.map(({ name }) => name);
};

/** Backups of MySQL and MariaDB. */
export const mysqlDumps = async (given: MysqlAddress, parameters: URLSearchParams): Promise<ServerDumps> => {
  const [server, { config }] = await onServer(
    given,
    async (connection) => [serverOf(connection).server, connection] as const,
  );
  // These programs take no list of hosts, so they get the first that takes writes.
  const isUsed = ({ host, port }: Host): boolean => host === config.host && port === config.port;
  const address = given.socketPath === undefined ? { ...given, hosts: given.hosts.filter(isUsed) } : given;
  const { database } = address;
  const at = (name: string): MysqlAddress => ({ ...address, database: name });

  return {
    longestName: 64,
    loadsWhole: false,
    swapsOpen: true,
    dump: (file) => dumpOf(server, address, parameters, file),
    load: async (file, name) => loadOf(server, at(name), parameters, { file, isCompressed: await isCompressed(file) }),
    requireDump,
    makeScratch: (scratch) => onServer(address, (connection) => make(connection, at(scratch), scratchExists(scratch))),
    dropScratch: (scratch) =>
      onServer(address, async (connection) => void (await run(connection, `DROP DATABASE IF EXISTS \`${scratch}\``))),
    swap: (scratch, former) =>
      onServer(address, async (connection) => {
        if (former === undefined) await run(connection, creationOf(address));
        else await make(connection, at(former), formerExists(former));
        const moves = async (from: string, to: string): Promise<readonly string[]> =>
          (await tablesOf(connection, from)).map((table) => `\`${from}\`.\`${table}\` TO \`${to}\`.\`${table}\``);
        const out = former === undefined ? [] : await moves(database, former);
        try {
          await run(connection, "SET SESSION lock_wait_timeout = 5");
          await run(connection, `RENAME TABLE ${[...out, ...(await moves(scratch, database))].join(", ")}`);
        } catch (thrown) {
          if (former !== undefined && (await tablesOf(connection, former)).length === 0) {
            await run(connection, `DROP DATABASE \`${former}\``);
          }
          throw vendorErrorOf(thrown).errno === lockWaitTimeout ? databaseInUse(database) : thrown;
        }
      }),
  };
};
