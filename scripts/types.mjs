/**
 * Checks the types of everything. What was checked before and has not changed is not checked again:
 * `.cache/types` remembers each file by its digest, so a checkout or a deleted file is a change like
 * any other. It is of no use once other packages are installed: the compiler does not look again for
 * imports that it did not find. `--clean` checks everything.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** TypeScript 7, which is native. Tools that use the compiler from JavaScript have TypeScript 5. */
export const compiler = join(root, "node_modules", "typescript-7", "bin", "tsc");

/** One program for all packages: what many of them share is checked once. */
const programs = {
  workspace: "tsconfig.json",
  "without-node": "tsconfig.without-node.json",
  "webhook-verifier": "packages/webhook-verifier",
  console: "apps/console",
};

const memory = join(root, ".cache", "types");

/** Says what the packages export, and which packages each of them finds. */
const installed = () => {
  const digest = createHash("sha256");
  const parents = ["packages", "apps"].flatMap((name) => readdirSync(join(root, name)).map((one) => join(name, one)));
  for (const folder of [".", "examples", "benchmarks", ...parents].map((name) => join(root, name))) {
    if (!existsSync(join(folder, "package.json"))) continue;
    digest.update(readFileSync(join(folder, "package.json")));
    const modules = join(folder, "node_modules");
    for (const name of existsSync(modules) ? readdirSync(modules).toSorted() : []) {
      const names = name.startsWith("@") ? readdirSync(join(modules, name)).map((one) => join(name, one)) : [name];
      for (const one of names) digest.update(`${one} ${realpathSync(join(modules, one))}\n`);
    }
  }
  return digest.digest("hex").slice(0, 16);
};

/** The options of a program that remembers. One thread needs the least time of the processors. */
export const remembering = (name) => [
  "--singleThreaded",
  "--incremental",
  "--tsBuildInfoFile",
  join(memory, installed(), `${name}.tsbuildinfo`),
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const kept = process.argv.includes("--clean") ? undefined : installed();
  for (const name of existsSync(memory) ? readdirSync(memory) : []) {
    if (name !== kept) rmSync(join(memory, name), { recursive: true });
  }
  const failed = Object.entries(programs).filter(([name, project]) => {
    const args = [compiler, "-p", project, "--noEmit", ...remembering(name)];
    return spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status !== 0;
  });
  process.exitCode = failed.length;
}
