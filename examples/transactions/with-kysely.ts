import { Kysely, PostgresDialect } from "kysely";
import type { Pool, PoolClient } from "pg";
import { newJob, type Postern } from "postern";
import { packOrder } from "./pack-order.ts";

interface Tables {
  readonly orders: { readonly id: number; readonly state: string };
}

/** Kysely on one connection, so that the transaction has no other. */
const kyselyOn = (client: PoolClient): Kysely<Tables> => {
  const lent = { query: client.query.bind(client), release: () => undefined };
  const pool = { connect: async () => lent, end: async () => undefined };
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
};

export const placeOrder = async (pool: Pool, postern: Postern, id: number): Promise<void> => {
  const client = await pool.connect();
  try {
    const kysely = kyselyOn(client);
    await kysely.transaction().execute(async (trx) => {
      await trx.insertInto("orders").values({ id, state: "placed" }).execute();
      await postern.within(client).enqueue(newJob(packOrder, { order: id }));
    });
  } finally {
    client.release();
  }
};
