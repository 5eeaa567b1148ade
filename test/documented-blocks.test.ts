import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtInVersions, createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { beforeAll, expect, test } from "vitest";
import { variableNames } from "../apps/server/src/config.ts";
import { invoice } from "../examples/invoices/invoice.ts";
import { blocksIn, faultsIn, type Known, pagesIn, wholeCommandLine } from "./documented-blocks.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Languages that something else checks, with where. */
const elsewhere: Readonly<Record<string, RegExp>> = {
  // scripts/documented-code.mjs compiles those of READMEs and senders, site.test.ts finds the others in the examples.
  ts: /^(README\.md|docs\/(?!adr).*|(apps|packages)\/[\w-]+\/README\.md)$/,
  // That script runs them.
  js: /^(docs\/(?!adr|senders).*|(apps|packages)\/[\w-]+\/README\.md)$/,
};

/** Blocks that nothing checks, and why. The list may not grow. */
const unchecked: readonly { readonly page: string; readonly language: string; readonly why: string }[] = [
  { page: "docs/architecture.md", language: "", why: "a picture" },
  { page: "docs/deploy.md", language: "nginx", why: "no nginx is installed to read it" },
  { page: "docs/versions.md", language: "diff", why: "a change of the file that the next block shows whole" },
];

const packagesIn = (folder: string): readonly string[] => {
  const {
    name,
    dependencies = {},
    devDependencies = {},
  } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  return [name, ...Object.keys({ ...dependencies, ...devDependencies })];
};

let known: Known;
beforeAll(async () => {
  const folders = readdirSync(join(root, "packages")).map((name) => `packages/${name}`);
  known = {
    root,
    commands: await wholeCommandLine(root),
    variables: variableNames,
    document: createApp({ versions: builtInVersions, ports: memoryPorts(), resources: [invoice] }).openApi(
      "v2",
    ) as never,
    packages: ["next", "jest", "pnpm", ...["", "examples", ...folders].flatMap(packagesIn)],
  };
}, 60_000);

test("every block of every page is checked, here or elsewhere, or says why not", () => {
  const faults: string[] = [];
  const counts: Record<string, number> = {};
  for (const page of pagesIn(root)) {
    for (const { language, code } of blocksIn(readFileSync(join(root, page), "utf8"))) {
      counts[language] = (counts[language] ?? 0) + 1;
      if (elsewhere[language]?.test(page) === true) continue;
      if (unchecked.some((one) => one.page === page && one.language === language)) continue;
      const found = faultsIn(language, code, known) ?? [`nothing checks a block of "${language}"`];
      faults.push(...found.map((fault) => `${page}: ${fault}`));
    }
  }
  expect(faults).toEqual([]);
  expect(counts.sh).toBeGreaterThan(400);
  expect(unchecked.length).toBeLessThanOrEqual(5);
});

test.each([
  ["sh", "postern events lst", '"postern events" is no command'],
  ["sh", "postern events list --stat dead", '"postern events list" has no option --stat'],
  ["sh", "postern events show", '"postern events show" is no command with 0 arguments'],
  ["sh", "postern plans make repaly --state dead", "<action> is not repaly"],
  ["sh", "npm run -s postern -- event list", "is no command"],
  ["sh", "npm run portern -- events list", 'npm has no script "portern"'],
  ["sh", "npm install @postern/testin", 'knows the package "@postern/testin"'],
  ["sh", "WEBHOOK_STRIPE_SECRTE=x npm start", "there is no variable WEBHOOK_STRIPE_SECRTE"],
  ["sh", "export DATABASE_UR=x PORT=3000", "there is no variable DATABASE_UR"],
  ["sh", "ID=$(curl -s $B/invoice -d '{}' | sed s/a/b/)", "there is no operation POST /invoice"],
  ["sh", 'curl -sg "$B/invoices?filter[stat]=draft"', "GET /invoices has no parameter filter[stat]"],
  ["sh", "curl -s -X PUT $B/invoices", "there is no operation PUT /invoices"],
  ["sh", "cd x && node scripts/bundel.mjs", "there is no scripts/bundel.mjs"],
  ["sh", "postren serve", "nothing here knows the program postren"],
  ["sh", ".ci/lang", "there is no .ci/lang"],
  ["ini", "[Service]\nEnvironment=PORT=1 POSTERN_ROL=http", "there is no variable POSTERN_ROL"],
  ["ini", "[Service\nUser=x", "is neither a section nor a setting"],
  ["json", '{"a":1,}', "SyntaxError"],
])("finds what is wrong: %s %s", (language, code, fault) => {
  expect(faultsIn(language, code, known)?.join("; ")).toContain(fault);
});

test("has no check for a language that no page has yet", () => {
  expect(faultsIn("yaml", "a: 1", known)).toBeUndefined();
});
