// Writes where the program of pnpm stands. npm starts this with pnpm at that version on the PATH.
//   npm exec --package=pnpm@<version> -- node scripts/find-pnpm.mjs <version> <file to write>
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

const [version, file] = process.argv.slice(2);

/** The folders in which the package of a program may stand whose link or script is in `folder`. */
const packagesBeside = (folder) => [
  join(folder, "..", "pnpm"),
  join(folder, "node_modules", "pnpm"),
  ...(existsSync(join(folder, "pnpm")) ? [join(dirname(realpathSync(join(folder, "pnpm"))), "..")] : []),
];

const isWanted = (folder) => {
  const manifest = join(folder, "package.json");
  if (!existsSync(manifest)) return false;
  const found = JSON.parse(readFileSync(manifest, "utf8"));
  return found.name === "pnpm" && found.version === version;
};

const found = (process.env.PATH ?? process.env.Path ?? "").split(delimiter).flatMap(packagesBeside).find(isWanted);
if (found === undefined) throw new Error(`npm put no pnpm ${version} on the PATH.`);
writeFileSync(file, join(found, "bin", "pnpm.cjs"));
