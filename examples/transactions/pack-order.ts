import { defineJob } from "postern";

/** Packs one order. */
export const packOrder = defineJob<{ order: number }>("orders.pack", async ({ order }, { log }) => {
  log("info", "an order is packed", { order });
});
