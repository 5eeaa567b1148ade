import { readdirSync } from "node:fs";

/** The limit of every preset, minified and gzipped, with the engine; for Node and for everything else. */
const limit = "6 kB";

const names = readdirSync(new URL("src/schemes", import.meta.url))
  .filter((file) => file !== "index.ts")
  .map((file) => file.replace(/\.ts$/, ""));

const camelCase = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

const withConditions = (conditions, platform) => (config) => ({
  ...config,
  conditions,
  platform,
  external: ["node:crypto"],
  logLevel: "error",
});

export default names.map((name) => ({
  name,
  path: `dist/schemes/${name}.js`,
  import: { "dist/index.js": "{ createVerifier }", [`dist/schemes/${name}.js`]: `{ ${camelCase(name)} }` },
  limit,
  gzip: true,
  modifyEsbuildConfig: withConditions(["import", "default"], "neutral"),
}));
