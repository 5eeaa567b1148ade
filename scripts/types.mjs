/**
 * Checks the types of everything. What was checked before and has not changed is not checked again:
 * `.cache/types` remembers each file by its digest, so a checkout or a deleted file is a change like
 * any other. `--clean` forgets it first.
 */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
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

/** The options of a program that remembers. One thread needs the least time of the processors. */
export const remembering = (name) => [
  "--singleThreaded",
  "--incremental",
  "--tsBuildInfoFile",
  join(root, ".cache", "types", `${name}.tsbuildinfo`),
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes("--clean")) rmSync(join(root, ".cache", "types"), { recursive: true, force: true });
  const failed = Object.entries(programs).filter(([name, project]) => {
    const args = [compiler, "-p", project, "--noEmit", ...remembering(name)];
    return spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status !== 0;
  });
  process.exitCode = failed.length;
}
