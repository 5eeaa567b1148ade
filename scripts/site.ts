/**
 * Builds the documentation from the Markdown of the repository into `docs/.vitepress/dist`:
 * `npm run site`. What it needs, it installs for itself into `docs/.vitepress`. `npm run site -- dev`
 * serves it and follows changes.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, rmSync, watch, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { llmsText, pages, siteText } from "../docs/.vitepress/pages.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "docs", ".vitepress");
const staged = join(root, ".cache", "site");
const built = join(folder, "dist");

const run = (command: string, args: readonly string[], directory: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: directory, stdio: "inherit", shell: process.platform === "win32" });
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`${command} ended with ${code}.`))));
  });

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

const stage = (): void => {
  for (const page of pages) write(join(staged, page.path), siteText(page));
  cpSync(join(root, "docs", "pictures"), join(staged, "public", "pictures"), { recursive: true });
};

const vitepress = (command: string): Promise<void> =>
  run(process.execPath, [join(folder, "node_modules", "vitepress", "bin", "vitepress.js"), command, "docs"], root);

rmSync(staged, { recursive: true, force: true });
stage();
await run("pnpm", ["install", "--ignore-workspace", "--frozen-lockfile", "--reporter=silent"], folder);
if (process.argv[2] === "dev") {
  watch(join(root, "docs"), { recursive: true }, stage);
  await vitepress("dev");
} else {
  await vitepress("build");
  for (const page of pages) write(join(built, page.path), siteText(page));
  write(join(built, "llms.txt"), llmsText());
}
