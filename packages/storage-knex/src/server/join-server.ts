import type { IdSource, Session } from "../database.ts";
import type { Dialect } from "../dialect.ts";
import { type JoinedDatabase, joinedDatabase } from "../joined-database.ts";
import { afterCommitOf, isElsewhere, ownConnectionOf, requireOpenTrx } from "../own-connection.ts";
import type { Lineage } from "./lineage.ts";
import type { JoinedConnections } from "./server.ts";

interface JoinParts {
  readonly dialect: Dialect;
  readonly joined: JoinedConnections;
  readonly ids: IdSource;
  readonly lineage: Pick<Lineage, "compare">;
  /** Makes sure that the lineage knows Postern's own database. */
  requireSame(): Promise<void>;
}

/** Lets stores take part in transactions that the application has begun on the same database. */
export const joinServer = ({ dialect, joined, ids, lineage, requireSame }: JoinParts) => {
  /** Connections that lead to Postern's database. */
  const known = new WeakSet<object>();

  const requireKnown = async (connection: object, session: Session): Promise<void> => {
    if (known.has(connection)) return;
    await requireSame();
    try {
      await lineage.compare((sql) => session.rows(sql));
    } catch (thrown) {
      throw isElsewhere(thrown);
    }
    known.add(connection);
  };

  return (given: unknown): JoinedDatabase => {
    const { open: connect, trx } = ownConnectionOf(given, dialect.name);
    let opened: Promise<Session> | undefined;
    const begun = async (connection: object): Promise<Session> => {
      const session = joined.session(connection);
      await requireKnown(connection, session);
      return session;
    };
    const open = async (): Promise<Session> => {
      const connection = await connect();
      if (trx === undefined) await joined.requireBegun(connection);
      else requireOpenTrx(trx);
      opened ??= begun(connection);
      return opened;
    };
    return {
      database: joinedDatabase(dialect, ids, open),
      afterCommit: (action) => afterCommitOf(trx, action),
    };
  };
};
