import { handlersFor, Permanent } from "@postern/server";
import { z } from "zod";
import { invoice } from "../invoices/invoice.ts";

/** What the sender tells us. An event that does not fit is quarantined when it arrives. */
const payment = z.object({ number: z.string(), amount: z.number() });

const { on } = handlersFor([invoice], { demo: { "invoice.paid": payment } });

/** Marks my invoice paid when the webhook says so. */
export const markPaid = on("demo", "invoice.paid", async ({ data }, { commit, log }) => {
  await commit(async ({ invoices }) => {
    // Nobody else changes the invoice until the commit has ended.
    const { id, amount } = await invoices.find({ number: data.number }, { hold: true });
    if (amount !== data.amount) throw new Permanent("the payment is not the amount of the invoice");
    await invoices.move(id, "paid");
  });
  log("info", "an invoice is paid", { number: data.number });
});
