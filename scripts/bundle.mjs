// Bundles the named package folders as JavaScript, without types, two at a time:
//   node scripts/bundle.mjs packages/core …
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const tsup = join(dirname(require.resolve("tsup/package.json")), "dist", "cli-default.js");
const waiting = process.argv.slice(2);

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
