import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const require = createRequire(import.meta.url);
const config: { forbidden: { name: string }[] } = require("../.dependency-cruiser.cjs");

/** For each rule, a file that breaks it and what that file imports. */
const violations: Record<string, { file: string; imports: string }> = {
  "no-circular": { file: "packages/cli/src/a.ts", imports: "./b.ts" },
  "could-not-resolve": { file: "packages/cli/src/lost.ts", imports: "./nowhere.ts" },
  "verifier-stands-alone": { file: "packages/webhook-verifier/src/x.ts", imports: "../../core/src/index.ts" },
  "verifier-platform-only": { file: "packages/webhook-verifier/src/verify.ts", imports: "node:crypto" },
  "core-without-platform": { file: "packages/core/src/clock.ts", imports: "node:fs" },
  "core-testing-asserts-only": { file: "packages/core/src/testing/files.ts", imports: "node:fs" },
  "core-knows-no-framework": { file: "packages/core/src/web.ts", imports: "koa" },
  "rest-knows-core-only": { file: "packages/rest/src/bad.ts", imports: "../../http-koa/src/index.ts" },
  "jobs-knows-core-only": { file: "packages/jobs/src/bad.ts", imports: "../../inbox/src/index.ts" },
  "jobs-cron-plan-knows-core-only": { file: "packages/jobs/src/node-cron/bad.ts", imports: "../index.ts" },
  "inbox-knows-core-and-jobs": { file: "packages/inbox/src/bad.ts", imports: "../../rest/src/index.ts" },
  "app-knows-core-and-rest": { file: "packages/app/src/bad.ts", imports: "../../storage-knex/src/index.ts" },
  "app-tokens-knows-nobody-outside": { file: "packages/app/src/tokens/bad.ts", imports: "../account/index.ts" },
  "app-account-knows-nobody-outside": { file: "packages/app/src/account/bad.ts", imports: "../sign-in/index.ts" },
  "app-sign-in-knows-nobody-outside": { file: "packages/app/src/sign-in/bad.ts", imports: "../keys/index.ts" },
  "app-keys-knows-nobody-outside": { file: "packages/app/src/keys/bad.ts", imports: "../outside/index.ts" },
  "app-outside-knows-nobody-outside": { file: "packages/app/src/outside/bad.ts", imports: "../oauth/index.ts" },
  "app-oauth-knows-nobody-outside": { file: "packages/app/src/oauth/bad.ts", imports: "../users/index.ts" },
  "app-operator-one-door": { file: "packages/app/src/sign-in/worse.ts", imports: "../operator/wire/index.ts" },
  "app-wire-knows-no-operation": { file: "packages/app/src/operator/wire/bad.ts", imports: "../index.ts" },
  "storage-engine-knows-nobody-above": {
    file: "packages/storage-knex/src/engine/bad.ts",
    imports: "../schema/index.ts",
  },
  "storage-schema-knows-nobody-above": {
    file: "packages/storage-knex/src/schema/bad.ts",
    imports: "../stores/index.ts",
  },
  "storage-stores-knows-nobody-above": {
    file: "packages/storage-knex/src/stores/bad.ts",
    imports: "../server/index.ts",
  },
  "storage-server-knows-nobody-above": {
    file: "packages/storage-knex/src/server/bad.ts",
    imports: "../sqlite/index.ts",
  },
  "storage-sqlite-knows-nobody-above": {
    file: "packages/storage-knex/src/sqlite/bad.ts",
    imports: "../mysql/index.ts",
  },
  "storage-mysql-knows-nobody-above": {
    file: "packages/storage-knex/src/mysql/bad.ts",
    imports: "../postgres/index.ts",
  },
  "storage-postgres-knows-nobody-above": {
    file: "packages/storage-knex/src/postgres/bad.ts",
    imports: "../storage/index.ts",
  },
  "storage-storage-knows-nobody-above": {
    file: "packages/storage-knex/src/storage/bad.ts",
    imports: "../tools/index.ts",
  },
  "storage-dialects-apart": { file: "packages/storage-knex/src/mysql/worse.ts", imports: "../sqlite/index.ts" },
  "storage-tools-by-their-door": { file: "packages/storage-knex/src/open.ts", imports: "./tools/copy.ts" },
  "engines-without-platform": { file: "packages/app/src/files.ts", imports: "node:fs" },
  "core-without-its-test-kit": { file: "packages/core/src/app.ts", imports: "./memory/index.ts" },
  "memory-without-testing": { file: "packages/core/src/memory/bad.ts", imports: "../testing/index.ts" },
  "no-testing-in-src": { file: "packages/storage-knex/src/bad.ts", imports: "../../core/src/testing/index.ts" },
  "http-knows-core-and-rest-only": { file: "packages/http/src/node/bad.ts", imports: "koa" },
  "http-testing-serves-the-application": {
    file: "packages/http/src/testing/bad.ts",
    imports: "../../../http-koa/src/index.ts",
  },
  "http-without-platform": { file: "packages/http/src/fetch/bad.ts", imports: "node:http" },
  "http-parts-apart": { file: "packages/http/src/fetch/worse.ts", imports: "../node/index.ts" },
  "http-koa-knows-http-and-core-only": {
    file: "packages/http-koa/src/bad.ts",
    imports: "../../storage-knex/src/index.ts",
  },
  "platform-node-knows-core-only": {
    file: "packages/platform-node/src/bad.ts",
    imports: "../../inbox/src/index.ts",
  },
  "storage-knex-knows-core-only": {
    file: "packages/storage-knex/src/worse.ts",
    imports: "../../platform-node/src/index.ts",
  },
  "koa-in-http-koa-only": { file: "apps/server/src/web.ts", imports: "koa" },
  "knex-in-storage-knex-only": { file: "apps/server/src/data.ts", imports: "knex" },
  "nobody-imports-the-cli": { file: "apps/server/src/line.ts", imports: "../../../packages/cli/src/index.ts" },
  "testing-composes-through-postern": {
    file: "packages/testing/src/bad.ts",
    imports: "../../http-koa/src/index.ts",
  },
  "nobody-imports-the-test-kit": { file: "packages/app/src/kit.ts", imports: "../../testing/src/index.ts" },
  "create-postern-stands-alone": {
    file: "packages/create-postern/src/bad.ts",
    imports: "../../core/src/index.ts",
  },
  "packages-do-not-compose": { file: "packages/jobs/src/worse.ts", imports: "../../../apps/server/src/index.ts" },
  "schemes-one-by-one": { file: "packages/core/src/all.ts", imports: "../../webhook-verifier/src/all-schemes.ts" },
  "internal-for-siblings": { file: "examples/bad.ts", imports: "../packages/core/src/internal.ts" },
  "through-the-front-door": { file: "packages/http-koa/src/back.ts", imports: "../../core/src/inside.ts" },
};

