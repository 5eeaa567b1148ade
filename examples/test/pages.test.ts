import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

test.each(["handlers", "testing"])("every block of docs/%s.md is a file of the examples, which tests run", (page) => {
  const text = read(`docs/${page}.md`);
  const blocks = [...text.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```$/gms)];
  expect(blocks).toHaveLength([...text.matchAll(/^```ts$/gm)].length);
  for (const [, path = "", code] of blocks) expect(read(`examples/${path}`)).toBe(code);
});
