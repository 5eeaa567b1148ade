import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

test("the README shows a test that runs", () => {
  expect(read("../README.md")).toContain(`\`\`\`ts\n${read("greet.test.ts")}\`\`\``);
});
