import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryDirectory } from "./server-process.ts";

const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

test.each([
  ["--version", 0, `${version}\n`, ""],
  ["-V", 0, `${version}\n`, ""],
  ["--help", 0, expect.stringMatching(/^Starts Postern's server\. /), ""],
  ["serve", 2, "", 'The server takes no argument "serve". --help says what it takes.\n'],
])("the server's program answers %s and starts nothing", (argument, status, stdout, stderr) => {
  const cwd = temporaryDirectory();
  const ended = spawnSync(process.execPath, [main, argument], { cwd, encoding: "utf8", env: {}, timeout: 10_000 });
  expect({ status: ended.status, stdout: ended.stdout, stderr: ended.stderr }).toEqual({ status, stdout, stderr });
  expect(existsSync(cwd) ? readdirSync(cwd) : []).toEqual([]);
});

test.each([
  ["json", '"msg":"started"'],
  ["pretty", "Stop with Ctrl-C"],
])("a start says once that no mail leaves, with the log as %s", async (format, ready) => {
  const env = { PATH: process.env.PATH, PORT: "0", POSTERN_LOG_FORMAT: format };
  const server = spawn(process.execPath, [main], {
    cwd: temporaryDirectory(),
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  server.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (!printed.includes(ready) && `${printed}${text}`.includes(ready)) server.kill("SIGTERM");
    printed += text;
  });
  await once(server, "close");
  expect(printed.match(/POSTERN_SMTP_URL is not set/g)).toHaveLength(1);
});
