import type { Knex } from "knex";
import { newJob, type Postern } from "postern";
import { packOrder } from "./pack-order.ts";

/** The same in a transaction of your own Knex. */
export const placeOrder = (knex: Knex, postern: Postern, id: number): Promise<void> =>
  knex.transaction(async (trx) => {
    await trx("orders").insert({ id, state: "placed" });
    await postern.within(trx).enqueue(newJob(packOrder, { order: id }));
  });
