// @ts-check
import { defineConfig } from "postern";
import { markPaid } from "./handlers/mark-paid.js";
import { invoice } from "./resources/invoice.js";

export default defineConfig({
  resources: [invoice],
  handlers: [markPaid],
  // The secrets are in .env.
  providers: PROVIDERS,
});
