import { defineConfig } from "tsup";
import { library } from "../../tsup.base.ts";

const entry = { index: "src/index.ts", internal: "src/internal.ts", "node-cron/index": "src/node-cron/index.ts" };

export default defineConfig(library(entry, { platform: "neutral", external: [/^node:/, "node-cron"] }));
