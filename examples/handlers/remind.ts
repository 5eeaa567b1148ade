import { handlersFor, Permanent } from "@postern/server";
import { invoice } from "../invoices/invoice.ts";

const { defineJob } = handlersFor([invoice]);

/** Reminds the customer of one invoice, once. */
export const remind = defineJob<{ invoiceId: string }>(
  "invoices.remind",
  async ({ invoiceId }, { read, commit, signal, idempotencyKey, now }) => {
    // 1. Read what the call needs.
    const [found] = await read(({ invoices }) => invoices.list({ id: invoiceId }));
    if (found === undefined) throw new Permanent("the invoice was deleted");
    if (found.state !== "sent" || found.reminded_at !== null) return;
    // 2. Call. If this throws, nothing was written, and the job runs again.
    const answer = await fetch("https://mail.example.com/messages", {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": idempotencyKey },
      body: JSON.stringify({ template: "reminder", invoice: found.number }),
      signal,
    });
    if (!answer.ok) throw new Error(`mail: ${answer.status}`);
    // 3. Write, and end the job. Somebody may have deleted the invoice meanwhile.
    await commit(async ({ invoices }) => {
      const [still] = await invoices.list({ id: invoiceId });
      if (still !== undefined) await invoices.update(invoiceId, { reminded_at: new Date(now()).toISOString() });
    });
  },
  { priority: 10 },
);
