import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { anchorOf, groups, llmsText, pages, siteText } from "../docs/.vitepress/pages.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

test("every page in docs is a page of the site, once", () => {
  const written = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .map((path) => `docs/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".md") && !path.startsWith("docs/.vitepress/"));
  const shown = pages.map(({ source }) => source).filter((source) => source.startsWith("docs/"));
  expect(shown.toSorted()).toEqual(written.toSorted());
  expect(new Set(pages.map(({ path }) => path)).size).toBe(pages.length);
});

test("the sidebar goes from the first start to the decisions", () => {
  const order =
    "Start, Write handlers and jobs, Your resources, Your own endpoints, Your own product, Versions, Embed, Senders, Test, Deploy, Operate, Upgrade, Security, Performance, Reference, Packages, Compare, Decisions";
  const titles = groups.map(({ title }) => title);
  expect(titles).toEqual(order.split(", ").filter((title) => titles.includes(title)));
});

const texts: ReadonlyMap<string, string> = new Map(pages.map((page) => [page.path, siteText(page)]));
const withoutCode = (text: string): string => text.replaceAll(/^ *```.*?^ *```$/gms, "");
const anchors: ReadonlyMap<string, readonly string[]> = new Map(
  [...texts].map(([path, text]) => [
    path,
    [...withoutCode(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading)),
  ]),
);
const inRepository = /^https:\/\/github\.com\/postern\/postern\/(?:blob|tree)\/main\/([^#]*)/;

/** Whether a link of a page leads to a page of the site, to a heading, or to a file of the repository. */
const leadsSomewhere = (path: string, link: string): boolean => {
  const file = inRepository.exec(link)?.[1];
  if (file !== undefined) return existsSync(join(root, file));
  if (/^[a-z]+:/.test(link)) return true;
  if (link.startsWith("/pictures/")) return existsSync(join(root, "docs", link));
  const [target = "", anchor] = link.split("#");
  const found = anchors.get(target === "" ? path : posix.normalize(posix.join(posix.dirname(path), target)));
  return found !== undefined && (anchor === undefined || found.includes(anchor));
};

test("the links of the site lead to a page, to a heading of it, or to a file of the repository", () => {
  const links = [...texts].flatMap(([path, text]) =>
    [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => ({ path, link })),
  );
  expect(links.length).toBeGreaterThan(500);
  const broken = links.filter(({ path, link }) => !leadsSomewhere(path, link));
  expect(broken.map(({ path, link }) => `${path}: ${link}`)).toEqual([]);
});

test("llms.txt has a sentence for every page", () => {
  const listed = [...llmsText().matchAll(/^- \[.+\]\(\/(.+)\): (\S.*)$/gm)];
  expect(listed.map(([, path]) => path)).toEqual(pages.map(({ path }) => path));
  const short = listed.filter(([, , sentence = ""]) => sentence.length < 10).map(([line]) => line);
  expect(short).toEqual([]);
});

/** The pages that people read from top to bottom, and whose code is in the examples. */
const byHand = pages.filter(({ source }) => source.startsWith("docs/") && !source.startsWith("docs/senders/"));
/** The contents of the files in a folder. */
const contentsOf = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === "node_modules") return [];
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? contentsOf(path) : [readFileSync(join(root, path), "utf8")];
  });

test("every block of TypeScript in docs is a file of the examples, which tests run", () => {
  const examples = contentsOf("examples");
  const blocks = byHand.flatMap(({ source }) =>
    [...readFileSync(join(root, source), "utf8").matchAll(/^( *)```ts\n(.*?)^ *```$/gms)].map(
      ([, margin = "", code = ""]) => ({
        source,
        code: code.replaceAll(new RegExp(`^${margin}`, "gm"), "").replace(/^\/\/ \S+\.ts\n/, ""),
      }),
    ),
  );
  expect(blocks.length).toBeGreaterThan(15);
  const strange = blocks.filter(({ code }) => !examples.includes(code));
  expect(strange.map(({ source, code }) => `${source}: ${code.slice(0, 80)}`)).toEqual([]);
});

/** The paragraphs of a text and the items of its lists, without marks and line breaks. Short ones say little. */
const paragraphsOf = (text: string): readonly string[] =>
  withoutCode(text)
    .split(/\n\n|\n(?=- )/)
    .map((one) =>
      one
        .replaceAll(/\]\([^)]*\)|[*`[]|^- /g, "")
        .replaceAll(/\s+/g, " ")
        .trim(),
    )
    .filter((one) => one.length > 60 && !/^[#|!]/.test(one));

test("what the README says, no page of the site says again", () => {
  const readme = paragraphsOf(readFileSync(join(root, "README.md"), "utf8"));
  expect(readme.length).toBeGreaterThan(5);
  const said = new Set(pages.flatMap(({ source }) => paragraphsOf(readFileSync(join(root, source), "utf8"))));
  expect(readme.filter((paragraph) => said.has(paragraph))).toEqual([]);
});

test("the README has two screens", () => {
  expect(readFileSync(join(root, "README.md"), "utf8").split("\n").length).toBeLessThan(80);
});
