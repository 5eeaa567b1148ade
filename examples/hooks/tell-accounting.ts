import { afterCommit } from "@postern/server";
import { invoice } from "../invoices/invoice.ts";

/** Tells the accounting of each invoice that is paid, in the order in which an invoice changes. */
export const tellAccounting = afterCommit(
  invoice,
  "tell-accounting",
  async ({ changed, row }, { idempotencyKey, log }) => {
    if (row?.state !== "paid" || !changed.includes("state")) return;
    // The key is the same at every try, so that the accounting books it once.
    log("info", "an invoice is paid", { number: row.number, key: idempotencyKey });
  },
  { order: "row" },
);
