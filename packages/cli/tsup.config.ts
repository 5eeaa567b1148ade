import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "tsup";
import { library } from "../../tsup.base.ts";

/** `postern mcp` searches the pages of its own version. */
const copyPages = async (): Promise<void> =>
  cpSync(fileURLToPath(new URL("../../docs", import.meta.url)), "dist/docs", {
    recursive: true,
    filter: (path) => !/\.[a-z]+$/.test(path) || path.endsWith(".md"),
  });

export default defineConfig(library({ index: "src/index.ts", main: "src/main.ts" }, { onSuccess: copyPages }));
