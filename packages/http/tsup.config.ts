import { defineConfig } from "tsup";
import { library } from "../../tsup.base.ts";

export default defineConfig(
  library({
    index: "src/index.ts",
    internal: "src/internal.ts",
    "node/index": "src/node/index.ts",
    "fetch/index": "src/fetch/index.ts",
    "testing/index": "src/testing/index.ts",
  }),
);
