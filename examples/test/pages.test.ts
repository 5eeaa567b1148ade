import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

test.each(["handlers", "testing", "operations", "signed-in", "mails"])(
  "every block of docs/%s.md is a file of the examples, which tests run",
  (page) => {
    const text = read(`docs/${page}.md`);
    const blocks = [...text.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```$/gms)];
    expect(blocks).toHaveLength([...text.matchAll(/^```ts$/gm)].length);
    for (const [, path = "", code] of blocks) expect(read(`examples/${path}`)).toBe(code);
  },
);

const pagesOfHosts = readdirSync(new URL("../../docs/embed/", import.meta.url));

test.each(pagesOfHosts)("every block of docs/embed/%s is a file of the examples, in 15 lines or fewer", (page) => {
  const blocks = [...read(`docs/embed/${page}`).matchAll(/`([^`]+\.m?[jt]s)`[^`]*:\n\n```[jt]s\n(.*?)^```$/gms)];
  expect(blocks).toHaveLength([...read(`docs/embed/${page}`).matchAll(/^```[jt]s$/gm)].length);
  expect(blocks.length).toBeGreaterThan(0);
  for (const [, path = "", code = ""] of blocks) {
    expect(read(`examples/hosts/${path}`)).toBe(code);
    const lines = code.split("\n").filter((line) => !/^\s*($|\/\/|\/\*\*|\*)/.test(line));
    expect(lines.length, path).toBeLessThanOrEqual(15);
  }
});
