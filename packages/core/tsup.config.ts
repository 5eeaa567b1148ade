import { defineConfig } from "tsup";
import { library } from "../../tsup.base.ts";

export default defineConfig(
  library(
    { index: "src/index.ts", "memory/index": "src/memory/index.ts", "testing/index": "src/testing/index.ts" },
    { platform: "neutral", external: [/^node:/] },
  ),
);
