import { markerTable } from "../../schema/marker-table.ts";
import { createTable } from "../../schema/migrations/migration.ts";
import type { Connection } from "./connection.ts";

/** How far the copy of a table has come. */
export interface TableProgress {
  readonly rows: number;
  /** The key of the last row that was copied; absent if there is none yet. */
  readonly last?: readonly string[] | undefined;
  readonly isDone: boolean;
}

/** What the copy is to continue, and what it has taken away for its time. */
interface Begun {
  /** The number of the database that is copied: see `identityOf`. */
  readonly origin: number | undefined;
  /** The statements that give PostgreSQL its foreign keys back. */
  readonly foreignKeys: readonly string[];
}

/** The name of the row that holds `Begun`. No table has it. */
const begun = " begun";

const read = async <Content>({ rows }: Connection, name: string): Promise<Content | undefined> => {
  const [row] = await rows<{ content: string }>(`SELECT content FROM ${markerTable} WHERE name = ?`, [name]);
  // Only this module writes it.
  return row === undefined ? undefined : (JSON.parse(row.content) as Content);
};

const write = async ({ run }: Connection, name: string, content: Begun | TableProgress): Promise<void> => {
  await run(`DELETE FROM ${markerTable} WHERE name = ?`, [name]);
  await run(`INSERT INTO ${markerTable} (name, content) VALUES (?, ?)`, [name, JSON.stringify(content)]);
};

/** `undefined` before the first copy, and if a kill came before its first row. */
export const begunCopy = (connection: Connection): Promise<Begun | undefined> => read<Begun>(connection, begun);

/**
 * The statements that make the table. On MySQL they commit by themselves.
 */
export const makeMarker = async ({ run, types }: Connection): Promise<void> => {
  const columns = [`name ${types.ascii(64)} NOT NULL PRIMARY KEY`, `content ${types.longText} NOT NULL`];
  for (const statement of createTable(types, markerTable, columns)) await run(statement);
};

export const noteBegun = (connection: Connection, content: Begun): Promise<void> => write(connection, begun, content);

export const progressOf = async (connection: Connection, table: string): Promise<TableProgress> =>
  (await read<TableProgress>(connection, table)) ?? { rows: 0, isDone: false };

/** Call it in the transaction that has written the rows. */
export const noteProgress = (connection: Connection, table: string, progress: TableProgress): Promise<void> =>
  write(connection, table, progress);

export const dropMarker = ({ run }: Connection): Promise<void> => run(`DROP TABLE ${markerTable}`);
