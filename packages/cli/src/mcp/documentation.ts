import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A part of a page of the documentation, from one heading to the next. */
export interface Section {
  /** Such as `operate.md`. */
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

/** The pages as the package brings them, or those of the repository. */
const folders = ["./docs/", "../../../../docs/"].map((path) => fileURLToPath(new URL(path, import.meta.url)));

const sectionsOf = (page: string, text: string): readonly Section[] => {
  const title = /^# (.*)$/m.exec(text)?.[1] ?? page;
  return text
    .replaceAll(/^```.*?^```$/gms, (code) => code.replaceAll(/^#/gm, "\0"))
    .split(/^(?=#{1,3} )/m)
    .map((part) => part.replaceAll("\0", "#"))
    .flatMap((part) => {
      const [first = "", ...rest] = part.split("\n");
      const body = rest.join("\n").trim();
      const heading = first.replace(/^#+ /, "");
      return body === "" ? [] : [{ page, heading: heading === title ? title : `${title}: ${heading}`, text: body }];
    });
};

let loaded: readonly Section[] | undefined;

/** Every section of the documentation that belongs to this version. It is read once. */
const sections = (): readonly Section[] => {
  if (loaded !== undefined) return loaded;
  const folder = folders.find(existsSync);
  if (folder === undefined) return [];
  const pages = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".md") && !path.startsWith("."))
    .toSorted();
  loaded = pages.flatMap((page) => sectionsOf(page, readFileSync(join(folder, page), "utf8")));
  return loaded;
};

const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

/** What a word in a heading counts, as a word in the text counts one. */
const inHeading = 8;
const mostOfOne = 4;

/**
 * The sections that fit a question best: those with most of its words, and among them rare words count
 * more. Words also fit as the beginning of longer ones.
 */
export const searchDocumentation = (query: string, limit: number): readonly Section[] => {
  const wanted = [...new Set(wordsIn(query))];
  const all = sections().map((section) => ({
    section,
    heading: wordsIn(section.heading),
    text: wordsIn(section.text),
  }));
  const scores = all.map(() => 0);
  for (const word of wanted) {
    const fits = all.map(({ heading, text }) => {
      const count = (words: readonly string[]) => words.filter((one) => one.startsWith(word)).length;
      return Math.min(count(text), mostOfOne) + (count(heading) > 0 ? inHeading : 0);
    });
    const found = fits.filter((fit) => fit > 0).length;
    const rarity = Math.log(1 + all.length / (1 + found));
    for (const [at, fit] of fits.entries()) scores[at] = (scores[at] ?? 0) + fit * rarity;
  }
  return all
    .map(({ section }, at) => ({ section, score: scores[at] ?? 0 }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ section }) => section);
};
