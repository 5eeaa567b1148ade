import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, test } from "vitest";

const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8");

/**
 * Splits a name or a term into words: `RunnerOffer` is slot, offer; plurals count as their
 * singular.
 */
const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[ _-]+/)
    .map((word) => word.replace(/(?<=[a-z]{3}[^s])s$/, ""));

const glossary = read("../docs/glossary.md");
const [meanings = "", rooms = ""] = glossary.split("\n## ");
const firstCells = (table: string): readonly string[] =>
  [...table.matchAll(/^\| ([^|-][^|]*?) \| /gm)].map(([, cell = ""]) => cell).slice(1);

/** The terms of the glossary. */
const terms = firstCells(meanings);
/** Words that have other meanings outside of Postern, and the packages that may export them. */
const owners = new Map(
  [...rooms.matchAll(/^\| ([^|-][^|]*?) \| ([a-z, -]+?) \|$/gm)]
    .slice(1)
    .map(([, word = "", list = ""]) => [word, list.split(", ")]),
);

/** Every exported name, and the package that exports it. */
const exported = read("exports.snapshot.txt")
  .trim()
  .split("\n\n")
  .flatMap((block) => {
    const [door = "", ...names] = block.split("\n");
    const room = /^(?:packages|apps)\/([a-z-]+)/.exec(door)?.[1] ?? "";
    return names.map((name) => ({ room, name: name.trim() }));
  });

/** Whether the words of a term are next to each other in a name. */
const isIn = (term: readonly string[], name: readonly string[]): boolean =>
  name.some((_, start) => term.every((word, at) => name[start + at] === word));

/**
 * Whether a name uses a word in its plain meaning. It does not if the word is part of a longer
 * term, such as `token claim`.
 */
const says = (name: string, word: string): boolean => {
  const parts = wordsOf(name);
  const longer = terms.map(wordsOf).filter((term) => term.length > 1 && term.includes(word));
  return parts.includes(word) && !longer.some((term) => isIn(term, parts));
};

test("the glossary lists each term once, in alphabetical order", () => {
  const plain = terms.map((term) => term.replaceAll("-", " "));
  expect(plain.length).toBeGreaterThan(50);
  expect(plain).toEqual([...new Set(plain)].toSorted());
});

describe("words with one meaning", () => {
  test.each([...owners])("only the listed packages export the word %s", (word, allowed) => {
    expect(terms.map((term) => wordsOf(term).join(" "))).toContain(word);
    // These export again what a configuration file needs from every package.
    const again = ["server", "postern"];
    const strays = exported.filter(
      ({ room, name }) => !again.includes(room) && !allowed.includes(room) && says(name, word),
    );
    expect(strays.map(({ room, name }) => `${room}: ${name}`)).toEqual([]);
    expect(exported.some(({ room, name }) => allowed.includes(room) && says(name, word))).toBe(true);
  });
});

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Words that are easily used for four things at once, and the files whose names may have them: a turn
 * is the right of a job of an order key, a slot is a time of a schedule. A room is a package, so no
 * name in the code needs the word. In other files, use a longer term of the glossary (`loop turn`,
 * `free slot`) or another word.
 */
const homes: Readonly<Record<string, readonly RegExp[]>> = {
  turn: [
    /^packages\/jobs\/src\/(?:commit|turn-repair|worker)\.ts$/,
    /^packages\/core\/src\/job-rules\/job-life-cycle\.ts$/,
    /^packages\/core\/src\/memory\/(?:job-tables|memory-housekeeping|memory-job-queue|memory-job-records)\.ts$/,
    /^packages\/core\/src\/ports\/(?:job|job-queue)\.ts$/,
    /^packages\/core\/src\/testing\/job-[a-z-]+\.ts$/,
    /^packages\/storage-knex\/src\/stores\/(?:job-rows|knex-job-queue|lanes)\.ts$/,
    /^packages\/app\/src\/operator\/health\/judge-health\.ts$/,
    /^packages\/cli\/src\/commands\/examine\.ts$/,
    // `turns_repaired`, and a metric of the event loop whose name is promised.
    /^packages\/platform-node\/src\/metrics-catalogue\.ts$/,
  ],
  slot: [
    /schedule|cron|housekeeping/,
    /^packages\/app\/src\/retention\.ts$/,
    /^packages\/core\/src\/memory\/(?:job-tables|memory-storage)\.ts$/,
    /^packages\/core\/src\/ports\/storage\.ts$/,
    /^packages\/storage-knex\/src\/stores\/knex-stores\.ts$/,
    // An option of `openPostern` is `retention.slots`.
    /^apps\/server\/src\/settings\/settings\.ts$/,
  ],
  room: [],
};

/** Folders and files whose names still have other meanings. Take an entry out when it has been renamed. */
const notRenamedYet: readonly string[] = ["packages/http/"];

const sourceFiles: readonly string[] = ["packages", "apps"].flatMap((folder) =>
  readdirSync(join(root, folder)).flatMap((name) => {
    const src = `${folder}/${name}/src`;
    const found = readdirSync(join(root, folder, name)).includes("src")
      ? readdirSync(join(root, src), { recursive: true, encoding: "utf8" })
      : [];
    return found.filter((path) => /\.tsx?$/.test(path)).map((path) => `${src}/${path.replaceAll("\\", "/")}`);
  }),
);

const isImport = (node: ts.Node): boolean =>
  ts.isImportSpecifier(node) || ts.isExportSpecifier(node) || ts.isImportClause(node);

/** Every name that a file declares, for itself or for others, and its own. */
const declaredIn = (file: string, text: string): readonly string[] => {
  const names = [/[^/]+(?=\.tsx?$)/.exec(file)?.[0] ?? ""];
  const visit = (node: ts.Node): void => {
    const { name } = node as ts.NamedDeclaration;
    // Imports, and members that are used, take their names from elsewhere.
    const declares = name !== undefined && !ts.isPropertyAccessExpression(node) && !isImport(node);
    if (declares && ts.isIdentifier(name)) names.push(name.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return names;
};

/** The names with one of the words. To read only files that have it at all takes a tenth of the time. */
const candidates: readonly { readonly file: string; readonly name: string }[] = sourceFiles.flatMap((file) => {
  const text = readFileSync(join(root, file), "utf8");
  const word = /(?<!re)turn|Turn|[sS]lot|[rR]oom/;
  if (!word.test(text) && !word.test(file)) return [];
  return declaredIn(file, text)
    .filter((name) => word.test(name))
    .map((name) => ({ file, name }));
});

/** The names that use the word in its plain meaning, in the files that fit. */
const usesOf = (word: string, fits: (file: string) => boolean): readonly string[] =>
  candidates.filter(({ file, name }) => fits(file) && says(name, word)).map(({ file, name }) => `${file}: ${name}`);

describe("words with one meaning, in names that nobody else sees as well", () => {
  const isRenamed = (file: string): boolean => !notRenamedYet.some((folder) => file.startsWith(folder));

  test.each(Object.entries(homes))("%s", (word, own) => {
    expect(terms).toContain(word);
    expect(usesOf(word, (file) => isRenamed(file) && !own.some((home) => home.test(file)))).toEqual([]);
    // A home that needs the word no longer must go, so that it does not hide a new meaning.
    expect(own.filter((home) => usesOf(word, (file) => home.test(file)).length === 0)).toEqual([]);
  });

  test.each(notRenamedYet)("%s still has a name of another meaning", (folder) => {
    const inside = (file: string): boolean => file.startsWith(folder);
    expect(Object.keys(homes).flatMap((word) => usesOf(word, inside))).not.toEqual([]);
  });
});
