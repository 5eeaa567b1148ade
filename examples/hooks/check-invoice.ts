import { beforeWrite, Refused } from "@postern/server";
import { invoice } from "../invoices/invoice.ts";

/** Nobody deletes an invoice that was sent, and no amount is above the customer's limit. */
export const checkInvoice = beforeWrite(
  invoice,
  ({ before, row }) => {
    if (row === null && before?.state !== "draft") throw new Refused("invoice_sent", "This invoice was sent already.");
    if (row !== null && row.amount > 10_000) {
      throw new Refused("too_much", "More than 10,000 needs a contract.", { field: "amount" });
    }
  },
  { errors: { invoice_sent: "Only drafts can be deleted.", too_much: "The amount is above the limit." } },
);
