import { defineConfig } from "tsup";
import { library } from "../../tsup.base.ts";

const entry = {
  index: "src/index.ts",
  ports: "src/ports.ts",
  internal: "src/internal.ts",
  "memory/index": "src/memory/index.ts",
  "testing/index": "src/testing/index.ts",
};

export default defineConfig(
  library(entry, {
    platform: "neutral",
    external: [/^node:/],
    // The contract suites use node:assert; nothing else of core sees Node's types (tsconfig.json).
    dts: { compilerOptions: { customConditions: [], noEmit: false, types: ["node"] } },
  }),
);
