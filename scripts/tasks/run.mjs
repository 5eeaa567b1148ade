/**
 * Does tasks as a stranger would: in an empty folder, with the packages as a release packs them,
 * and only by what the pages say. Commands and code come from the pages, so a page that is wrong
 * makes its task fail. Prints the seconds of each.
 *   node scripts/tasks/run.mjs [--long] [part of a name …]
 * Without `--long` it leaves out tasks that install more than Postern or start many servers.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { node24, pathOfNode } from "../nodes.mjs";
import { packAll, serveRegistry } from "../packed.mjs";
import { plainEnvironment } from "../plain-environment.mjs";
import { newStranger } from "./stranger.mjs";
import { tasks } from "./tasks.mjs";

/** What the npm or pnpm that runs this has set. */
const ofNpm = ["npm_", "pnpm_", "NODE_OPTIONS$"];

/**
 * Does the tasks whose names have one of `words`, or all, one after the other, each in a folder of its own
 * below `folder`. `node` is the path of the Node that the stranger has. `isLong` also does those that
 * CI leaves out.
 */
export const doTasks = async ({ folder, packed, node, words = [], isLong = false }) => {
  const registry = await serveRegistry(packed);
  const environment = {
    ...plainEnvironment(ofNpm),
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    NO_COLOR: "1",
    NEXT_TELEMETRY_DISABLED: "1",
    npm_config_registry: registry.address,
    npm_config_prefer_offline: "true",
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
  };
  const installed = { folder: join(folder, "installed"), modules: undefined };
  mkdirSync(installed.folder, { recursive: true });
  const asked = tasks.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  try {
    for (const { name, place, isLong: onlyLong, work } of asked) {
      if (onlyLong === true && !isLong && words.length === 0) {
        process.stdout.write(`   –    ${name} (${place}): with --long\n`);
        continue;
      }
      const own = join(folder, name.replaceAll(/\W+/g, "-"));
      mkdirSync(own);
      const began = performance.now();
      const stranger = await newStranger({ folder: own, environment, installed });
      const result = await work(stranger).finally(stranger.leave);
      const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(5);
      process.stdout.write(`${seconds} s  ${name} (${place}): ${result}\n`);
    }
  } finally {
    registry.close();
  }
};

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folder = mkdtempSync(join(tmpdir(), "postern-tasks-"));
  try {
    const args = process.argv.slice(2);
    const packed = packAll(join(folder, "tarballs"));
    const words = args.filter((arg) => arg !== "--long");
    await doTasks({ folder, packed, words, node: pathOfNode(node24), isLong: args.includes("--long") });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
