// @ts-check
import { allRows, equals, on, Permanent } from "postern";
import { invoice } from "../resources/invoice.js";

const everyInvoice = allRows("payments reach the invoices of every user");

/** Marks an invoice paid when the webhook says so: once, however often it comes. */
export const markPaid = on("SENDER", "invoice.paid", async ({ data }, { commit, now, log }) => {
  // Some senders, such as Stripe, put what the event is about into `object`.
  const { number } = Object(Object(data).object ?? data);
  await commit(async ({ resources }) => {
    const where = equals("number", String(number));
    // Locks the invoice until the commit has ended.
    const [id] = await resources.hold(invoice, { scope: everyInvoice, where }, 1);
    if (id === undefined) throw new Permanent(`there is no invoice ${number}`);
    const found = await resources.find(invoice, id, everyInvoice, ["state"]);
    if (found?.state === "paid") return;
    const at = new Date(now()).toISOString();
    await resources.update(invoice, { id, scope: everyInvoice }, { state: "paid", paid_at: at, updated_at: at });
  });
  log("info", "an invoice is paid", { number: String(number) });
});
