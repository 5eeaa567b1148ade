/**
 * Writes what follows from the files in `src/schemes`: the lists in `src/generated`, the tables in
 * the README and the pages in `docs/senders`. Run it with `node --conditions=@postern/source
 * --import tsx scripts/docs.ts`. A test fails if they differ from what this would write.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { RepeatRule, Scheme } from "../src/index.ts";
import { namesIn } from "../src/places.ts";
import { ruleWithoutId } from "../src/repeat-rules.ts";
import type { Presence } from "../src/scheme.ts";
import { allSchemes as all, camelCase, factsOf, windowOf } from "./facts.ts";
import { loadersModule, schemesModule } from "./lists.ts";
import { unsignedSenders, waitingSenders } from "./other-senders.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", "\\n");
const code = (text: string): string => (text.includes("`") ? text : `\`${text}\``);

const headersOf = (scheme: Scheme): string =>
  factsOf(scheme)
    .headers.map((header) => code(header))
    .join(", ") || (scheme.credentials.includes("query:secret") ? "in the query" : "in the body");

/** The table of all schemes. */
export const schemeTable = (): string =>
  [
    "| scheme | sender | headers | algorithm | covered | window | handshake | confidence |",
    "|---|---|---|---|---|---|---|---|",
    ...all.map((scheme) =>
      [
        `[\`${scheme.name}\`](../../docs/senders/${scheme.name}.md)`,
        scheme.title,
        headersOf(scheme),
        scheme.key.algorithms.join(", "),
        scheme.covered.join(", "),
        windowOf(scheme),
        factsOf(scheme).handshake === undefined ? "" : "yes",
        factsOf(scheme).confidence,
      ]
        .map(cell)
        .join(" | ")
        .replace(/^/, "| ")
        .concat(" |"),
    ),
  ].join("\n");

const confidences = {
  confirmed: "read in the sender's own documentation, SDK or specification",
  "second-hand": "known from other libraries and guides; the sender's own documentation could not be read",
  unconfirmed: "**unconfirmed**: no source could be read",
} as const;

const settingsPart = ({ settings }: Scheme): readonly string[] =>
  settings === undefined
    ? []
    : [
        "## Settings",
        "",
        ...Object.entries(settings).map(
          ([name, { about, required, list }]) =>
            `- \`${name}\`${required === true ? " (required)" : ""}${list === true ? " (a list)" : ""}: ${about}.`,
        ),
        "",
      ];

/** `body:a|b` means the first of the two that is present. */
const alternatives = (place: string): string => {
  const kind = place.slice(0, place.indexOf(":") + 1);
  return namesIn(place)
    .map((name) => code(`${kind}${name}`))
    .join(", else ");
};

const placeOf = (place: Scheme["id"]): string =>
  place === undefined ? "none" : (typeof place === "string" ? [place] : place).map(alternatives).join(" and ");

const metadataRows = ({ metadata = {} }: Scheme): readonly string[] =>
  Object.entries({
    "delivery id": metadata.deliveryId,
    attempt: metadata.attempt,
    "API version": metadata.apiVersion,
  }).flatMap(([name, place]) => (place === undefined ? [] : [`| ${name} | ${placeOf(place)} |`]));

/** The answer that a sender needs, in words. */
const answerOf = ({ status, headers, body }: NonNullable<Scheme["answer"]>): string =>
  body === ""
    ? `${status} without a body; refusals have none either`
    : `${status} with ${code(`Content-Type: ${headers["content-type"]}`)} and the body ${code(body)}`;

const units = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
  [1, "second"],
] as const;

/** In the largest unit that divides it. */
const durationOf = (seconds: number): string => {
  const [length, unit] = units.find(([length]) => seconds % length === 0) ?? [1, "second"];
  const count = seconds / length;
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
};

/** A rule in a few words. Without a place it speaks of the scheme's own id. */
const ruleOf = (rule: RepeatRule): string => {
  switch (rule.by) {
    case "signed-id":
      return rule.id === undefined ? "signed id" : `signed id ${placeOf(rule.id)}`;
    case "unsigned-id":
      return rule.id === undefined ? "unsigned id" : `unsigned id ${placeOf(rule.id)}`;
    case "body": {
      const what = rule.exact === true ? "all that is signed" : "body";
      const without = rule.without === undefined ? "" : ` without ${rule.without.map(code).join(", ")}`;
      const beside = rule.with === undefined ? "" : ` with ${placeOf(rule.with)}`;
      return `${what}${without}${beside}, ${durationOf(rule.windowSeconds)}`;
    }
    case "none":
      return "nothing";
  }
};

