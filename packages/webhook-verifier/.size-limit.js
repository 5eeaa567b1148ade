import { readdirSync } from "node:fs";

/**
 * Minified and gzipped, for every scheme: what the preset adds, 6.4 kB at most; then what a receiver ships altogether on
 * WebCrypto, engine and platform included: 7 kB, but for those that bring more with them.
 */
const heavier = {
  // Base64 beside hex, or a handshake.
  "7.3 kB": [
    "adyen-platform",
    "airtable",
    "asana",
    "basic-auth",
    "box",
    "cashfree",
    "chargebee",
    "cronofy",
    "docusign",
    "dropbox",
    "heroku",
    "knock",
    "line",
    "linkedin",
    "livekit",
    "messagebird",
    "meta",
    "monday",
    "netlify",
    "notion",
    "persona",
    "postmark",
    "quickbooks",
    "sanity",
    "shopify",
    "slack",
    "square",
    "supabase",
    "trello",
    "twitch",
    "typeform",
    "vonage",
    "woocommerce",
    "x",
    "xero",
    "zendesk",
    "zoom",
  ],
  // Signing twice, JWTs, key sources.
  "8.5 kB": [
    "ebay",
    "fireblocks",
    "google-pubsub",
    "hubspot-v3",
    "kinde",
    "paddle-classic",
    "paypal",
    "plaid",
    "saleor",
    "wix",
  ],
  // Public keys in every notation senders and people use.
  "9.3 kB": [
    "aws-sns",
    "circle",
    "discord",
    "fal",
    "github-secret-scanning",
    "google-chat",
    "google-cloud-scheduler",
    "google-cloud-tasks",
    "microsoft-graph",
    "oidc",
    "sendgrid",
    "telnyx",
    "truelayer",
    "turnkey",
    "wise",
  ],
  // Certificate chains; a protocol of its own.
  "10.1 kB": ["apple-app-store", "rfc9421"],
};
const wholeLimit = (name) => Object.entries(heavier).find(([, names]) => names.includes(name))?.[0] ?? "7 kB";

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
    limit: "6.4 kB",
    modifyEsbuildConfig: modifyEsbuildConfig(["#platform"]),
  })),
  ...names.map((name) => ({
    ...preset(name),
    name: `createVerifier with ${name}`,
    import: { "dist/index.js": "{ createVerifier }", [`dist/schemes/${name}.js`]: `{ ${camelCase(name)} }` },
    limit: wholeLimit(name),
    modifyEsbuildConfig: modifyEsbuildConfig([]),
  })),
];
