import type { Database, IdSource, Session, Statement } from "./database.ts";
import type { Dialect } from "./dialect.ts";

/** A transaction of the application in which stores take part. */
export interface JoinedDatabase {
  readonly database: Database;
  /**
   * Runs `action` after the application's commit. It never runs if nothing tells of the commit; then
   * workers find the jobs when they look for work by themselves.
   */
  afterCommit(action: () => void): void;
}

/** The database as stores see it within the application's transaction. `open` is called before each use. */
export const joinedDatabase = (dialect: Dialect, ids: IdSource, open: () => Promise<Session>): Database => {
  const rows = async <Row extends object>({ sql, values }: Statement): Promise<Row[]> =>
    (await open()).rows<Row>(sql, values);
  return {
    dialect,
    ids,
    read: async (work) => work(await open()),
    write: async (work) => work(await open()),
    select: rows,
    selectOne: async <Row extends object>(statement: Statement): Promise<Row | undefined> => {
      const [row] = await rows<Row>(statement);
      return row;
    },
  };
};
