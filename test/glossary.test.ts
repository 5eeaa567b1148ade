import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
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
    // The server exports again what its configuration file needs from every package.
    const strays = exported.filter(
      ({ room, name }) => room !== "server" && !allowed.includes(room) && says(name, word),
    );
    expect(strays.map(({ room, name }) => `${room}: ${name}`)).toEqual([]);
    expect(exported.some(({ room, name }) => allowed.includes(room) && says(name, word))).toBe(true);
  });
});
