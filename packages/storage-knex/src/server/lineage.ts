import { storeReplaced } from "../replaced-store.ts";
import { vendorErrorOf } from "../translate-error.ts";

/** Runs a statement and returns its rows. */
type Rows = (sql: string) => Promise<{ origin: string }[]>;

/** The codes of MySQL and PostgreSQL for a table that does not exist. */
const noTable: ReadonlySet<string> = new Set(["ER_NO_SUCH_TABLE", "42P01"]);

/**
 * When a database took its first step. A replica and a restored backup have it from the original,
 * so a failover to one of them is no other lineage.
 */
export const originOf = async (rows: Rows): Promise<string | undefined> => {
  try {
    const [row] = await rows(
      "SELECT CONCAT(name, ' at ', migration_time) AS origin FROM schema_migration ORDER BY id LIMIT 1",
    );
    return row?.origin;
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
  let first: string | undefined;
  return {
    /** Asks the database that `rows` leads to. @throws AppError `unavailable`, see `storeReplaced`. */
    compare: async (rows: Rows): Promise<void> => {
      const found = await originOf(rows);
      first ??= found;
      if (found === first) return;
      const other = found === undefined ? "has no tables of Postern" : `began with ${found}`;
      throw storeReplaced(
        `the server that answers now has another database than the one that was opened: this one ${other}, that one began with ${first}, so nothing is accepted. Check where DATABASE_URL leads, and let it lead to the first one or to a replica of it`,
      );
    },
    /** Call it when this process itself has changed the steps. */
    forget: (): void => {
      first = undefined;
    },
  };
};

export type Lineage = ReturnType<typeof createLineage>;
