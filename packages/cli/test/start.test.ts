import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What a file of ours, or of a package, is called here: of this package alone, each file counts. */
const nameOf = (file: string): string => {
  const [, foreign, ours] = /.*\/node_modules\/((?:@[\w-]+\/)?[\w-]+)\/|\/(packages|apps)\//.exec(file) ?? [];
  if (foreign !== undefined) return foreign;
  // A door of the server that loads nothing else.
  if (file.endsWith("/apps/server/src/early-signal.ts")) return "early-signal.ts";
  if (ours === undefined) return "";
  return file
    .replace(/^.*\/packages\/cli\/(?:src\/)?/, "")
    .replace(/^.*\/(?:packages|apps)\/([\w-]+)\/.*$/, "@postern/$1");
};

/** What the compiler of the test's sources loads of its own. */
const compiler = ["", "tsx", "esbuild", "get-tsconfig", "resolve-pkg-maps"];

/** What a command line loads: other packages by their names, and of this one its files. */
const loadedFor = async (...line: readonly string[]): Promise<readonly string[]> => {
  const hooks = ["--conditions=@postern/source", "--import", "tsx", "--import", here("loaded-modules.ts")];
  const { stderr } = await promisify(execFile)(process.execPath, [...hooks, here("../src/main.ts"), ...line]);
  const files: readonly string[] = JSON.parse(stderr.split("\n").at(-1) ?? "");
  return [...new Set(files.map(nameOf))].filter((name) => !compiler.includes(name)).toSorted();
};

test.each(["--version", "--help"])("postern %s loads commander, eight small files and no command", async (option) => {
  expect(await loadedFor(option)).toEqual([
    "commander",
    "commands.ts",
    "early-signal.ts",
    "in-options.ts",
    "load-server.ts",
    "main.ts",
    "run-cli.ts",
    "terminal.ts",
    "version.ts",
  ]);
});

test.each(["serve", "doctor", "backup", "jobs", "send", "completion", "mcp"])(
  "postern %s --help loads no server",
  async (command) => {
    const loaded = await loadedFor(command, "--help");
    expect(loaded).toContain(`commands/${command}.ts`);
    const heavy = [
      "@modelcontextprotocol/server",
      "@postern/server",
      "@postern/storage-knex",
      "@postern/http",
      "koa",
      "knex",
      "mysql2",
      "sqlite3",
    ];
    expect(heavy.filter((name) => loaded.includes(name))).toEqual([]);
  },
);
