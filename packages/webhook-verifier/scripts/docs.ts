/**
 * Writes the table in the README and a page per scheme from the schemes themselves: `node
 * --conditions=@postern/source --import tsx scripts/docs.ts`. A test fails if they differ from what
 * this would write.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { RepeatRule, Scheme } from "../src/index.ts";
import { namesIn } from "../src/places.ts";
import { allSchemes as all, factsOf } from "./facts.ts";
import { unsignedSenders, waitingSenders } from "./other-senders.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", "\\n");
const code = (text: string): string => (text.includes("`") ? text : `\`${text}\``);

const windowOf = ({ toleranceSeconds, covered }: Scheme): string =>
  toleranceSeconds !== undefined
    ? `± ${toleranceSeconds} s`
    : covered.includes("timestamp")
      ? "none by default"
      : "no time signed";

const headersOf = (scheme: Scheme): string =>
  factsOf(scheme)
    .headers.map((header) => code(header))
    .join(", ") || "in the body";

/** The table of all schemes. */
export const schemeTable = (): string =>
  [
    "| scheme | sender | headers | algorithm | covered | window | handshake | confidence |",
    "|---|---|---|---|---|---|---|---|",
    ...all.map((scheme) =>
      [
        `[\`${scheme.name}\`](docs/schemes/${scheme.name}.md)`,
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

const camelCase = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

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

const rulesOf = (scheme: Scheme): readonly RepeatRule[] => scheme.repeats ?? [];

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
      return `| [\`${scheme.name}\`](docs/schemes/${scheme.name}.md#repeats) | ${cell(rules)} | ${cell(told)} |`;
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

/** Why a rule counts nothing, or what it risks. */
const reasonOf = (scheme: Scheme, { by }: RepeatRule): string => {
  if (by === "none") return `: every delivery is an event of its own. ${factsOf(scheme).repeats?.why}`;
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
    `Source: ${source}${confidence === "confirmed" ? "" : `, ${confidence}`}`,
    "",
  ];
};

/** The page of one scheme. */
export const schemePage = (scheme: Scheme): string => {
  const { name, title, key } = scheme;
  const facts = factsOf(scheme);
  const required = Object.entries(scheme.settings ?? {}).filter(([, setting]) => setting.required === true);
  const settings = required.map(([setting, { list }]) => `${setting}: ${list === true ? '["…"]' : '"…"'}`).join(", ");
  return [
    `# ${title}`,
    "",
    "```ts",
    'import { createVerifier } from "@postern/webhook-verifier";',
    `import { ${camelCase(name)} } from "@postern/webhook-verifier/schemes/${name}";`,
    "",
    `const verifier = createVerifier(${camelCase(name)}, { keys: "…"${settings === "" ? "" : `, settings: { ${settings} }`} });`,
    "const delivery = await verifier.verify({ method, url, headers, body });",
    "```",
    "",
    "| | |",
    "|---|---|",
    `| key | ${cell(key.about)} |`,
    `| where to find it | ${cell(facts.keyFrom)} |`,
    `| headers | ${headersOf(scheme)} |`,
    `| algorithm | ${key.algorithms.join(", ")}, written as ${facts.encoding} |`,
    `| signed content | ${code(cell(facts.signed))} |`,
    `| covered | ${scheme.covered.join(", ") || "nothing"} |`,
    `| event id | ${placeOf(scheme.id)}${scheme.covered.includes("id") ? "" : ", not covered"} |`,
    `| event type | ${placeOf(scheme.type)}${scheme.covered.includes("type") ? "" : ", not covered"} |`,
    `| data | ${scheme.data === undefined ? "the whole payload" : `${code(`body:${scheme.data}`)}, or the whole payload where there is none`} |`,
    ...metadataRows(scheme),
    `| window | ${windowOf(scheme)} |`,
    ...(facts.handshake === undefined ? [] : [`| handshake | ${cell(facts.handshake)} |`]),
    ...(scheme.answer === undefined ? [] : [`| answer | ${cell(answerOf(scheme.answer))} |`]),
    `| confidence | ${facts.confidence}: ${confidences[facts.confidence]} |`,
    `| source | ${facts.source} |`,
    "",
    ...repeatsPart(scheme),
    ...settingsPart(scheme),
    ...(facts.notes === undefined ? [] : ["## Good to know", "", ...facts.notes.map((note) => `- ${note}`), ""]),
    "_Generated from the scheme by `scripts/docs.ts`._",
    "",
  ].join("\n");
};

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
        `| ${cell(sender)} | ${cell(instead)} | ${scheme === undefined ? "" : `[\`${scheme}\`](docs/schemes/${scheme}.md)`} |`,
    ),
  ].join("\n");

const answerTable = (): string =>
  [
    "| sender | answer to a delivery that is accepted |",
    "|---|---|",
    ...all.flatMap(({ name, title, answer }) =>
      answer === undefined ? [] : [`| [${title}](docs/schemes/${name}.md) | ${cell(answerOf(answer))} |`],
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
  const readme = new URL("../README.md", import.meta.url);
  writeFileSync(readme, readmeWithTable(readFileSync(readme, "utf8")));
  for (const scheme of all)
    writeFileSync(new URL(`../docs/schemes/${scheme.name}.md`, import.meta.url), schemePage(scheme));
}
