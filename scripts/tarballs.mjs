/**
 * Packs every package as a release would, installs the tarballs in an empty folder, compiles there all
 * of their types and the code of the verifier's README, loads them as modules and as CommonJS, and
 * starts the hosts that must be built. Then it makes a project from them as a new user would, and looks
 * at what was installed for it, and does tasks by what the pages say. Compilers, hosts and other versions of Node come from the npm registry.
 * `--long` tries every compiler with every resolution, Node 22 as well, and all tasks. `--sbom=FILE` keeps the
 * list of all components.
 *   node scripts/tarballs.mjs [--long] [--sbom=FILE]
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileDoors, compilers } from "./compiled-doors.mjs";
import { hostLibraries, tryHosts } from "./hosts.mjs";
import { checkInstalled } from "./installed.mjs";
import { loadDoors } from "./loaded-doors.mjs";
import { tryNewProject } from "./new-project.mjs";
import { node22, node24, pathOfNode } from "./nodes.mjs";
import { packAll, run } from "./packed.mjs";
import { doTasks } from "./tasks/run.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "postern-tarballs-"));
const isLong = process.argv.includes("--long");
const sbom = process.argv.find((word) => word.startsWith("--sbom="))?.slice("--sbom=".length);

const read = (...path) => readFileSync(join(root, ...path), "utf8");

/** The names under which a program can import a package; of many schemes, one. `main` is a program itself. */
const doors = ({ name, exports }) =>
  Object.keys(exports)
    .filter((door) => door !== "./package.json" && door !== "./main")
    .map((door) => name + door.slice(1).replace("*", "stripe"));

/** Whether a package has a form of its own for CommonJS. */
const hasRequire = ({ exports }) => exports["."].require !== undefined;

const blocks = (readme) => [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code);

try {
  const packed = packAll(join(folder, "tarballs"));
  const tarballs = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]));
  const { devDependencies } = JSON.parse(read("package.json"));
  const named = JSON.parse(read("packages", "webhook-verifier", "package.json")).devDependencies;
  const dependencies = {
    ...tarballs,
    "@types/node": devDependencies["@types/node"],
    ...compilers,
    ...hostLibraries,
    fastify: named.fastify,
    hono: named.hono,
    stripe: named.stripe,
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
  run("npm", ["install", "--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund"], folder);
  const types = join(folder, "types");
  mkdirSync(types);
  for (const [at, code] of blocks(read("packages", "webhook-verifier", "README.md")).entries())
    writeFileSync(join(types, `readme-${at + 1}.ts`), code);
  // A storage adds a member to a type of the core, which a bundler of types may lose.
  writeFileSync(
    join(types, "own-tables.ts"),
    'import type { Postern } from "postern";\nexport const write = (postern: Postern) => postern.transaction(async ({ knex }) => knex("orders").insert({}));\n',
  );
  const names = packed.flatMap(doors);
  compileDoors({
    folder: types,
    modules: join(folder, "node_modules"),
    doors: names,
    requirable: packed.filter(hasRequire).flatMap(doors),
    isLong,
  });
  process.stdout.write(`${packed.length} tarballs are whole, and compile where nothing else is.\n`);
  const node = pathOfNode(node24);
  // Install scripts do not run here, so there is no driver to load.
  const loaded = names.filter((name) => name !== "@postern/sqlite3");
  loadDoors({ folder, doors: loaded, nodes: [process.execPath, ...(isLong ? [pathOfNode(node22)] : []), node] });
  await tryHosts(folder, node);
  const installed = await tryNewProject({ folder, tarballs, node, isLong });
  checkInstalled({ ...installed, sbom });
  await doTasks({ folder: join(folder, "tasks"), packed, node, isLong });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
