import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { setup as buildHere } from "./bundle.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const copy = mkdtempSync(join(tmpdir(), "postern-build-"));
afterAll(() => rmSync(copy, { recursive: true }));

const git = (...args: readonly string[]): readonly string[] =>
  execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\0").filter(Boolean);

/** The sources without what was built, beside what was installed. */
const copySources = (): void => {
  const deleted = new Set(git("ls-files", "-z", "--deleted"));
  for (const file of git("ls-files", "-z", "--cached", "--others", "--exclude-standard")) {
    if (deleted.has(file)) continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  for (const manifest of git("ls-files", "-z", "packages/*/package.json", "apps/*/package.json")) {
    const modules = join(dirname(manifest), "node_modules");
    // A package may need no other.
    if (!existsSync(join(root, modules))) continue;
    cpSync(join(root, modules), join(copy, modules), { recursive: true, verbatimSymlinks: true });
  }
  cpSync(join(root, ".cache", "pnpm-path"), join(copy, ".cache", "pnpm-path"));
};

test("once everything is installed, a build asks no registry", { timeout: 180_000 }, async () => {
  buildHere();
  copySources();
  const asked: (string | undefined)[] = [];
  const registry = createServer(({ url }, answer) => {
    asked.push(url);
    answer.writeHead(503).end();
  });
  registry.listen(0, "127.0.0.1");
  await once(registry, "listening");
  // The address of a server that listens on a port has this form.
  const at = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
  // As little as a new shell has. What a company's network needs, such as a proxy, is not passed on.
  // The registry is named in a file, which reaches every npm that the build might start.
  const home = join(copy, ".cache", "home");
  mkdirSync(home);
  writeFileSync(join(home, ".npmrc"), `registry=${at}\n`);
  const environment = { PATH: process.env.PATH, HOME: home, TURBO_FORCE: "true" };
  const build = spawn(process.execPath, [join("scripts", "run.mjs"), "bundle"], { cwd: copy, env: environment });
  let output = "";
  for (const stream of [build.stdout, build.stderr]) stream.on("data", (part) => (output += part));
  const [code] = await once(build, "close");
  registry.close();
  expect({ code, asked, output: code === 0 ? "" : output }).toEqual({ code: 0, asked: [], output: "" });
});
