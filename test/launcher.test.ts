import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "postern-launcher-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** As little as a new shell has, on the Node that runs this test. */
const environment = { PATH: process.env.PATH, HOME: process.env.HOME, KEEP_NODE: "1" };

test("a SIGINT that only the launcher gets stops the server, which ends as after a Ctrl-C", {
  timeout: 180_000,
}, async () => {
  const launcher = spawn(process.execPath, ["scripts/run.mjs", "start"], {
    cwd: root,
    env: { ...environment, PORT: "0", DATABASE_URL: `sqlite:${join(folder, "postern.db")}` },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  launcher.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (!printed.includes("Stop with Ctrl-C") && `${printed}${text}`.includes("Stop with Ctrl-C"))
      launcher.kill("SIGINT");
    printed += text;
  });
  const [code, signal] = await once(launcher, "close");
  expect({ code, signal }).toEqual({ code: 0, signal: null });
  expect(printed).toContain("Finishing what is under way");
});

test("./postern starts at once where nothing has changed, and asks the launcher where something may have", {
  timeout: 180_000,
}, () => {
  // A Node that only says that it was started.
  writeFileSync(join(folder, "node"), "#!/bin/sh\nexit 77\n", { mode: 0o755 });
  const postern = (path = "", more = {}) =>
    spawnSync(join(root, "postern"), ["--version"], {
      cwd: root,
      encoding: "utf8",
      // A registry that does not answer is a failure here, and no test that never ends.
      timeout: 120_000,
      env: { PATH: `${path}${process.env.PATH}`, HOME: process.env.HOME, ...more },
    });
  const first = postern();
  expect(first.stderr).not.toContain("failed");
  expect(first.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  const instead = `${folder}${delimiter}`;
  expect(postern(instead).stdout).toBe(first.stdout);
  expect(postern(instead, { KEEP_NODE: "1" }).status).toBe(77);
  utimesSync(join(root, ".cache", "postern-ready"), 0, 0);
  expect(postern(instead).status).toBe(77);
});
