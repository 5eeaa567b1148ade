import { handlersFor, Permanent } from "@postern/server";
import { invoice } from "../invoices/invoice.ts";

const { defineJob } = handlersFor([invoice]);

/** Reminds the owner of one invoice. */
export const remind = defineJob<{ invoiceId: string }>(
  "invoices.remind",
  async ({ invoiceId }, { commit, log }) => {
    const state = await commit(async ({ invoices }) => {
      const [found] = await invoices.list({ id: invoiceId });
      if (found === undefined) throw new Permanent("the invoice was deleted");
      return found.state;
    });
    if (state === "sent") log("info", "an invoice is overdue", { invoice: invoiceId });
  },
  { priority: 10 },
);
