import { defineConfig } from "@postern/server";
import { invoice } from "../invoices/invoice.ts";
import { bookPayment } from "./book-payment.ts";
import { markPaid } from "./mark-paid.ts";
import { remind } from "./remind.ts";
import { closeBooks, findOverdue } from "./schedules.ts";
import { trackBalance } from "./track-balance.ts";

export default defineConfig({
  resources: [invoice],
  handlers: [markPaid, bookPayment, trackBalance],
  jobs: [remind],
  schedules: [findOverdue, closeBooks],
  queues: { books: { concurrency: 2, perSecond: 5 } },
});
