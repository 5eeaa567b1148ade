import type { SqliteDriverName } from "../engine/driver-names.ts";
import type { SqliteConnection } from "./driver/driver.ts";
import { loadDriver } from "./driver/load-driver.ts";

/** Runs a statement and returns its rows. */
export type Ask = SqliteConnection["all"];

/** A file, and the driver that opens it. Default: the first that works. */
export interface SqliteFile {
  readonly file: string;
  readonly driver?: SqliteDriverName | undefined;
}

/** Runs `work` on a connection of its own to an existing file. */
export const onSoleConnection = async <Result>(
  { file, driver: name }: SqliteFile,
  work: (ask: Ask) => Promise<Result>,
): Promise<Result> => {
  const driver = await loadDriver(name);
  const connection = await driver.open(file, { create: false });
  try {
    return await work((sql, values) => connection.all(sql, values));
  } finally {
    await connection.close();
  }
};
