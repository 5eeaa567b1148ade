import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { errorCatalogue } from "@postern/core/internal";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const text = readFileSync(join(root, "docs/architecture.md"), "utf8");

/** The lists of "The three ways": a heading, and its files in order. */
const ways = [...text.matchAll(/^### (.+)\n\n((?:\d+\. `.+`\n)+)/gm)].map(([, name = "", list = ""]) => ({
  name,
  files: [...list.matchAll(/`(.+?)`/g)].map(([, file = ""]) => file),
}));

/**
 * The steps without an import: an application is passed to the HTTP adapter, which knows only the
 * interface that it needs.
 */
const given: Readonly<Record<string, string>> = { "packages/app/src/create-app.ts": "packages/http/src/http-app.ts" };

const importsOf = (file: string): ReadonlySet<string> => {
  const source = readFileSync(join(root, file), "utf8");
  const found = [...source.matchAll(/from "([^"]+)"/g)].map(([, specifier = ""]) => specifier);
  return new Set(
    found.flatMap((specifier) =>
      specifier.startsWith(".")
        ? [relative(root, normalize(join(root, dirname(file), specifier)))]
        : behindDoor(specifier),
    ),
  );
};

/** The files that a package's entry exports. */
const behindDoor = (specifier: string): readonly string[] => {
  const [, name, part = "index"] = /^@postern\/([a-z-]+)(?:\/([a-z]+))?$/.exec(specifier) ?? [];
  if (name === undefined) return [];
  const door = [`packages/${name}/src/${part}.ts`, `packages/${name}/src/${part}/index.ts`].find((path) =>
    existsSync(join(root, path)),
  );
  return door === undefined ? [] : [...importsOf(door)];
};

/** The rows of "The gates, in order". */
const gates = [...text.slice(text.indexOf("## The gates, in order")).matchAll(/^\| (?!gate|-)(.+) \|$/gm)].map(
  ([, row = ""]) => {
    const [gate = "", file = "", refusal = "", words = "", look = ""] = row.split(" | ").map((cell) => cell.trim());
    return { gate, file: file.replaceAll("`", ""), refusal, words, look };
  },
);

/** A refusal of somebody who did nothing wrong: too much comes, or something is not there. */
const refusesForLoad = /(?:AppError\(\s*"(?:overloaded|rate_limited|request_timeout)"|unavailable\(new Error)/;

/** Files that refuse by one of these, and are no gate that every request may meet. */
const notOnTheWay: Readonly<Record<string, string>> = {
  "packages/app/src/oauth/client-assertion.ts": "one client of OAuth",
  "packages/app/src/exports/export-operations.ts": "exports of one user",
  "packages/app/src/sign-in/sessions.ts": "sign-ins of one account",
  "packages/jobs/src/group-commit.ts": "ends of jobs",
  "packages/storage-knex/src/mysql/mysql-migrations.ts": "migrations",
  "packages/storage-knex/src/postgres/postgres-migrations.ts": "migrations",
  "packages/storage-knex/src/sqlite/sqlite-migrations.ts": "migrations",
};

const sourcesOf = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === "testing" ? [] : sourcesOf(path);
    return path.endsWith(".ts") ? [path] : [];
  });

/** Files that say the words of several gates. */
const sharedWords = ["packages/storage-knex/src/engine/translate-error.ts", "packages/core/src/errors/catalogue.ts"];

describe("the gates", () => {
  test.each(gates)("$gate: is in its file, with its code and its words", ({ file, refusal, words, look }) => {
    const sources = [file, ...sharedWords].map((one) => readFileSync(join(root, one), "utf8")).join(" ");
    const parts = words.split("; ").map((one) => one.replace(/ \(.+\)$/, ""));
    const strange = parts.filter((one) => one !== "–" && !sources.includes(one));
    expect(strange, `words that ${file} does not say`).toEqual([]);
    for (const [, code = ""] of refusal.matchAll(/`(\w+)`/g)) expect(errorCatalogue).toHaveProperty(code);
    const metrics = readFileSync(join(root, "docs/metrics.md"), "utf8");
    for (const [, name = ""] of look.matchAll(/`(\w+)`/g)) expect(metrics).toContain(name);
  });

  test("have every file that refuses because too much comes", () => {
    const known = new Set([...gates.map(({ file }) => file), ...Object.keys(notOnTheWay)]);
    const refusing = readdirSync(join(root, "packages"))
      .flatMap((name) => (existsSync(join(root, "packages", name, "src")) ? sourcesOf(`packages/${name}/src`) : []))
      .filter((file) => refusesForLoad.test(readFileSync(join(root, file), "utf8")));
    expect(
      refusing.filter((file) => !known.has(file)),
      "files that docs/architecture.md does not name",
    ).toEqual([]);
    expect(Object.keys(notOnTheWay).filter((file) => !refusing.includes(file))).toEqual([]);
  });
});

test("the architecture page lists the three ways", () => {
  expect(ways.map(({ name }) => name)).toEqual(["A request", "A webhook", "A job"]);
});

describe.each(ways)("the way of $name", ({ files }) => {
  test.each(files.map((file, index) => ({ file, index })))("reaches $file from a file above it", ({ file, index }) => {
    expect(existsSync(join(root, file))).toBe(true);
    if (index === 0) return;
    const above = files.slice(0, index);
    const reached =
      given[file] === undefined ? above.some((one) => importsOf(one).has(file)) : above.includes(given[file]);
    expect(reached, `nothing above imports ${file}`).toBe(true);
  });
});
