import { defineConfig } from "tsup";
import { library } from "../../tsup.base.ts";

const entry = { index: "src/index.ts", internal: "src/internal.ts" };

export default defineConfig(library(entry, { platform: "neutral", external: [/^node:/] }));
