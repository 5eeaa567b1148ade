// @ts-check
import { handlersFor } from "postern";
import { invoice } from "../resources/invoice.js";

const { on } = handlersFor([invoice]);

/** Marks an invoice paid when the webhook says so: once, however often it comes. */
export const markPaid = on("SENDER", "invoice.paid", async ({ data }, { commit, log }) => {
  // Some senders, such as Stripe, put what the event is about into `object`.
  const { number } = Object(Object(data).object ?? data);
  await commit(async ({ invoices }) => {
    // Nobody else changes the invoice until the commit has ended. Without such an invoice the job runs again later.
    const { id } = await invoices.find({ number: String(number) }, { hold: true });
    await invoices.move(id, "paid");
  });
  log("info", "an invoice is paid", { number: String(number) });
});
