import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The names that an entry exports, including those of entries that it exports in turn. */
const namesOf = (file: string): readonly string[] => {
  const source = readFileSync(file, "utf8");
  const listed = [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = ""]) =>
    list
      .split(",")
      .map(
        (name) =>
          name
            .trim()
            .replace(/^type /, "")
            .split(" as ")
            .at(-1) ?? "",
      )
      .filter((name) => name !== ""),
  );
  const declared = [...source.matchAll(/^export (?:const|type|interface|class|function) (\w+)/gm)].map(
    ([, name = ""]) => name,
  );
  const behind = [...source.matchAll(/^export (?:type )?\* from "(\..+)"/gm)].flatMap(([, path = ""]) =>
    namesOf(join(dirname(file), path)),
  );
  return [...new Set([...listed, ...declared, ...behind])].toSorted();
};

const doors = ["packages", "apps"].flatMap((folder) =>
  readdirSync(join(root, folder)).flatMap((name) => {
    const manifest = join(root, folder, name, "package.json");
    if (!existsSync(manifest)) return [];
    const { exports = {} }: { exports?: Record<string, string | Record<string, string>> } = JSON.parse(
      readFileSync(manifest, "utf8"),
    );
    return Object.entries(exports).flatMap(([path, target]) => {
      const source = typeof target === "string" ? undefined : target["@postern/source"];
      return source === undefined || source.includes("*")
        ? []
        : [{ door: `${folder}/${name} ${path}`, source: join(root, folder, name, source) }];
    });
  }),
);

test("each entry exports the names that were chosen", async () => {
  const shown = doors.map(
    ({ door, source }) =>
      `${door}\n${namesOf(source)
        .map((name) => `  ${name}`)
        .join("\n")}`,
  );
  await expect(`${shown.join("\n\n")}\n`).toMatchFileSnapshot("exports.snapshot.txt");
});

test("the doors stay small: 75 names for authors of applications in core, 670 different ones in all", () => {
  // What packages need of each other is no promise.
  const promised = doors.filter(({ door }) => !door.endsWith(" ./internal"));
  const names = promised.map(({ door, source }) => ({ door, names: namesOf(source) }));
  expect(names.find(({ door }) => door === "packages/core .")?.names.length).toBeLessThanOrEqual(75);
  expect(new Set(names.flatMap((one) => one.names)).size).toBeLessThanOrEqual(670);
});

test("the package postern has every name that a configuration file may use", () => {
  const inFile = namesOf(join(root, "apps/server/src/for-configuration.ts"));
  expect(namesOf(join(root, "packages/postern/src/index.ts"))).toEqual(expect.arrayContaining([...inFile]));
});
