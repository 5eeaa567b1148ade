import { defineConfig } from "tsup";
import { library } from "../../tsup.base.ts";

export default defineConfig(library({ index: "src/index.ts", internal: "src/internal.ts" }));
