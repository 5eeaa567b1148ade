// Measures what a newcomer waits for: from a clone to the server that is ready, with empty caches, on each
// supported Node. It prints the seconds, and fails where a start fails.
//   node scripts/cold-start.mjs
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { node22, node24, node26, pathOfNode } from "./nodes.mjs";
import { plainEnvironment } from "./plain-environment.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
/** On a quiet machine of two cores. */
const goalSeconds = 40;
const patienceMs = 300_000;
const npm = join(execFileSync("npm", ["root", "--global"], { encoding: "utf8" }).trim(), "npm", "bin", "npm-cli.js");

/** Starts the clone and resolves with the seconds until the server was ready, and with what it printed. */
const startOn = async (node) => {
  const home = mkdtempSync(join(tmpdir(), "postern-cold-"));
  const clone = join(home, "postern");
  const from = Date.now();
  execFileSync("git", ["clone", "--quiet", "--depth=1", `file://${root}`, clone]);
  const child = spawn(node, [npm, "start"], {
    cwd: clone,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...plainEnvironment(),
      PATH: `${dirname(node)}:${process.env.PATH}`,
      HOME: home,
      npm_config_cache: join(home, "npm"),
      PORT: "0",
    },
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += chunk));
  const ended = new Promise((resolve) => child.once("close", resolve));
  const isOver = ended.then(() => true);
  while (!printed.includes("Postern is ready") && Date.now() - from < patienceMs) {
    if (await Promise.race([isOver, wait(50, false)])) break;
  }
  const seconds = (Date.now() - from) / 1000;
  const isReady = printed.includes("Postern is ready");
  try {
    process.kill(-child.pid, "SIGTERM");
  } catch {
    // It has ended.
  }
  await ended;
  rmSync(home, { recursive: true, force: true });
  return { isReady, seconds, printed };
};

const nodes = [process.execPath, ...[node22, node24, node26].map(pathOfNode)];
let hasFailed = false;
for (const node of nodes) {
  const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
  const { isReady, seconds, printed } = await startOn(node);
  if (!isReady) {
    hasFailed = true;
    process.stdout.write(`Node ${version}: not ready.\n${printed}\n`);
  } else process.stdout.write(`Node ${version}: ready after ${seconds.toFixed(1)} s, goal ${goalSeconds} s.\n`);
}
process.exitCode = hasFailed ? 1 : 0;
