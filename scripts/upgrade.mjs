/**
 * An upgrade under load: `node scripts/upgrade.mjs [--from=<commit>]` builds the server of an
 * earlier commit in a folder of its own, and lets it and this tree's server take turns on one
 * database, and run side by side where the database is shared. Needs the history and the registry.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** The last one before PostgreSQL, five migrations and new tables of jobs. */
const [from = "d3e67160"] = process.argv.flatMap((arg) => (arg.startsWith("--from=") ? [arg.slice(7)] : []));

const run = (cwd, program, args, more = {}) =>
  execFileSync(program, args, { cwd, stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, ...more } });

const folder = mkdtempSync(join(tmpdir(), "postern-earlier-"));
try {
  run(root, "git", ["worktree", "add", "--detach", "--force", folder, from]);
  // The scripts of that commit install and build as they did then.
  run(folder, "pnpm", ["install", "--frozen-lockfile", "--prefer-offline"]);
  run(folder, process.execPath, [join("scripts", "run.mjs"), "bundle"]);
  const files = ["run", "--project", "faults", "faults/upgrade.test.ts"];
  run(root, process.execPath, [join(root, "node_modules", "vitest", "vitest.mjs"), ...files], {
    POSTERN_OLDER_SERVER: join(folder, "apps", "server", "dist", "main.js"),
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
  run(root, "git", ["worktree", "prune"]);
}
