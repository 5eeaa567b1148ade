import { defineConfig } from "@postern/server";
import { invoice } from "./invoices/invoice.ts";

export default defineConfig({ resources: [invoice] });
