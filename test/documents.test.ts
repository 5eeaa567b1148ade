import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { errorCatalogue } from "@postern/core/internal";
import { jobStates } from "@postern/core/ports";
import { expect, test } from "vitest";
import { variableNames } from "../apps/server/src/config.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");

const errorsPage = (): string => {
  const rows = Object.entries(errorCatalogue)
    .toSorted(([, a], [, b]) => a.status - b.status)
    .map(([code, { status, title, why, mend }]) => `| ${status} | \`${code}\` | ${title}. | ${why} | ${mend} |`);
  return [
    "# Errors",
    "",
    "Every error is an `application/problem+json` document (RFC 9457). Its `code` never changes its",
    "meaning. With its `request_id` you find the request in the log. If several things are wrong,",
    "`errors` names each with a pointer, a parameter or a header.",
    "",
    "The `type` of a problem is the address of a page with the same texts, as HTML, JSON or Markdown:",
    "`/api/problems/{code}`.",
    "",
    "To find out why your own server answers 429 or 503, look for the words of `detail` in",
    "[the gates, in order](architecture.md#the-gates-in-order).",
    "",
    "This page is generated from `packages/core/src/errors/catalogue.ts`. After a change there, run",
    "`pnpm test -u --project workspace`.",
    "",
    "| status | code | what happened | why | how to mend it |",
    "|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
};

test("docs/errors.md lists the whole catalogue", async () => {
  await expect(errorsPage()).toMatchFileSnapshot("../docs/errors.md");
});

test("docs/states.md names every state of a job and of an event", () => {
  const page = read("docs/states.md");
  const eventStates = ["received", "processing", "retrying", "processed", "dead", "ignored", "quarantined"];
  const missing = [...Object.keys(jobStates), ...eventStates].filter((state) => !page.includes(`\`${state}\``));
  expect(missing).toEqual([]);
});

test("docs/metrics.md names every metric that is reported, and no other", () => {
  const folders = ["packages", "apps"].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(folder, name, "src")),
  );
  const sources = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".ts") && !path.startsWith("testing/"))
        .map((path) => read(join(folder, path))),
    );
  const reported = sources.flatMap((text) =>
    [...text.matchAll(/\.(?:count|observe|gauge)\(\s*"([a-z_]+)"/g)].map((match) => match[1]),
  );
  const named = [...read("docs/metrics.md").matchAll(/^\| (`[^|]*`) \|/gm)].flatMap((match) =>
    [...(match[1] ?? "").matchAll(/`([a-z_]+)`/g)].map((name) => name[1]),
  );
  expect(named.toSorted()).toEqual([...new Set(reported)].toSorted());
});

test("pages name no setting that the server does not have", () => {
  const named = new Set(
    read("docs/configuration.md").match(/\b(?:POSTERN_[A-Z_]+[A-Z]|DATABASE_URL|PORT|HOST|LOG_LEVEL)\b/g),
  );
  expect([...named].filter((name) => !variableNames.includes(name))).toEqual([]);
});

const markdownFiles = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (["node_modules", "dist", ".git", ".cache", ".turbo", "LICENSE"].includes(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return markdownFiles(path);
    return entry.name.endsWith(".md") ? [path] : [];
  });

test("links between documents lead somewhere", () => {
  const broken = markdownFiles(".").flatMap((file) =>
    [...read(file).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
      .map((match) => match[1] ?? "")
      .filter((link) => !existsSync(join(root, dirname(file), link)))
      .map((link) => `${file}: ${link}`),
  );
  expect(broken).toEqual([]);
});

/** The anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (text: string): readonly string[] =>
  [...text.replaceAll(/^```.*?^```$/gms, "").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
      .replaceAll(" ", "-"),
  );

test("links to a heading lead to one", () => {
  const links = markdownFiles(".").flatMap((file) =>
    [...read(file).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)].map(([link, path = "", anchor]) => {
      const target = path === "" ? file : join(dirname(file), path);
      return { link: `${file}: ${link}`, page: target.endsWith(".md") ? target : join(target, "README.md"), anchor };
    }),
  );
  expect(links.length).toBeGreaterThan(0);
  const broken = links.filter(({ page, anchor = "" }) => !anchorsOf(read(page)).includes(anchor));
  expect(broken.map(({ link }) => link)).toEqual([]);
});

interface Decision {
  readonly file: string;
  readonly number: string;
  readonly text: string;
  /** The line below the title: date and status. */
  readonly status: string;
}

const decisions: readonly Decision[] = readdirSync(join(root, "docs/adr"))
  .filter((file) => /^\d{4}-/.test(file))
  .map((file) => {
    const text = read(`docs/adr/${file}`);
    const status = text.split("\n\n")[1]?.replaceAll("\n", " ") ?? "";
    return { file, number: String(Number(file.slice(0, 4))), text, status };
  });

// Each page says what holds now, so no decision amends another.
test.each(decisions)("docs/adr/$file begins with its number, date, status and decision", ({ number, text, status }) => {
  expect(text).toMatch(new RegExp(`^# ${number}\\. `));
  expect(status).toMatch(/^Date: \d{4}-\d\d-\d\d\. Status: accepted\.$/);
  expect(text.split("\n\n")[2]).toMatch(/^\*\*In short\.\*\* /);
});

test("the list of decisions has each with its date", () => {
  const listed = [...read("docs/adr/README.md").matchAll(/^\| \[(\d+)\]\(([^)]+)\) \| .* \| (\S+) \|$/gm)];
  expect(listed.map(([, number, file, date]) => [number, file, date])).toEqual(
    decisions.map(({ number, file, status }) => [number, file, /\d{4}-\d\d-\d\d/.exec(status)?.[0]]),
  );
});

