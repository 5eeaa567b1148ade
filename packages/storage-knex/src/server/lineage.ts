import { storeReplaced } from "../engine/replaced-store.ts";
import { vendorErrorOf } from "../engine/translate-error.ts";

/** Runs a statement and returns its rows. */
type Rows = (sql: string) => Promise<{ number: number | string }[]>;

/** The codes of MySQL and PostgreSQL for a table that does not exist. */
const noTable: ReadonlySet<string> = new Set(["ER_NO_SUCH_TABLE", "42P01"]);

/**
 * The number by which a database is known: drawn once, and stored. A replica and a restored backup have
 * it from the original, so a failover to one of them is no other database. It is a number, because the
 * settings of a session change how a time is written. `undefined` before the first migration.
 */
export const identityOf = async (rows: Rows): Promise<number | undefined> => {
  try {
    const [row] = await rows("SELECT number FROM database_identity");
    return row === undefined ? undefined : Number(row.number);
  } catch (thrown) {
    if (noTable.has(vendorErrorOf(thrown).code)) return undefined;
    throw thrown;
  }
};

/**
 * Tells whether connections lead to the database that was opened first. After a failover, a name or
 * an address may lead to a server with other data.
 */
export const createLineage = () => {
  let first: number | undefined;
  return {
    /** Asks the database that `rows` leads to. @throws AppError `unavailable`, see `storeReplaced`. */
    compare: async (rows: Rows): Promise<void> => {
      const found = await identityOf(rows);
      first ??= found;
      if (found === first) return;
      const other = found === undefined ? "has no tables of Postern" : `has the number ${found}`;
      throw storeReplaced(
        `the server that answers now has another database than the one that was opened: this one ${other}, that one has ${first}, so nothing is accepted. Check where DATABASE_URL leads, and let it lead to the first one or to a replica of it`,
      );
    },
    /** Call it when this process itself has undone a step, which may be the one that draws the number. */
    forget: (): void => {
      first = undefined;
    },
  };
};

export type Lineage = ReturnType<typeof createLineage>;
