import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Manifest {
  readonly name: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const manifestIn = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

const folders = [
  ...readdirSync(join(root, "packages")).map((name) => `packages/${name}`),
  "apps/server",
  "apps/console",
].map((path) => join(root, path));
const isOurs = (name: string): boolean => name === "postern" || name.startsWith("@postern/");

/** Where Node finds a package from a folder; `undefined` if it is not installed. */
const folderOf = (name: string, from: string): string | undefined => {
  const found = join(from, "node_modules", name);
  if (existsSync(join(found, "package.json"))) return realpathSync(found);
  return dirname(from) === from ? undefined : folderOf(name, dirname(from));
};

/** The rows of the page: library and licence. */
const rows = [
  ...readFileSync(join(root, "docs/dependencies.md"), "utf8").matchAll(/^\| `([^`]+)` \| (\S+) \| .{20}/gm),
].map(([, name = "", licence = ""]) => ({ name, licence }));

test("docs/dependencies.md says why each library is there, with its licence", () => {
  const declared = folders.flatMap((folder) => {
    const { dependencies, peerDependencies } = manifestIn(folder);
    return Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => !isOurs(name));
  });
  expect(rows.map(({ name }) => name)).toEqual([...new Set(declared)].toSorted());
  const wrong = rows.filter(({ name, licence }) => {
    const found = folders.map((folder) => folderOf(name, folder)).find((folder) => folder !== undefined);
    return found !== undefined && manifestIn(found).license !== licence;
  });
  expect(wrong).toEqual([]);
});

const licences: { readonly free: readonly string[]; readonly chosen: readonly string[] } = JSON.parse(
  readFileSync(join(root, "scripts/licences.json"), "utf8"),
);

test("everything that is installed with a package has a licence that allows any use", () => {
  const seen = new Map<string, Manifest>();
  const visit = (folder: string): void => {
    if (seen.has(folder)) return;
    const manifest = manifestIn(folder);
    seen.set(folder, manifest);
    for (const name of Object.keys(manifest.dependencies ?? {})) {
      const found = folderOf(name, folder);
      if (found !== undefined) visit(found);
    }
  };
  for (const folder of folders) visit(folder);
  expect(seen.size).toBeGreaterThan(100);
  const allowed = [...licences.free, ...licences.chosen];
  const others = [...seen.values()].filter(({ license = "none" }) => !allowed.includes(license));
  expect(others.map(({ name, license }) => `${name}: ${JSON.stringify(license)}`)).toEqual([]);
});
