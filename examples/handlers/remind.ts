import { allRows, defineJob, Permanent } from "@postern/server";
import { invoice } from "../invoices/invoice.ts";

/** Reminds the owner of one invoice. */
export const remind = defineJob<{ invoiceId: string }>(
  "invoices.remind",
  async ({ invoiceId }, { commit, log }) => {
    const state = await commit(async ({ resources }) => {
      const found = await resources.find(invoice, invoiceId, allRows("reminders are for every user"), ["state"]);
      if (found === undefined) throw new Permanent("the invoice was deleted");
      return found.state;
    });
    if (state === "sent") log("info", "an invoice is overdue", { invoice: invoiceId });
  },
  { priority: 10 },
);
