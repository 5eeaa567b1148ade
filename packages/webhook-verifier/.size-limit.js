import { readdirSync, readFileSync } from "node:fs";

/**
 * Minified and gzipped, for every scheme: what the preset adds, then what a receiver ships altogether on
 * WebCrypto, engine and platform included.
 *
 * `size-baseline.json` has both figures of the 67 oldest schemes, in bytes, as they were before the package
 * was hardened against attacks. Each may be 5 % or 300 bytes larger than that, whichever is more.
 */
const baseline = JSON.parse(readFileSync(new URL("size-baseline.json", import.meta.url), "utf8"));

/** Schemes whose whole bundle needs more than that, at what was measured. */
const needed = {
  // The shared parts alone exceed the 300 bytes for the smallest schemes: the bound on streamed bodies, lazy keys,
  // payload schemas, and the data and metadata of an event.
  "coinbase-cdp": 5500,
  "coinbase-commerce": 6200,
  "convoy-simple": 6140,
  dropbox: 6360,
  intercom: 6170,
  linear: 6180,
  paddle: 6180,
  vercel: 6140,
  workos: 6180,
  // Refuses RSA keys under 2048 bits or with a weak exponent, and Ed25519 points of small order: about 200 bytes.
  "apple-app-store": 9200,
  fal: 8290,
  telnyx: 8410,
  truelayer: 8080,
  turnkey: 8270,
  wise: 8400,
  // The same, and look-ups of keys that strangers cannot cause without limit.
  "aws-sns": 8380,
  ebay: 7890,
  fireblocks: 7430,
  "google-pubsub": 8000,
  "microsoft-graph": 8630,
  paypal: 7700,
  plaid: 7620,
  // Compares the headers of version and algorithm, as Box's own SDKs do.
  box: 6590,
  // Refuses bodies that are not UTF-8 JSON, against length extension.
  "hubspot-v1": 6360,
  "hubspot-v2": 6360,
  // Reads trailers and responses (`tr`, `req`), and says what a caller has to give for them.
  rfc9421: 9970,
};

/** The same for what a preset adds. */
const neededByPreset = { rfc9421: 6500 };

/** Schemes that came later, by what they bring with them; the others are 6.45 kB at most. */
const newer = {
  // Base64 beside hex, a handshake, or public keys of Standard Webhooks.
  6700: [
    "airtable",
    "basic-auth",
    "bigcommerce",
    "brex",
    "cashfree",
    "chargebee",
    "clerk",
    "cronofy",
    "dodo-payments",
    "grafana",
    "heroku",
    "knock",
    "lago",
    "line",
    "linkedin",
    "lithic",
    "liveblocks",
    "messagebird",
    "microsoft-teams",
    "monday",
    "mongodb-atlas",
    "openai",
    "polar",
    "postmark",
    "render",
    "replicate",
    "resend",
    "sanity",
    "seam",
    "supabase",
  ],
  // JWTs, public keys of one kind.
  7700: ["kinde", "paddle-classic", "saleor", "wix"],
  // Public keys in every notation that senders and people use.
  8750: ["circle", "fusionauth", "google-chat", "google-cloud-scheduler", "google-cloud-tasks", "lago-jwt", "oidc"],
};

const grown = (before) => Math.floor(Math.max(before * 1.05, before + 300));

const presetLimit = (name) => neededByPreset[name] ?? (baseline[name] ? grown(baseline[name][0]) : 5450);

const wholeLimit = (name) => {
  if (needed[name]) return needed[name];
  if (baseline[name]) return grown(baseline[name][1]);
  return Number(Object.entries(newer).find(([, names]) => names.includes(name))?.[0] ?? 6450);
};

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
    limit: `${presetLimit(name)} B`,
    modifyEsbuildConfig: modifyEsbuildConfig(["#platform"]),
  })),
  ...names.map((name) => ({
    ...preset(name),
    name: `createVerifier with ${name}`,
    import: { "dist/index.js": "{ createVerifier }", [`dist/schemes/${name}.js`]: `{ ${camelCase(name)} }` },
    limit: `${wholeLimit(name)} B`,
    modifyEsbuildConfig: modifyEsbuildConfig([]),
  })),
];
