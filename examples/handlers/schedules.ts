import { allRows, equals, newJob, schedule } from "@postern/server";
import { invoice } from "../invoices/invoice.ts";
import { remind } from "./remind.ts";

const everyInvoice = allRows("reminders are for every user");

/** At nine each morning: one job for each invoice that is overdue. */
export const findOverdue = schedule(
  "invoices.overdue",
  "0 9 * * *",
  async ({ slot }, { commit, now }) => {
    const today = new Date(slot).toISOString().slice(0, 10);
    await commit(async ({ resources, jobs }) => {
      const overdue = await resources.list(invoice, {
        scope: everyInvoice,
        where: { all: [equals("state", "sent"), { field: "due_on", op: "lt", value: today }] },
        fields: ["id"],
        order: [{ field: "id", direction: "asc" }],
        limit: 1_000,
      });
      const reminders = overdue.map(({ id }) =>
        newJob(remind, { invoiceId: String(id) }, { unique: { key: `remind ${id}` } }),
      );
      await jobs.enqueue(reminders, now());
    });
  },
  { timeZone: "Europe/Berlin" },
);

/** In the evening of the last day of each month. */
export const closeBooks = schedule("books.close", "0 18 L * *", async ({ slot }, { log }) => {
  log("info", "the books are closed", { at: new Date(slot).toISOString() });
});
