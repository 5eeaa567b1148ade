import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryDirectory } from "./server-process.ts";

const server = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const cli = fileURLToPath(new URL("../../../packages/cli/dist/main.js", import.meta.url));
/** Tells the process to stop as soon as anything listens to that. */
const preloaded = `data:text/javascript,${encodeURIComponent(
  'process.on("newListener", (name) => { if (name === "SIGTERM") setImmediate(() => process.kill(process.pid, name)); });',
)}`;

test.each([
  ["the server", [server]],
  ["`postern serve`", [cli, "serve"]],
])("%s that is told to stop while it loads ends at once, as if it had started", async (_name, args) => {
  const child = spawn(process.execPath, ["--import", preloaded, ...args], {
    cwd: temporaryDirectory(),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (output += part));
  // As the first process of a container it could be ended in no other way.
  const [code, signal] = await once(child, "close");
  expect({ code, signal, output }).toEqual({ code: 0, signal: null, output: "" });
});
