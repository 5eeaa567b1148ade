import { readdirSync } from "node:fs";
import type { PluginBuild } from "esbuild";
import { defineConfig } from "tsup";
import { library } from "../../tsup.base.ts";

/** One entry per scheme, so that each can be imported alone. */
const schemes = readdirSync(new URL("src/schemes", import.meta.url)).map((file) => file.replace(/\.ts$/, ""));

/**
 * The tables of all schemes import them as files of their own. Otherwise each would be a chunk with
 * its code, and a second file that leads to it.
 */
const tablesOfSchemes = {
  name: "tables of schemes",
  setup: (build: PluginBuild): void => {
    const ending = build.initialOptions.outExtension?.[".js"] ?? ".js";
    build.onResolve({ filter: /\/[\w-]+\.ts$/ }, ({ importer, path }) => {
      const name = path.replace(/^.*\/(.*)\.ts$/, "$1");
      const isTable = /[\\/]generated[\\/]\w+\.ts$/.test(importer);
      return isTable && schemes.includes(name) ? { path: `./schemes/${name}${ending}`, external: true } : undefined;
    });
  },
};

export default defineConfig(
  library(
    {
      index: "src/index.ts",
      "all-schemes": "src/all-schemes.ts",
      "load-scheme": "src/load-scheme.ts",
      "platform/node": "src/platform/node.ts",
      "platform/web": "src/platform/web.ts",
      ...Object.fromEntries(schemes.map((name) => [`schemes/${name}`, `src/schemes/${name}.ts`])),
    },
    // `#platform` stays as it is: the runtime that loads the package chooses, by `imports` in
    // package.json.
    {
      format: ["esm", "cjs"],
      platform: "neutral",
      external: ["#platform", /^node:/],
      removeNodeProtocol: false,
      esbuildPlugins: [tablesOfSchemes],
    },
  ),
);
