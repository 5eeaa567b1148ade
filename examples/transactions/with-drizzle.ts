import { int, mysqlTable, varchar } from "drizzle-orm/mysql-core";
import { drizzle } from "drizzle-orm/mysql2";
import type { Pool } from "mysql2/promise";
import { newJob, type Postern } from "postern";
import { packOrder } from "./pack-order.ts";

const orders = mysqlTable("orders", { id: int().primaryKey(), state: varchar({ length: 20 }).notNull() });

export const placeOrder = async (pool: Pool, postern: Postern, id: number): Promise<void> => {
  const connection = await pool.getConnection();
  try {
    await drizzle({ client: connection }).transaction(async (trx) => {
      await trx.insert(orders).values({ id, state: "placed" });
      await postern.within(connection).enqueue(newJob(packOrder, { order: id }));
    });
  } finally {
    connection.release();
  }
};