let directory: string;
let found: Map<string, string[]>;

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), text);
};

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "postern-boundaries-"));
  for (const name of [
    "core",
    "rest",
    "app",
    "webhook-verifier",
    "http",
    "http-koa",
    "jobs",
    "inbox",
    "client",
    "platform-node",
    "storage-knex",
    "cli",
    "testing",
    "create-postern",
  ]) {
    write(`packages/${name}/src/index.ts`, "export const nothing = 0;\n");
  }
  write("apps/server/src/index.ts", "export const nothing = 0;\n");
  write("packages/webhook-verifier/src/all-schemes.ts", "export const nothing = 0;\n");
  write("packages/http/src/node/index.ts", "export const nothing = 0;\n");
  write("packages/core/src/inside.ts", "export const nothing = 0;\n");
  write("packages/core/src/internal.ts", "export const nothing = 0;\n");
  write("packages/core/src/memory/index.ts", "export const nothing = 0;\n");
  write("packages/core/src/testing/index.ts", "export const nothing = 0;\n");
  for (const folder of ["account", "sign-in", "keys", "outside", "oauth", "users", "operator", "operator/wire"]) {
    write(`packages/app/src/${folder}/index.ts`, "export const nothing = 0;\n");
  }
  for (const folder of ["schema", "stores", "server", "sqlite", "mysql", "postgres", "storage", "tools"]) {
    write(`packages/storage-knex/src/${folder}/index.ts`, "export const nothing = 0;\n");
  }
  write("packages/storage-knex/src/tools/copy.ts", "export const nothing = 0;\n");
  write("packages/cli/src/b.ts", 'import "./a.ts";\n');
  for (const library of ["koa", "knex"]) {
    write(`node_modules/${library}/package.json`, JSON.stringify({ name: library, main: "index.js" }));
    write(`node_modules/${library}/index.js`, "module.exports = {};\n");
  }
  for (const { file, imports } of Object.values(violations)) write(file, `import "${imports}";\n`);
  const cruiser = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const args = [
    cruiser,
    "--config",
    join(root, ".dependency-cruiser.cjs"),
    "--output-type",
    "json",
    "packages",
    "apps",
    "examples",
  ];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: directory, encoding: "utf8", maxBuffer: 1e8 });
  expect(stderr).toBe("");
  const result: { summary: { violations: { from: string; rule: { name: string } }[] } } = JSON.parse(stdout);
  found = new Map();
  for (const { from, rule } of result.summary.violations) found.set(rule.name, [...(found.get(rule.name) ?? []), from]);
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe("a boundary rule", () => {
  test.each(config.forbidden.map(({ name }) => name))("%s catches its deliberate violation", (name) => {
    const violation = violations[name];
    expect(violation, "every rule has a violation here").toBeDefined();
    expect(found.get(name)).toContain(violation?.file);
  });

  test("allows what is permitted", () => {
    const clean = [...found.values()].flat().filter((file) => file.endsWith("src/index.ts"));
    expect(clean).toEqual([]);
  });
});

describe("core's lint rules", () => {
  /** Lints the code as if it were in core, under the workspace's own configuration. */
  const lint = (code: string): string => {
    for (const file of ["biome.json", ".biome/core-has-no-clock.grit"])
      write(file, readFileSync(join(root, file), "utf8"));
    write("packages/core/src/lint-check.ts", code);
    const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
    const args = [biome, "lint", "--vcs-enabled=false", "packages/core/src/lint-check.ts"];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: directory, encoding: "utf8" });
    return stdout + stderr;
  };

  test.each([
    "export const x = Date.now();",
    "export const x = new Date();",
    "export const x = Math.random();",
    "setTimeout(() => undefined, 1);",
    "export const x = crypto.randomUUID();",
    'export const x = fetch("https://example.com");',
    "export const x = process.env.HOME;",
    "export const x = performance.now();",
    'console.log("x");',
  ])("catch %s", (code) => {
    expect(lint(`${code}\n`)).toMatch(/Core knows no clock|noRestrictedGlobals/);
  });

  test("allow a time that is passed in", () => {
    expect(lint("export const x = (at: number): string => new Date(at).toISOString();\n")).toMatch(
      /Checked 1 file.*No fixes applied/,
    );
  });
});

test("the workspace's TypeScript settings stay strict", () => {
  const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.base.json"), "utf8"));
  const strict = [
    "strict",
    "exactOptionalPropertyTypes",
    "noUncheckedIndexedAccess",
    "verbatimModuleSyntax",
    "erasableSyntaxOnly",
  ];
  expect(strict.filter((name) => compilerOptions[name] !== true)).toEqual([]);
});
