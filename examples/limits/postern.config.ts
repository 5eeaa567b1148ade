import { defineConfig } from "@postern/server";
import { invoice } from "../invoices/invoice.ts";

export default defineConfig({
  resources: [invoice],
  limits: { rates: { default: { limit: 120, windowMs: 60_000 } } },
  queues: { books: { perSecond: 5 } },
  quotas: { invoices: { rows: 10_000 } },
});