/** The texts and comments in which people look up a decision or a page. */
const sourceFiles = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (["node_modules", "dist", "rivals"].includes(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return /\.(?:ts|tsx|mjs|md)$/.test(entry.name) ? [path] : [];
  });

test("comments and pages name only decisions and pages on speed that exist", () => {
  const known = new Set([
    ...decisions.map(({ number }) => `ADR ${number}`),
    ...readdirSync(join(root, "docs/performance")).map((page) => `docs/performance/${page}`),
  ]);
  const named = ["apps", "benchmarks", "docs", "examples", "packages", "scripts"]
    .flatMap(sourceFiles)
    .flatMap((file) =>
      [...read(file).matchAll(/\bADR \d+|\bdocs\/performance\/[a-z-]+\.md/g)].map(([name]) => ({ file, name })),
    );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ name }) => !known.has(name)).map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});

test("each page on speed is in the list, and says what to do before a change", () => {
  const all = readdirSync(join(root, "docs/performance")).filter((page) => page !== "README.md");
  const listed = [...read("docs/performance/README.md").matchAll(/^\| \[[a-z-]+\.md\]\(([a-z-]+\.md)\) \|/gm)];
  expect(listed.map(([, page]) => page).toSorted()).toEqual(all.toSorted());
  const silent = all.filter((page) => !read(`docs/performance/${page}`).includes("\n## Before you change it\n"));
  expect(silent).toEqual([]);
});

/** Their lines are as long as their sentences. */
const isGenerated = (path: string): boolean =>
  path.startsWith("docs/senders/") || ["docs/cli.md", "docs/ports.md"].includes(path);

/** The pages that are written for people to read from top to bottom. */
const pages: readonly string[] = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...markdownFiles("docs").filter((path) => !isGenerated(path)),
  ...["packages", "apps"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .map((name) => join(folder, name, "README.md"))
      .filter((path) => existsSync(join(root, path))),
  ),
];

test.each(pages)("%s wraps at 100 columns", (page) => {
  const prose = read(page)
    .replaceAll(/^```.*?^```$/gms, "")
    .replaceAll(/^<!-- (\w+) -->$.*?^<!-- \/\1 -->$/gms, "")
    .replaceAll(/\]\([^)]*\)/g, "]");
  const wide = prose.split("\n").filter((line) => line.length > 100 && !/^(?:\||#)/.test(line));
  expect(wide).toEqual([]);
});

/** Each README with a table of options, and the interfaces that declare them. */
const optionTables: readonly {
  readonly readme: string;
  /** The heading that the table follows, if it is not the first table of options. */
  readonly section?: string;
  readonly declared: Readonly<Record<string, string>>;
}[] = [
  { readme: "packages/app/README.md", declared: { "packages/app/src/create-app.ts": "AppOptions" } },
  { readme: "packages/rest/README.md", declared: { "packages/rest/src/api.ts": "ApiOptions" } },
  {
    readme: "packages/http/README.md",
    declared: {
      "packages/http/src/options.ts": "HttpOptions",
      "packages/http/src/node/create-http-server.ts": "ConnectionOptions",
    },
  },
  {
    readme: "packages/jobs/README.md",
    declared: { "packages/jobs/src/job-runner.ts": "JobRunnerOptions" },
  },
  {
    readme: "packages/storage-knex/README.md",
    declared: { "packages/storage-knex/src/storage/create-knex-storage.ts": "KnexStorageOptions" },
  },
  {
    readme: "packages/platform-node/README.md",
    declared: {
      "packages/platform-node/src/node-ports.ts": "NodePortsOptions",
      "packages/platform-node/src/aes-secret-box.ts": "AesSecretBoxOptions",
    },
  },
  {
    readme: "packages/webhook-verifier/README.md",
    declared: { "packages/webhook-verifier/src/verify.ts": "VerifierOptions" },
  },
  {
    readme: "packages/webhook-verifier/README.md",
    section: "Options of receivers",
    declared: {
      "packages/webhook-verifier/src/answer-webhook.ts": "HandlerOptions",
      "packages/webhook-verifier/src/handle-node-webhook.ts": "NodeHandlerOptions",
    },
  },
];

test.each(optionTables)("$readme has every option, and no other: $declared", ({ readme, section, declared }) => {
  const options = Object.entries(declared).flatMap(([file, name]) => {
    const body = new RegExp(`^export interface ${name}\\b[^\\n]*\\{$(.*?)^\\}$`, "ms").exec(read(file))?.[1] ?? "";
    return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, option]) => option);
  });
  const text = section === undefined ? read(readme) : (read(readme).split(`\n## ${section}\n`)[1] ?? "");
  const table = /^\| option\b[^\n]*\n((?:\|[^\n]*\n)+)/m.exec(text)?.[1] ?? "";
  const shown = [...table.matchAll(/^\| (`[^|]*`) +\|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, option]) => option),
  );
  expect(options.length).toBeGreaterThan(0);
  expect(shown.toSorted()).toEqual(options.toSorted());
});

test("no page names a path of one machine, or a registry", () => {
  const texts = ["README.md", "CONTRIBUTING.md", ...markdownFiles("docs")]
    .map(read)
    .join("\n")
    .replaceAll(/<https:.*?>/g, "");
  expect(texts).not.toMatch(/\/(?:home|root|work|Users)\/\w|registry\.npmjs/);
});
