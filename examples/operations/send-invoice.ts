import { defineOperation, ownedBy, Refused, z } from "@postern/server";
import { invoice } from "../invoices/invoice.ts";

/** Sends an invoice to its customer: `POST /invoices/{id}/send`. */
export const sendInvoice = defineOperation({
  id: "invoices.send",
  method: "POST",
  path: "/invoices/{id}/send",
  summary: "Send an invoice to a customer",
  on: invoice,
  access: ownedBy("user_id"),
  resources: [invoice],
  input: z.object({ to: z.email(), note: z.string().max(500).default("") }),
  output: z.object({ number: z.string(), sent_at: z.string() }),
  errors: { not_a_draft: "Only a draft can be sent.", no_amount: "The invoice has no amount." },
  handle: async ({ row, body, write, now }) => {
    if (row.amount === 0) throw new Refused("no_amount", `Invoice ${row.number} has no amount.`);
    return write(async (tx) => {
      // Others may have sent it since `row` was read. From here on nobody else changes it.
      const held = await tx.rows.invoices.get(row.id, { hold: true });
      if (held.state !== "draft") throw new Refused("not_a_draft", `Invoice ${held.number} was sent before.`);
      await tx.rows.invoices.move(row.id, "sent");
      await tx.mail({
        to: body.to,
        subject: `Invoice ${held.number}`,
        text: `${body.note}\n\nPlease pay ${held.amount} ${held.currency} by ${held.due_on}.\n`,
      });
      return { number: held.number, sent_at: new Date(now()).toISOString() };
    });
  },
});
