/**
 * Compiles each block of TypeScript in the READMEs of the packages and on the pages of the senders,
 * as they would stand in files of an application, and runs each block of JavaScript on any page. Tests
 * compile those of the client, and the tarballs' check those of the verifier. The blocks of docs are
 * files of the examples.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compiler, remembering } from "./types.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
// Below the examples, which have every package and the usual hosts as dependencies.
const folder = join(root, "examples", ".cache");

const blocksOf = (page, language = "ts") =>
  [
    ...readFileSync(join(root, page), "utf8").matchAll(new RegExp(`^( *)\`\`\`${language}\\n(.*?)^ *\`\`\`$`, "gms")),
  ].map(([, margin, code]) => code.replaceAll(new RegExp(`^${margin}`, "gm"), ""));

/** Pages whose code is checked elsewhere. */
const elsewhere = new Set(["packages/client/README.md", "packages/webhook-verifier/README.md"]);
/** Pages whose JavaScript `scripts/hosts.mjs` runs, which installs what it needs. */
const hosts = new Set(["docs/embed/bundling.md", "docs/embed/jest.md"]);
const readmes = [
  "README.md",
  "apps/server/README.md",
  ...readdirSync(join(root, "packages")).map((name) => `packages/${name}/README.md`),
];
const pages = [...readmes, ...readdirSync(join(root, "docs", "senders")).map((name) => `docs/senders/${name}`)].filter(
  (page) => !elsewhere.has(page),
);
/** Without what the build of the site has installed there. */
const docs = readdirSync(join(root, "docs"), { recursive: true })
  .filter((name) => !name.startsWith(".vitepress"))
  .map((name) => `docs/${name}`);

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
const { status } = spawnSync(process.execPath, [compiler, "-p", folder, ...remembering("documented-code")], {
  stdio: "inherit",
});
if (status === 0) process.stdout.write(`${count} blocks of ${pages.length} pages compile.\n`);
let failed = 0;
const scripts = [...readmes, ...docs.filter((page) => page.endsWith(".md") && !hosts.has(page))].flatMap((page) =>
  blocksOf(page, "js").map((code) => ({ page, code })),
);
for (const { page, code } of scripts) {
  const file = join(folder, code.includes("require(") ? "block.cjs" : "block.mjs");
  writeFileSync(file, code);
  const args = ["--conditions=@postern/source", "--import", "tsx", file];
  const run = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8", timeout: 60_000 });
  if (run.status === 0) continue;
  failed += 1;
  process.stderr.write(`${page}: a block of JavaScript does not run: ${run.stderr}\n`);
}
if (failed === 0) process.stdout.write(`${scripts.length} blocks of JavaScript run.\n`);
rmSync(folder, { recursive: true, force: true });
process.exitCode = (status ?? 1) + failed;
