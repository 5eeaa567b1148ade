import { readdirSync } from "node:fs";

/**
 * What a preset adds, minified and gzipped: 6 kB each, but for the one that is a protocol of its own. Then, for the record,
 * what a receiver ships altogether on WebCrypto: engine, platform and preset.
 */
const alone = (name) => (name === "rfc9421" ? "7.5 kB" : "6 kB");
const whole = { stripe: "7 kB", "standard-webhooks": "7 kB", discord: "9.5 kB", rfc9421: "10.8 kB" };

const camelCase = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

const modifyEsbuildConfig = (external) => (config) => ({
  ...config,
  conditions: ["import", "default"],
  platform: "neutral",
  external,
  logLevel: "error",
});

const names = readdirSync(new URL("src/schemes", import.meta.url))
  .filter((file) => file !== "index.ts")
  .map((file) => file.replace(/\.ts$/, ""));

const preset = (name) => ({ path: `dist/schemes/${name}.js`, import: `{ ${camelCase(name)} }`, gzip: true });

export default [
  ...names.map((name) => ({
    ...preset(name),
    name,
    limit: alone(name),
    modifyEsbuildConfig: modifyEsbuildConfig(["#platform"]),
  })),
  ...Object.entries(whole).map(([name, limit]) => ({
    ...preset(name),
    name: `createVerifier with ${name}`,
    import: { "dist/index.js": "{ createVerifier }", [`dist/schemes/${name}.js`]: `{ ${camelCase(name)} }` },
    limit,
    modifyEsbuildConfig: modifyEsbuildConfig([]),
  })),
];
