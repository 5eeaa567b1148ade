import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { errorCatalogue, jobStates } from "@postern/core";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");

const errorsPage = (): string => {
  const rows = Object.entries(errorCatalogue)
    .toSorted(([, a], [, b]) => a.status - b.status)
    .map(([code, { status, title, why, mend }]) => `| ${status} | \`${code}\` | ${title}. | ${why} | ${mend} |`);
  return [
    "# Errors",
    "",
    "Every error is an `application/problem+json` document (RFC 9457). Its `code` is stable. Its `request_id`",
    "finds the request in the log. If several things are wrong, `errors` names each with a pointer, a",
    "parameter or a header.",
    "",
    "The `type` of a problem leads to a page with the same texts: `/api/problems/{code}`, as HTML, JSON or Markdown.",
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

test("the README names every setting that the server reads, and no other", () => {
  const named = new Set(read("README.md").match(/\b(?:POSTERN_[A-Z_]+[A-Z]|DATABASE_URL|PORT|HOST|LOG_LEVEL)\b/g));
  const settings = new Set(
    read("apps/server/src/config.ts")
      .match(/^ {2}(?:POSTERN_[A-Z_]+|DATABASE_URL|PORT|HOST|LOG_LEVEL)(?=:)/gm)
      ?.map((name) => name.trim()),
  );
  expect([...named].toSorted()).toEqual([...settings].toSorted());
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

test("no file speaks of where it was made", () => {
  const texts = ["README.md", "CONTRIBUTING.md", ...markdownFiles("docs")].map(read).join("\n");
  expect(texts).not.toMatch(/\/(?:home|root|work|Users)\/\w|registry\.npmjs/);
});
