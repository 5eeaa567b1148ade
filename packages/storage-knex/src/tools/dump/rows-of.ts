import { BackupRefused } from "../../engine/backup-refused.ts";
import { checksumOf, type TableSum } from "../copy/checksum.ts";
import type { Connection } from "../copy/connection.ts";
import { countRows, foundTable, tablesIn } from "../copy/tables.ts";

/** The rows of each table, and a checksum of each that has a primary key. */
export type DatabaseSums = ReadonlyMap<string, Pick<TableSum, "rows"> & Partial<TableSum>>;

/** Reads every row of a database. @throws BackupRefused `damaged` unless it is one of Postern. */
export const sumsOf = async (connection: Connection, named: string): Promise<DatabaseSums> => {
  const sums = new Map<string, Pick<TableSum, "rows"> & Partial<TableSum>>();
  for (const name of (await tablesIn(connection)).toSorted()) {
    const table = await foundTable(connection, name);
    sums.set(
      name,
      table === undefined ? { rows: await countRows(connection, name) } : await checksumOf(connection, table),
    );
  }
  if ((sums.get("schema_migration")?.rows ?? 0) > 0) return sums;
  throw new BackupRefused("damaged", `${named} is no database of Postern`);
};

export const rowsIn = (sums: DatabaseSums): Readonly<Record<string, number>> =>
  Object.fromEntries([...sums].map(([table, { rows }]) => [table, rows]));

/** The first table in which two databases differ. `undefined` if they are the same. */
export const differenceOf = (one: DatabaseSums, other: DatabaseSums): string | undefined =>
  [...new Set([...one.keys(), ...other.keys()])].find((table) => {
    const [left, right] = [one.get(table), other.get(table)];
    return left?.rows !== right?.rows || left?.checksum !== right?.checksum;
  });