/**
 * The rules of a scheme. Where all go by ids and not every event has one, the rule that counts then
 * is the last.
 */
const rulesOf = ({ repeats = [], covered, promises }: Scheme): readonly RepeatRule[] => {
  const goesByIds = ({ by }: RepeatRule): boolean => by === "signed-id" || by === "unsigned-id";
  return promises?.id !== "promised" && repeats.every(goesByIds) ? [...repeats, ruleWithoutId(covered)] : repeats;
};

/** The page or source of a scheme's rules, and how certain it is. */
const repeatFacts = (scheme: Scheme) => {
  const { repeats, source } = factsOf(scheme);
  return { source: repeats?.source ?? source, confidence: repeats?.confidence ?? "confirmed", note: repeats?.note };
};

/** What makes a delivery of each scheme a repeat, with its source. */
const repeatTable = (): string =>
  [
    "| scheme | what tells a repeat | source |",
    "|---|---|---|",
    ...all.map((scheme) => {
      const { source, confidence } = repeatFacts(scheme);
      const link = `[${new URL(source).hostname}](${source})`;
      const told = confidence === "confirmed" ? link : `${link}, ${confidence}`;
      const rules = rulesOf(scheme).map(ruleOf).join("; else ");
      return `| [\`${scheme.name}\`](../../docs/senders/${scheme.name}.md#repeats) | ${cell(rules)} | ${cell(told)} |`;
    }),
  ].join("\n");

/** What an id risks that is not signed. */
const riskOf = (scheme: Scheme): string => {
  const { covered } = scheme;
  const own = factsOf(scheme).repeats?.risk;
  if (own !== undefined) return `Risk: ${own}`;
  if (covered.includes("sender")) return "This risks nothing: only the sender is proved, who can send anything anyway.";
  const replay = "Risk: Somebody who has seen a delivery can send it again under another id";
  return covered.includes("timestamp") ? `${replay}, as long as its time is accepted.` : `${replay}.`;
};

/** Why nothing tells repeats where less than the body is signed and there is no id. */
const whyNothing = "The body is not signed, so two events may have the same.";

/** Why a rule counts nothing, or what it risks. */
const reasonOf = (scheme: Scheme, { by }: RepeatRule): string => {
  if (by === "none") return `: every delivery is an event of its own. ${factsOf(scheme).repeats?.why ?? whyNothing}`;
  return by === "unsigned-id" ? `. ${riskOf(scheme)}` : ".";
};

/** What makes a delivery a repeat, on the scheme's page. */
const repeatsPart = (scheme: Scheme): readonly string[] => {
  const { source, confidence, note } = repeatFacts(scheme);
  const rules = rulesOf(scheme);
  const about =
    rules.length === 1
      ? "What tells whether a delivery is a repeat of an earlier one:"
      : "What tells whether a delivery is a repeat of an earlier one; the first line that it fits decides:";
  return [
    "## Repeats",
    "",
    about,
    "",
    ...rules.map((rule) => `- ${ruleOf(rule)}${reasonOf(scheme, rule)}`),
    "",
    ...(scheme.items === undefined ? [] : ["Events of a batch that have an id are told apart by it.", ""]),
    ...(note === undefined ? [] : [note, ""]),
    `Source: <${source}>${confidence === "confirmed" ? "" : `, ${confidence}`}`,
    "",
  ];
};

/** What an event without an id or a type is, by what the sender promises. */
const presences: Readonly<Record<Presence, string>> = {
  promised: "promised: an event without one is malformed, and quarantined",
  usual: "usual: an event without one is taken",
  absent: "the sender gives none",
  unknown: "not known: an event without one is taken",
};

const presenceOf = ({ promises }: Scheme, part: "id" | "type"): Presence => promises?.[part] ?? "unknown";

/** Which events have an id and a type, on the scheme's page. */
const promisesPart = (scheme: Scheme): readonly string[] => {
  const { promises } = factsOf(scheme);
  const source = promises?.source ?? repeatFacts(scheme).source;
  return [
    "## Id and type",
    "",
    `- id: ${presences[presenceOf(scheme, "id")]}.`,
    `- type: ${presences[presenceOf(scheme, "type")]}.`,
    "",
    ...(promises?.note === undefined ? [] : [promises.note, ""]),
    `Source: <${source}>`,
    "",
  ];
};

