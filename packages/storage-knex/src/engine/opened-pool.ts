import { EventEmitter } from "node:events";
import knex, { type Knex } from "knex";
import { queryBuilder } from "./query-builder.ts";
import { quietLog } from "./quiet-log.ts";

/** Knex never hands out a connection that is marked so. */
const markLost = (connection: object, reason: unknown): void => {
  Object.assign(connection, { __knex__disposed: reason });
};

/** How a pool gets connections, and gives them back. */
export interface Opener<Connection> {
  open(): Promise<Connection>;
  end(connection: Connection): Promise<void>;
}

/** A pool of Knex on connections of ours. */
export interface OpenedPool<Connection> {
  readonly knex: Knex;
  acquire(): Promise<Connection>;
  release(connection: Connection): Promise<void>;
  /** Gives back a connection whose state is not known. It is closed and never used again. */
  discard(connection: Connection): Promise<void>;
  /** Hands out none of the connections again that are open now. */
  renew(): void;
  close(): Promise<void>;
}

/**
 * Knex's own client, on connections of ours. The prototype's constructor is the only public way to
 * that client.
 */
export const openedClient = <Connection extends object>(
  name: "pg" | "mysql2" | "sqlite3",
  { open, end }: Opener<Connection>,
  connections = new Set<Connection>(),
): typeof Knex.Client => {
  const Base: typeof Knex.Client = queryBuilder(name).client.constructor;
  return class extends Base {
    _driver(): object {
      return {};
    }

    override async acquireRawConnection(): Promise<Connection> {
      const connection = await open();
      connections.add(connection);
      const dispose = (reason: unknown): void => {
        markLost(connection, reason ?? "the connection ended");
        connections.delete(connection);
      };
      if (connection instanceof EventEmitter) connection.on("error", dispose).on("end", () => dispose(undefined));
      return connection;
    }

    override destroyRawConnection(connection: Connection): Promise<void> {
      connections.delete(connection);
      return end(connection);
    }
  };
};

/** Runs `work` with Knex on a pool, and closes the pool. */
export const usingPool = async <Result>(
  pool: Pick<OpenedPool<object>, "knex" | "close">,
  work: (knex: Knex) => Promise<Result>,
): Promise<Result> => {
  try {
    return await work(pool.knex);
  } finally {
    await pool.close();
  }
};

/**
 * At least `idle` connections stay open once they were needed. `acquireMs`: how long a transaction waits
 * for a connection.
 */
export const openedPool = <Connection extends object>(
  clientOf: (connections: Set<Connection>) => typeof Knex.Client,
  { size, idle = 0, acquireMs }: { readonly size: number; readonly idle?: number; readonly acquireMs: number },
): OpenedPool<Connection> => {
  const connections = new Set<Connection>();
  const pool = knex({
    client: clientOf(connections),
    // Without it, Knex makes no pool.
    connection: {},
    useNullAsDefault: true,
    log: quietLog,
    acquireConnectionTimeout: acquireMs,
    pool: { min: idle, max: size },
  });
  // Knex types its client as `any`; these are the documented methods of `Knex.Client`.
  const client = pool.client as Knex.Client;
  return {
    knex: pool,
    acquire: () => client.acquireConnection(),
    release: (connection) => client.releaseConnection(connection),
    discard: (connection) => {
      markLost(connection, "its state is not known");
      return client.releaseConnection(connection);
    },
    renew: () => {
      for (const connection of connections) markLost(connection, "its server takes no writes any more");
    },
    close: () => pool.destroy(),
  };
};
