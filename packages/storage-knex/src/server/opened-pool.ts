import type { EventEmitter } from "node:events";
import knex, { type Knex } from "knex";
import { queryBuilder } from "../query-builder.ts";
import { quietLog } from "../quiet-log.ts";

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
  /** Closes a connection whose state is not known. */
  discard(connection: Connection): Promise<void>;
  /** Hands out none of the connections again that are open now. */
  renew(): void;
  close(): Promise<void>;
}

/**
 * Knex's own client, on connections of ours. The prototype's constructor is the only public way to
 * that client.
 */
export const openedClient = <Connection extends EventEmitter>(
  name: "pg" | "mysql2",
  { open, end }: Opener<Connection>,
  connections: Set<Connection>,
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
      connection.on("error", dispose).on("end", () => dispose(undefined));
      return connection;
    }

    override destroyRawConnection(connection: Connection): Promise<void> {
      connections.delete(connection);
      return end(connection);
    }
  };
};

/** `acquireMs`: how long a transaction waits for a connection. */
export const openedPool = <Connection extends EventEmitter>(
  clientOf: (connections: Set<Connection>) => typeof Knex.Client,
  { size, acquireMs }: { readonly size: number; readonly acquireMs: number },
): OpenedPool<Connection> => {
  const connections = new Set<Connection>();
  const pool = knex({
    client: clientOf(connections),
    // Without it, Knex makes no pool.
    connection: {},
    log: quietLog,
    acquireConnectionTimeout: acquireMs,
    pool: { min: 0, max: size },
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