/** The path of its webhooks at a server of Postern. */
const addressOf = ({ name }: Scheme): string => `https://<your server>/api/webhooks/${name}`;

/** True if the keys are found by a function, so that nobody copies them. */
const isFetched = (scheme: Scheme): boolean => factsOf(scheme).keyFrom.startsWith("`");

const keyStep = (scheme: Scheme): string => {
  if (isFetched(scheme)) return "There is no key to copy: Postern gets it as shown below.";
  return `${scheme.key.secret === true ? "The secret" : "The key"}: ${factsOf(scheme).keyFrom}`;
};

/** What to do at the sender. */
const therePart = (scheme: Scheme): readonly string[] => {
  const { handshake } = factsOf(scheme);
  return [
    `## At ${scheme.title}`,
    "",
    `1. Give it this address for its webhooks: \`${addressOf(scheme)}\`.`,
    `2. ${keyStep(scheme)}`,
    ...(handshake === undefined ? [] : [`3. It checks the address; Postern answers. ${handshake}.`]),
    "",
  ];
};

const shell = (...lines: readonly string[]): readonly string[] => ["```sh", ...lines, "```", ""];

const requiredSettings = ({ settings = {} }: Scheme) =>
  Object.entries(settings).filter(([, { required }]) => required === true);

/** The required settings as members of an object. */
const settingsObject = (scheme: Scheme): string =>
  requiredSettings(scheme)
    .map(([name, { list }]) => `${name}: ${list === true ? '["…"]' : '"…"'}`)
    .join(", ");

/** What a configuration file imports, for keys that are looked up by a function. */
const sources: Readonly<Record<string, string>> = {
  snsCertificates: "@postern/webhook-verifier/schemes/aws-sns",
  paypalCertificates: "@postern/webhook-verifier/schemes/paypal",
  keyLookup: "@postern/webhook-verifier",
};

/** How the server gets the key: by a variable, a command or a configuration file. */
const keyPart = (scheme: Scheme): readonly string[] => {
  const { name, key, keyComes, settings = {} } = scheme;
  const { keyFrom } = factsOf(scheme);
  const variable = `WEBHOOK_${name.toUpperCase().replaceAll("-", "_")}`;
  const add = ["postern providers add", name, ...requiredSettings(scheme).map(([setting]) => `--setting ${setting}=…`)];
  if (keyComes === "handshake")
    return [
      "The key comes with the first call, so add the sender while the server runs, before you make the webhook:",
      "",
      ...shell([...add, ...("acceptSecret" in settings ? ["--setting acceptSecret=yes"] : [])].join(" ")),
    ];
  if (keyComes === "check")
    return [
      "It calls before it gives its key. Add it without one, make the webhook, and give the key at once:",
      "",
      ...shell(`${add.join(" ")} --without-key`, `postern providers rotate ${name}`),
    ];
  if (key.secret === true)
    return [
      "Start the server with the secret, or add it while the server runs:",
      "",
      ...shell(`${variable}_SECRET=… npm start`, `${add.join(" ")}          # asks for the secret`),
    ];
  const source = Object.keys(sources).find((one) => keyFrom.includes(`${one}(`));
  if (source !== undefined) {
    const call = source === "keyLookup" ? "keyLookup(async (id) => ({ key: await findKey(id) }))" : `${source}()`;
    const inside = settingsObject(scheme) === "" ? "" : `, settings: { ${settingsObject(scheme)} }`;
    const quoted = /^[a-z]+$/.test(name) ? name : `"${name}"`;
    return [
      source === "keyLookup"
        ? "The configuration file has a function that gets the key of an id from the sender's API:"
        : "The configuration file says where the keys come from:",
      "",
      "```ts",
      'import { defineConfig } from "@postern/server";',
      `import { ${source} } from "${sources[source]}";`,
      ...(source === "keyLookup"
        ? [
            "",
            "/** Asks the sender's API for the text of the key. */",
            "declare const findKey: (id: string) => Promise<string>;",
          ]
        : []),
      "",
      `export default defineConfig({ providers: { ${quoted}: { keySource: ${call}${inside} } } });`,
      "```",
      "",
    ];
  }
  const url = /jwks\("(https:[^"<]+)"\)/.exec(keyFrom)?.[1] ?? "https://…";
  if (/jwks\("[^"]+", \{/.test(keyFrom))
    return ["Its list of keys has a form of its own, so receive it with the verifier, as below.", ""];
  if (keyFrom.includes("jwks("))
    return requiredSettings(scheme).length > 0
      ? ["Its public keys have an address:", "", ...shell(`${add.join(" ")} --jwks-url ${url}`)]
      : ["Its public keys have an address:", "", ...shell(`${variable}_JWKS_URL=${url} npm start`)];
  return [
    "Start the server with its public key, or add it while the server runs:",
    "",
    ...shell(`${variable}_PUBLIC_KEY_FILE=key.pem npm start`, `${add.join(" ")} --key-file key.pem`),
  ];
};

