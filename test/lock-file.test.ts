import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const lock = readFileSync(new URL("../pnpm-lock.yaml", import.meta.url), "utf8");
const locked = new Set([...lock.matchAll(/^ {2}'(@[^']+)':$/gm)].map(([, name]) => name ?? ""));

/**
 * How the packages of prebuilt programs name Linux, and how they name the other systems on which
 * people clone the project.
 */
const elsewhere: readonly (readonly [linux: RegExp, others: readonly string[]])[] = [
  [/linux-x64-gnu@/, ["darwin-arm64@", "darwin-x64@", "linux-arm64-gnu@", "win32-x64-msvc@"]],
  [/linux-x64@/, ["darwin-arm64@", "darwin-x64@", "linux-arm64@", "win32-x64@"]],
  [/linux-64@/, ["darwin-arm64@", "darwin-64@", "linux-arm64@", "windows-64@"]],
];

test("the lock file has the prebuilt programs of every system, not of the one that wrote it", () => {
  const programs = elsewhere.flatMap(([linux, others]) =>
    [...locked].filter((name) => linux.test(name)).map((name) => ({ linux, others, name })),
  );
  expect(programs.length).toBeGreaterThan(5);
  const missing = programs.flatMap(({ linux, others, name }) =>
    others.map((other) => name.replace(linux, other)).filter((other) => !locked.has(other)),
  );
  expect(missing).toEqual([]);
});
