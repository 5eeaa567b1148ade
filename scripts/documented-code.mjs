/**
 * Compiles each block of TypeScript in the READMEs of the packages and on the pages of the senders,
 * as they would stand in files of an application. Tests compile those of the client, and the tarballs'
 * check those of the verifier. The blocks of docs are files of the examples.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
// Below the examples, which have every package and the usual hosts as dependencies.
const folder = join(root, "examples", ".cache");

const blocksOf = (page) =>
  [...readFileSync(join(root, page), "utf8").matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);

/** Pages whose code is checked elsewhere. */
const elsewhere = new Set(["packages/client/README.md", "packages/webhook-verifier/README.md"]);
const pages = [
  "README.md",
  "apps/server/README.md",
  ...readdirSync(join(root, "packages")).map((name) => `packages/${name}/README.md`),
  ...readdirSync(join(root, "docs", "senders")).map((name) => `docs/senders/${name}`),
].filter((page) => !elsewhere.has(page));

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
let count = 0;
for (const page of pages) {
  for (const [at, code] of blocksOf(page).entries()) {
    count += 1;
    const name = page.replace(/\.md$/, "").replaceAll("/", "-");
    writeFileSync(join(folder, `${name}-${at + 1}.ts`), `${code}\nexport {};\n`);
  }
}
const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false };
writeFileSync(
  join(folder, "tsconfig.json"),
  JSON.stringify({ extends: "../tsconfig.json", compilerOptions, include: ["*.ts"] }),
);
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
const { status } = spawnSync(process.execPath, [compiler, "-p", folder], { stdio: "inherit" });
if (status === 0) process.stdout.write(`${count} blocks of ${pages.length} pages compile.\n`);
rmSync(folder, { recursive: true, force: true });
process.exitCode = status ?? 1;
