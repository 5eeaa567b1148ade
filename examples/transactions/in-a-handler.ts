import { newJob, on } from "postern";
import { packOrder } from "./pack-order.ts";

/** A paid order is marked paid and packed with one commit, which ends the job of the event as well. */
export const orderPaid = on<{ order: number }>("demo", "order.paid", async ({ data }, { commit }) => {
  await commit(async (_rows, tx) => {
    await tx.knex("orders").where({ id: data.order }).update({ state: "paid" });
    await tx.enqueue(newJob(packOrder, { order: data.order }));
  });
});
