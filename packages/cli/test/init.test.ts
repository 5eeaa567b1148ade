import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfigFile } from "@postern/server";
import { expect, test } from "vitest";
import { createProject } from "../../create-postern/src/index.ts";
import { directory, postern } from "./command-line.ts";

const read = (file: string): string => readFileSync(join(directory, file), "utf8");
const write = (file: string, text: string): void => writeFileSync(join(directory, file), text);
const names = (text: string): readonly string[] => [...text.matchAll(/^(\w+)=/gm)].map(([, name]) => String(name));

test("init writes a configuration that works, and secrets made for this project", async () => {
  expect((await postern(["init", "--yes"])).code).toBe(3);
  write("package.json", "{}");
  expect(await postern(["init"])).toMatchObject({ code: 7, err: expect.stringContaining("Nothing was written") });
  expect(existsSync(join(directory, ".env"))).toBe(false);
  const made = await postern(["init", "--yes"]);
  expect([made.code, made.out]).toEqual([0, expect.stringContaining("postern send stripe")]);
  expect(read(".env")).toMatch(/^POSTERN_SECRET_KEY=[\w+/]{43}=$/m);
  expect(statSync(join(directory, ".env")).mode & 0o777).toBe(0o600);
  expect(read(".env.example")).toMatch(/^POSTERN_SECRET_KEY=$/m);
  expect(names(read(".env.example"))).toEqual(names(read(".env")));
  expect(read(".gitignore")).toBe(".env\ndata\n");
  // The package exports what the server does; here only the server's is there.
  write("postern.config.mjs", read("postern.config.mjs").replace('from "postern"', 'from "@postern/server"'));
  const loaded = await loadConfigFile(undefined, directory);
  expect(loaded.handlers?.map(({ provider, type }) => [provider, type])).toEqual([["stripe", "invoice.*"]]);
  // A project that `npm create postern` makes has these settings, too.
  const folder = join(directory, "other");
  createProject({ folder, database: "sqlite", senders: ["stripe"] });
  expect(names(readFileSync(join(folder, ".env"), "utf8"))).toEqual([...names(read(".env")), "CALLED_AS"]);
});

test("init replaces nothing without --force, and changes no setting that is there", async () => {
  write("package.json", "{}");
  write("tsconfig.json", "{}");
  write("postern.config.ts", "mine");
  write(".env", "PORT=4000\nDATABASE_URL=postgres://db/app");
  write(".gitignore", "node_modules\n/data/\n");
  expect((await postern(["init", "--yes"])).code).toBe(7);
  expect([read("postern.config.ts"), read(".env")]).toEqual(["mine", "PORT=4000\nDATABASE_URL=postgres://db/app"]);
  expect((await postern(["init", "--yes", "--force"])).code).toBe(0);
  expect(read("postern.config.ts")).toContain("defineConfig");
  expect(read(".env")).toMatch(/^PORT=4000\nDATABASE_URL=postgres:\/\/db\/app\n# .*\nPOSTERN_SECRET_KEY=\S+\n/);
  expect(read(".gitignore")).toBe("node_modules\n/data/\n.env\n");
});
