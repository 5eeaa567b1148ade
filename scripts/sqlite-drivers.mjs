/**
 * Runs the tests of SQLite with the drivers that this Node does not use by itself: with `node:sqlite`
 * and with `better-sqlite3` under Node 24. `--long` runs all suites of the storage and the fault runs of
 * the whole server, and adds `better-sqlite3` on this Node, which compiles it if there is no binary.
 * Node and the library come from the registry at pinned versions.
 *   node scripts/sqlite-drivers.mjs [--long]
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const isLong = process.argv.includes("--long");
const newerNode = "node@24.21.0";

/** The suites of the seam itself. With `--long`, all of the storage run. */
const short = ["sqlite-drivers", "sqlite", "writer-queue", "lost-threads", "backup"];

const npm = (args, options) =>
  execFileSync("npm", args, { encoding: "utf8", shell: process.platform === "win32", ...options });

const nodeOf = (version) =>
  version === undefined
    ? process.execPath
    : npm(["exec", "--yes", `--package=${version}`, "--", "node", "-p", "process.execPath"]).trim();

/** A folder in which `better-sqlite3` is installed, for NODE_PATH. */
const folder = mkdtempSync(join(tmpdir(), "postern-drivers-"));
const install = (version, node) => {
  const path = join(folder, version);
  mkdirSync(path);
  writeFileSync(join(path, "package.json"), JSON.stringify({ private: true }));
  const PATH = `${dirname(node)}${delimiter}${process.env.PATH}`;
  npm(["install", `better-sqlite3@${version}`, "--no-audit", "--no-fund"], {
    cwd: path,
    env: { ...process.env, PATH },
  });
  return join(path, "node_modules");
};

const runs = [
  { driver: "node:sqlite", node: newerNode },
  { driver: "better-sqlite3", node: newerNode, version: "13.2.0" },
  ...(isLong ? [{ driver: "better-sqlite3", node: undefined, version: "12.9.0" }] : []),
];

try {
  for (const { driver, node: wanted, version } of runs) {
    const node = nodeOf(wanted);
    process.stdout.write(`\n-- ${driver} under ${wanted ?? `node@${process.versions.node}`}\n`);
    const environment = {
      ...process.env,
      POSTERN_TEST_SQLITE_DRIVER: driver,
      // Other databases have a run of their own.
      POSTERN_TEST_MYSQL_URL: "mysql://root@127.0.0.1:1/",
      POSTERN_REQUIRE_DATABASES: "0",
      ...(version === undefined ? {} : { NODE_PATH: install(version, node) }),
    };
    const suites = isLong ? [] : short.map((name) => `packages/storage-knex/test/${name}.test.ts`);
    const projects = ["--project=storage-knex", ...(isLong ? ["--project=faults"] : [])];
    const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
    const { status } = spawnSync(node, [vitest, "run", "--reporter=dot", ...projects, ...suites], {
      cwd: root,
      env: environment,
      stdio: "inherit",
    });
    if (status !== 0) {
      process.exitCode = 1;
      break;
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
