import { allRows, equals, on, Permanent } from "@postern/server";
import { z } from "zod";
import { invoice } from "../invoices/invoice.ts";

/** What the sender tells us. An event that does not fit is quarantined when it arrives. */
const payment = z.object({ number: z.string(), amount: z.number() });

/** The parts of a stored invoice that we read. `parse` gives them their types. */
const storedInvoice = z.object({ id: z.string(), state: z.enum(["draft", "sent", "paid"]), amount: z.number() });

const everyInvoice = allRows("payments reach the invoices of every user");

/** Marks my invoice paid when the webhook says so. */
export const markPaid = on(
  "demo",
  "invoice.paid",
  async ({ data }, { commit, now, log }) => {
    await commit(async ({ resources }) => {
      const where = equals("number", data.number);
      // Locks the invoice until the commit has ended: nobody else changes it meanwhile.
      const [id] = await resources.hold(invoice, { scope: everyInvoice, where }, 1);
      if (id === undefined) throw new Permanent("there is no invoice with this number");
      const { state, amount } = storedInvoice.parse(await resources.find(invoice, id, everyInvoice));
      if (state === "paid") return;
      if (state !== "sent") throw new Permanent(`the invoice is a ${state}, and only a sent one can be paid`);
      if (amount !== data.amount) throw new Permanent("the payment is not the amount of the invoice");

      const at = new Date(now()).toISOString();
      await resources.update(invoice, { id, scope: everyInvoice }, { state: "paid", paid_at: at, updated_at: at });
    });
    log("info", "an invoice is paid", { number: data.number });
  },
  { schema: payment },
);
