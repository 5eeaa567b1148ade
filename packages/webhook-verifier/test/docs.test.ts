import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readmeWithTable, schemePage } from "../scripts/docs.ts";
import { schemes } from "../src/index.ts";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

test("the README's table is what the schemes say", () => {
  const readme = read("README.md");
  expect(readmeWithTable(readme)).toBe(readme);
});

test("there is a page for every scheme, as the scheme says, and no other", () => {
  for (const scheme of Object.values(schemes)) expect(read(`docs/schemes/${scheme.name}.md`)).toBe(schemePage(scheme));
  const pages = readdirSync(new URL("../docs/schemes", import.meta.url));
  expect(pages.sort()).toEqual(
    Object.keys(schemes)
      .map((name) => `${name}.md`)
      .sort(),
  );
});

test("there is a file for every scheme, and every file is in the record", () => {
  const files = readdirSync(new URL("../src/schemes", import.meta.url)).filter((file) => file !== "index.ts");
  expect(files.sort()).toEqual(
    Object.keys(schemes)
      .map((name) => `${name}.ts`)
      .sort(),
  );
});
