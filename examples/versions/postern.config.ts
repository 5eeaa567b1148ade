import { builtInVersions, defineConfig } from "@postern/server";
import { invoice } from "../invoices/invoice.ts";
import { v3 } from "./v3.ts";

export default defineConfig({ resources: [invoice], versions: [...builtInVersions, v3] });
