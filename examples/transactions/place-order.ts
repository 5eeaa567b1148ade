import { newJob, type Postern } from "postern";
import { packOrder } from "./pack-order.ts";

/** Stores an order and the job that packs it: both, or neither. */
export const placeOrder = (postern: Postern, id: number): Promise<void> =>
  postern.transaction(async (tx) => {
    await tx.knex("orders").insert({ id, state: "placed" });
    await tx.enqueue(newJob(packOrder, { order: id }));
  });
