/**
 * Writes the table in the README and a page per scheme from the schemes themselves: `node
 * --conditions=@postern/source --import tsx scripts/docs.ts`. A test fails if they differ from what
 * this would write.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { Scheme } from "../src/index.ts";
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
    `| confidence | ${facts.confidence}: ${confidences[facts.confidence]} |`,
    `| source | ${facts.source} |`,
    "",
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
    unsigned: unsignedTable(),
    waiting: waitingList(),
  }).reduce((text, [mark, content]) => between(text, mark, content), readme);

if (process.argv[1]?.endsWith("docs.ts") === true) {
  const readme = new URL("../README.md", import.meta.url);
  writeFileSync(readme, readmeWithTable(readFileSync(readme, "utf8")));
  for (const scheme of all)
    writeFileSync(new URL(`../docs/schemes/${scheme.name}.md`, import.meta.url), schemePage(scheme));
}