/** What to set at Postern. */
const herePart = (scheme: Scheme): readonly string[] => [
  "## Here",
  "",
  ...keyPart(scheme),
  ...(scheme.covered.includes("url")
    ? ["The signature covers the address, so set `POSTERN_PUBLIC_URL` to the one that the sender calls.", ""]
    : []),
  ...(scheme.key.secret === true && (scheme.sign !== undefined || scheme.layout !== undefined)
    ? [
        "Try it without the sender. The second command shows what became of it:",
        "",
        ...shell(`postern send ${scheme.name}`, "postern events list"),
      ]
    : []),
];

/** The page of one scheme. */
export const schemePage = (scheme: Scheme): string => {
  const { name, title, key } = scheme;
  const facts = factsOf(scheme);
  const settings = settingsObject(scheme);
  return [
    `# ${title}`,
    "",
    ...therePart(scheme),
    ...herePart(scheme),
    ...promisesPart(scheme),
    ...repeatsPart(scheme),
    "## What is signed",
    "",
    "| | |",
    "|---|---|",
    `| key | ${cell(key.about)} |`,
    ...(isFetched(scheme) ? [`| where the keys are | ${cell(facts.keyFrom)} |`] : []),
    `| headers | ${headersOf(scheme)} |`,
    `| algorithm | ${key.algorithms.join(", ")}, written as ${facts.encoding} |`,
    `| signed content | ${code(cell(facts.signed))} |`,
    `| covered | ${scheme.covered.join(", ") || "nothing"} |`,
    `| event id | ${placeOf(scheme.id)}${scheme.covered.includes("id") ? "" : ", not covered"} |`,
    `| event type | ${placeOf(scheme.type)}${scheme.covered.includes("type") ? "" : ", not covered"} |`,
    `| data | ${scheme.data === undefined ? "the whole payload" : `${code(`body:${scheme.data}`)}, or the whole payload where there is none`} |`,
    ...metadataRows(scheme),
    ...(scheme.headers === undefined ? [] : [`| headers a handler gets | ${scheme.headers.map(code).join(", ")} |`]),
    ...(scheme.methods === undefined ? [] : [`| methods | ${["POST", ...scheme.methods].join(", ")} |`]),
    `| window | ${windowOf(scheme)} |`,
    ...(scheme.answer === undefined ? [] : [`| answer | ${cell(answerOf(scheme.answer))} |`]),
    `| confidence | ${facts.confidence}: ${confidences[facts.confidence]} |`,
    `| source | <${facts.source}> |`,
    "",
    ...settingsPart(scheme),
    ...(facts.notes === undefined ? [] : ["## Good to know", "", ...facts.notes.map((note) => `- ${note}`), ""]),
    "## Only the verifier",
    "",
    "```ts",
    'import { createVerifier, handleWebhook } from "@postern/webhook-verifier";',
    `import { ${camelCase(name)} } from "@postern/webhook-verifier/schemes/${name}";`,
    "",
    `const verifier = createVerifier(${camelCase(name)}, { keys: "…"${settings === "" ? "" : `, settings: { ${settings} }`} });`,
    "",
    "export const POST = handleWebhook(verifier, async ({ type, payload }) => {",
    "  console.log(type, payload);",
    "});",
    "```",
    "",
    "_Generated from the scheme by `scripts/docs.ts` of",
    "[@postern/webhook-verifier](../../packages/webhook-verifier/README.md)._",
    "",
  ].join("\n");
};

