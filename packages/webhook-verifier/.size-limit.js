import { readdirSync, readFileSync } from "node:fs";

/**
 * Minified and gzipped, for every scheme: what the preset adds, then what a receiver ships altogether on
 * WebCrypto, engine and platform included.
 *
 * `size-baseline.json` has both figures of the 67 oldest schemes, in bytes, as they were before the package
 * was hardened against attacks. Each may be 5 % or 300 bytes larger than that, whichever is more.
 *
 * Since then a receiver also ships what tells repeats of every sender, the answers that senders need, and the
 * reading of headers in every form. Of those bytes, 100 ask the platform for an outline of the body, which only
 * Node's gives, and 280 tell places of secrets, methods and queries.
 */
const sinceThen = 2500;

/** What reads forms, multipart and CloudEvents, for senders whose bodies can be these. */
const reading = 1500;
const reads = new Set([
  "aws-eventbridge",
  "azure-event-grid",
  "basic-auth",
  "cloudevents",
  "contentful",
  "docusign",
  "dropbox-sign",
  "github",
  "google-channels",
  "google-cloud-scheduler",
  "google-cloud-tasks",
  "hookdeck",
  "hubspot-v2",
  "hubspot-v3",
  "mailchimp",
  "mailgun",
  "make",
  "oidc",
  "plivo",
  "qstash",
  "sanity",
  "sendgrid",
  "slack",
  "strava",
  "token",
  "twilio",
  "vonage",
  "zendesk",
]);
const forReading = (name) => (reads.has(name) ? reading : 0);

const baseline = JSON.parse(readFileSync(new URL("size-baseline.json", import.meta.url), "utf8"));

/** Schemes that came later, by what they bring with them; the others are 6.22 kB at most. */
const newer = {
  // Base64 beside hex, a handshake, several headers, or a JWT with a shared secret.
  6450: [
    "basic-auth",
    "bigcommerce",
    "cashfree",
    "chargebee",
    "cronofy",
    "heroku",
    "knock",
    "lago",
    "line",
    "linkedin",
    "livekit",
    "messagebird",
    "microsoft-teams",
    "mongodb-atlas",
    "netlify",
    "persona",
    "polar",
    "postmark",
    "sanity",
    "supabase",
    "vonage",
  ],
  // Settings or formats of their own.
  6700: ["monday", "adobe-commerce", "lark", "qstash"],
  // JWTs, public keys of one kind.
  7500: ["kinde", "paddle-classic", "saleor", "wix"],
  8010: ["bridge", "circle", "wechat-pay"],
  // The same, with key sets that are fetched.
  8550: ["fusionauth", "google-chat", "google-cloud-scheduler", "google-cloud-tasks", "lago-jwt", "oidc"],
};

const grown = (before) => Math.floor(Math.max(before * 1.05, before + 300));

const presetLimit = (name) => forReading(name) + (baseline[name] ? grown(baseline[name][0]) : 5280);

const wholeLimit = (name) => {
  const more = sinceThen + forReading(name);
  if (baseline[name]) return grown(baseline[name][1]) + more;
  return more + Number(Object.entries(newer).find(([, names]) => names.includes(name))?.[0] ?? 6220);
};

const camelCase = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

const modifyEsbuildConfig = (external) => (config) => ({
  ...config,
  conditions: ["import", "default"],
  platform: "neutral",
  external,
  logLevel: "error",
});

const names = readdirSync(new URL("src/schemes", import.meta.url)).map((file) => file.replace(/\.ts$/, ""));

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
