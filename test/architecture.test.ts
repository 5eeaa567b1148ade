import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
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
