import { build } from "esbuild";

/** Drivers that are loaded only where they are installed, and a library with a compiled part. */
const external =
  "better-sqlite3 sqlite3 @postern/sqlite3 @node-rs/argon2 mariadb mysql oracledb pg-native pg-query-stream tedious";

await build({
  entryPoints: ["app.mjs"],
  outfile: "dist/app.mjs",
  bundle: true,
  minify: true,
  platform: "node",
  format: "esm",
  external: external.split(" "),
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
});