/** The list of all senders. */
export const sendersPage = (): string =>
  [
    "# Senders",
    "",
    `Postern knows how ${namedSchemes.length} senders sign, and ${all.length - namedSchemes.length} ways that no one sender owns. Each has a page: what to`,
    "click there, what to set here, and what makes a delivery a repeat.",
    "",
    "If yours is missing, look whether it signs as",
    "[Standard Webhooks](standard-webhooks.md), by a [token](token.md) or by [basic authentication](basic-auth.md), or",
    "[describe its scheme](../../packages/webhook-verifier/README.md#your-own-sender) in ten lines.",
    "",
    "`promised`: every event has one, and an event without it is quarantined. Everything else is taken",
    "without: `usual`: most have one; `absent`: the sender gives none; `unknown`: no source says.",
    "",
    "| sender | signature | id | type | what tells a repeat |",
    "|---|---|---|---|---|",
    ...all
      .toSorted((one, other) => one.title.localeCompare(other.title, "en"))
      .map(
        (scheme) =>
          `| [${scheme.title}](${scheme.name}.md) | ${scheme.key.algorithms.join(", ")} | ${presenceOf(scheme, "id")} | ${presenceOf(scheme, "type")} | ${cell(rulesOf(scheme).map(ruleOf).join("; else "))} |`,
      ),
    "",
    "_Generated by `scripts/docs.ts` of [@postern/webhook-verifier](../../packages/webhook-verifier/README.md)._",
    "",
  ].join("\n");

/** Schemes that belong to no one sender. */
const generic: ReadonlySet<string> = new Set([
  "basic-auth",
  "cloudevents",
  "oidc",
  "rfc9421",
  "standard-webhooks",
  "token",
  "websub",
]);

/** Schemes that carry the name of a sender. */
export const namedSchemes: readonly string[] = all.map(({ name }) => name).filter((name) => !generic.has(name));

const counts = (): string => {
  const secondHand = all.filter((scheme) => factsOf(scheme).confidence === "second-hand").length;
  return `${all.length} schemes, ${namedSchemes.length} of them by the name of a sender; ${secondHand} are second-hand.`;
};

const unsignedTable = (): string =>
  [
    "| sender | offers instead | scheme |",
    "|---|---|---|",
    ...unsignedSenders.map(
      ({ sender, instead, scheme }) =>
        `| ${cell(sender)} | ${cell(instead)} | ${scheme === undefined ? "" : `[\`${scheme}\`](../../docs/senders/${scheme}.md)`} |`,
    ),
  ].join("\n");

const answerTable = (): string =>
  [
    "| sender | answer to a delivery that is accepted |",
    "|---|---|",
    ...all.flatMap(({ name, title, answer }) =>
      answer === undefined ? [] : [`| [${title}](../../docs/senders/${name}.md) | ${cell(answerOf(answer))} |`],
    ),
  ].join("\n");

const waitingList = (): string => waitingSenders.map(({ sender, why }) => `- ${sender}: ${why}.`).join("\n");

/** Replaces the text between two marks of that name. */
const between = (readme: string, mark: string, text: string): string =>
  readme.replace(
    new RegExp(`<!-- ${mark} -->[\\s\\S]*<!-- /${mark} -->`),
    () => `<!-- ${mark} -->\n${text}\n<!-- /${mark} -->`,
  );

/** The README with its tables and lists in their places. */
export const readmeWithTable = (readme: string): string =>
  Object.entries({
    schemes: `${counts()}\n\n${schemeTable()}`,
    repeats: repeatTable(),
    answers: answerTable(),
    unsigned: unsignedTable(),
    waiting: waitingList(),
  }).reduce((text, [mark, content]) => between(text, mark, content), readme);

if (process.argv[1]?.endsWith("docs.ts") === true) {
  const lists = new URL("../src/generated/", import.meta.url);
  writeFileSync(new URL("schemes.ts", lists), schemesModule());
  writeFileSync(new URL("loaders.ts", lists), loadersModule());
  const readme = new URL("../README.md", import.meta.url);
  writeFileSync(readme, readmeWithTable(readFileSync(readme, "utf8")));
  const pages = new URL("../../../docs/senders/", import.meta.url);
  writeFileSync(new URL("README.md", pages), sendersPage());
  for (const scheme of all) writeFileSync(new URL(`${scheme.name}.md`, pages), schemePage(scheme));
}
