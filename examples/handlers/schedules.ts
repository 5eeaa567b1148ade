import { handlersFor, newJob } from "@postern/server";
import { invoice } from "../invoices/invoice.ts";
import { remind } from "./remind.ts";

const { schedule } = handlersFor([invoice]);

/** At nine each morning: one job for each invoice that is overdue. */
export const findOverdue = schedule(
  "invoices.overdue",
  "0 9 * * *",
  async ({ slot }, { commit }) => {
    const today = new Date(slot).toISOString().slice(0, 10);
    await commit(async ({ invoices }, { enqueue }) => {
      const overdue = await invoices.list({ state: "sent" }, { where: { field: "due_on", op: "lt", value: today } });
      const reminders = overdue.map(({ id }) => newJob(remind, { invoiceId: id }, { unique: { key: `remind ${id}` } }));
      await enqueue(...reminders);
    });
  },
  { timeZone: "Europe/Berlin" },
);

/** In the evening of the last day of each month. */
export const closeBooks = schedule("books.close", "0 18 L * *", async ({ slot }, { log }) => {
  log("info", "the books are closed", { at: new Date(slot).toISOString() });
});
