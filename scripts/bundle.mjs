// Bundles every package as JavaScript, without types, two at a time. Turbo runs it when a source has
// changed: `turbo run //#bundle`.
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const tsup = join(dirname(require.resolve("tsup/package.json")), "dist", "cli-default.js");
const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const waiting = ["packages", "apps"].flatMap((folder) =>
  readdirSync(join(root, folder))
    .map((name) => join(root, folder, name))
    .filter((path) => existsSync(join(path, "tsup.config.ts"))),
);

const bundle = (folder) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [tsup, "--no-dts"], { cwd: folder, stdio: "inherit" });
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`bundling ${folder} failed`))));
  });

const lane = async () => {
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) await bundle(folder);
};

await Promise.all([lane(), lane()]);
