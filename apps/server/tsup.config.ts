import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { defineConfig, type Options } from "tsup";
import * as locales from "zod/locales";
import { library } from "../../tsup.base.ts";

/**
 * What `server.cjs` takes from node_modules: native modules, and what only some requests or
 * configurations need. apps/server/package.json names them, so that they are found from there.
 */
const outside = [
  "@postern/sqlite3",
  "@node-rs/argon2",
  "@zxcvbn-ts/language-common",
  "jiti",
  "jose",
  "koa-body",
  "mysql2",
  "nodemailer",
  "sqlite3",
  // Knex names the drivers of all its databases.
  "better-sqlite3",
  "mariadb/callback",
  "mysql",
  "oracledb",
  "pg",
  "pg-query-stream",
  "tedious",
];

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/** Zod's texts in 64 languages, each loaded when a configuration file asks for it. English stays. */
const zodLanguagesWhenAsked: Plugin = {
  name: "zod-languages-when-asked",
  setup: (build) => {
    build.onResolve({ filter: /\/locales\/index\.js$/ }, ({ importer }) =>
      /[\\/]zod[\\/]/.test(importer) ? { path: "zod/locales", namespace: "when-asked" } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: "when-asked" }, () => ({
      contents: Object.keys(locales)
        .map((name) => `export const ${name} = () => require("zod/locales").${name}();`)
        .join("\n"),
    }));
    build.onResolve({ filter: /^zod\/locales$/ }, ({ namespace }) =>
      namespace === "when-asked" ? { path: "zod/locales", external: true } : undefined,
    );
  },
};

/** A script with kept code cannot say `import()`; src/compiled-file.ts gives it a function that does. */
const importsByFunction: Plugin = {
  name: "imports-by-function",
  setup: (build) => {
    build.onEnd(({ outputFiles, metafile }) => {
      for (const file of outputFiles ?? []) {
        if (!file.path.endsWith(".cjs")) continue;
        const imports = Object.values(metafile?.outputs ?? {}).flatMap((output) =>
          output.imports.filter(({ kind, external }) => kind === "dynamic-import" && external === true),
        );
        let replaced = 0;
        const text = file.text.replaceAll(/\bimport\((?="[^"]+"\))/g, () => {
          replaced += 1;
          return "importModule(";
        });
        if (replaced !== imports.length) throw new Error(`${replaced} of ${imports.length} imports were replaced`);
        file.contents = new TextEncoder().encode(text);
      }
    });
  },
};

/** Vite builds the console into `dist/console`. */
const buildConsole = async (): Promise<void> => {
  const folder = fileURLToPath(new URL("../console", import.meta.url));
  const vite = createRequire(join(folder, "package.json")).resolve("vite/package.json");
  await promisify(execFile)(process.execPath, [join(dirname(vite), "bin", "vite.js"), "build"], { cwd: folder });
};

// Two builds share the folder, so neither may empty it.
rmSync("dist", { recursive: true, force: true });

export default defineConfig([
  library(
    {
      index: "src/index.ts",
      internal: "src/internal.ts",
      main: "src/bundled-main.ts",
      "early-signal": "src/early-signal.ts",
    },
    { clean: false },
  ),
  // The whole server as one file, from the sources of all packages: a start reads one file instead of a thousand.
  {
    entry: { server: "src/run-server.ts" },
    onSuccess: buildConsole,
    format: ["cjs"],
    target: "node20.19",
    platform: "node",
    outDir: "dist",
    sourcemap: true,
    splitting: false,
    noExternal: [new RegExp(`^(?!(${outside.join("|")})$)`)],
    external: outside,
    dts: false,
    banner: {
      js: '(function (exports, require, module, __filename, __dirname, importModule) { const bundleUrl = require("node:url").pathToFileURL(__filename).href;',
    },
    footer: { js: "})" },
    esbuildPlugins: [zodLanguagesWhenAsked, importsByFunction],
    esbuildOptions: (options) => {
      options.conditions = ["@postern/source"];
      options.define = { "import.meta.url": "bundleUrl" };
      options.metafile = true;
      // The text stays in memory. Names stay as they are, for the stacks of errors.
      options.minifyWhitespace = true;
      options.minifySyntax = true;
      options.lineLimit = 160;
      options.charset = "ascii";
    },
  },
]);
