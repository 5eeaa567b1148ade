/**
 * Goes the way of a new user with the packed packages: makes a project in an empty folder, installs
 * it without install scripts, starts it on Node 24 and sends it a signed webhook, then runs its test
 * on this Node and on Node 24.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { plainEnvironment } from "./plain-environment.mjs";

const startMs = 30_000;
/**
 * From an empty folder to the first verified webhook, if npm has the libraries in its cache: the long
 * run measures alone, CI beside other checks.
 */
const firstWebhookMs = { alone: 30_000, beside: 90_000 };

const run = (command, args, options) =>
  execFileSync(command, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    shell: process.platform === "win32",
    ...options,
  });

/** npm as if this Node were the one on the PATH. */
const withNode = (node) => ({ ...plainEnvironment(), PATH: `${dirname(node)}${delimiter}${process.env.PATH}` });

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const started = async (url) => {
  const until = performance.now() + startMs;
  for (;;) {
    const answer = await fetch(`${url}/health/live`).catch(() => undefined);
    if (answer?.ok) return;
    if (performance.now() > until) throw new Error(`The new project did not start within ${startMs} ms.`);
    await sleep(50);
  }
};

/**
 * `tarballs` are paths by name; `create-postern` is installed in `folder`; `node` is a Node 24. Returns
 * the folder of the project, and the environment in which npm installed it.
 * @throws Error if something does not work, or takes longer than a new user would wait.
 */
export const tryNewProject = async ({ folder, tarballs, node, isLong }) => {
  const home = join(folder, "empty");
  mkdirSync(home);
  const project = join(home, "my-app");

  const began = performance.now();
  const bin = join(folder, "node_modules", "create-postern", "bin", "create-postern.mjs");
  run(node, [bin, "my-app", "--yes", "--no-install"], { cwd: home });
  const path = join(project, "package.json");
  const manifest = JSON.parse(readFileSync(path, "utf8"));
  // The packages as they are here, and not as the registry has them.
  writeFileSync(path, JSON.stringify({ ...manifest, dependencies: tarballs, devDependencies: {} }, undefined, 2));
  run("npm", ["install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"], {
    cwd: project,
    env: withNode(node),
  });
  const installed = performance.now();

  const url = `http://127.0.0.1:${await freePort()}`;
  const env = { ...withNode(node), PORT: new URL(url).port };
  const [, ...start] = manifest.scripts.start.split(" ");
  const server = spawn(node, start, { cwd: project, env, stdio: ["ignore", "ignore", "inherit"] });
  try {
    await started(url);
    const answer = run("npm", ["run", "--silent", "postern", "--", "send", "stripe"], { cwd: project, env });
    if (!answer.startsWith("200 ")) throw new Error(`The first webhook was answered ${answer}`);
  } finally {
    server.kill();
  }
  const seconds = (from, to) => ((to - from) / 1000).toFixed(1);
  const verified = performance.now();
  process.stdout.write(
    `From an empty folder to the first verified webhook: ${seconds(began, verified)} s, ` +
      `of which the installation took ${seconds(began, installed)} s.\n`,
  );
  const most = isLong ? firstWebhookMs.alone : firstWebhookMs.beside;
  if (verified - began > most) throw new Error(`That is more than ${most / 1000} s.`);

  for (const one of [process.execPath, node]) run("npm", ["test"], { cwd: project, env: withNode(one) });
  process.stdout.write("The new project passes its test.\n");
  return { project, env: withNode(node) };
};
