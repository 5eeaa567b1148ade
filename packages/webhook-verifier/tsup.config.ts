import { readdirSync } from "node:fs";
import { defineConfig } from "tsup";
import { library } from "../../tsup.base.ts";

/** One entry per scheme, so that each can be imported alone. */
const schemes = readdirSync(new URL("src/schemes", import.meta.url))
  .filter((file) => file !== "index.ts")
  .map((file) => file.replace(/\.ts$/, ""));

export default defineConfig(
  library(
    {
      index: "src/index.ts",
      engine: "src/engine.ts",
      "load-scheme": "src/load-scheme.ts",
      "platform/node": "src/platform/node.ts",
      "platform/web": "src/platform/web.ts",
      ...Object.fromEntries(schemes.map((name) => [`schemes/${name}`, `src/schemes/${name}.ts`])),
    },
    // `#platform` stays as it is: the runtime that loads the package chooses, by `imports` in
    // package.json.
    { format: ["esm", "cjs"], platform: "neutral", external: ["#platform", /^node:/], removeNodeProtocol: false },
  ),
);
