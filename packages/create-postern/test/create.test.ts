import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { createProject, runCreate } from "../src/index.ts";

const directory = mkdtempSync(join(tmpdir(), "postern-create-"));
afterAll(() => rmSync(directory, { recursive: true }));

let made = 0;
const newFolder = (): string => {
  made += 1;
  return join(directory, `project-${made}`);
};
const read = (...path: string[]): string => readFileSync(join(...path), "utf8");

/** Runs the command with these lines typed into a terminal; without any there is no terminal. */
const run = async (line: readonly string[], typed: readonly string[] = []) => {
  const stdin = Object.assign(new PassThrough(), { isTTY: typed.length > 0 });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  // An answer is typed when the question has been asked.
  const waiting = [...typed];
  stdout.on("data", (chunk) => {
    if (String(chunk).includes("): ")) stdin.write(`${waiting.shift() ?? ""}\n`);
  });
  const code = await runCreate([...line, "--no-install"], { cwd: () => directory, env: {}, stdin, stdout, stderr });
  return { code, error: String(stderr.read() ?? "") };
};

test("makes a project whose names and senders are filled in", () => {
  const folder = newFolder();
  createProject({ folder, database: "sqlite", senders: ["stripe", "my-shop"] });
  expect(readdirSync(folder).toSorted()).toEqual(
    [
      ".env",
      ".gitignore",
      "README.md",
      "handlers",
      "package.json",
      "postern.config.js",
      "resources",
      "test",
    ].toSorted(),
  );
  expect(read(folder, "postern.config.js")).toContain(
    'providers: { stripe: process.env.STRIPE_SECRET, "my-shop": process.env.MY_SHOP_SECRET }',
  );
  expect(read(folder, "handlers/mark-paid.js")).toContain('on("stripe", "invoice.paid"');
  expect(JSON.parse(read(folder, "package.json"))).toMatchObject({ name: `project-${made}`, type: "module" });
  const all = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { parentPath, name } of all) expect(read(parentPath, name)).not.toMatch(/SENDER|PROVIDERS|PROJECT/);
});

test("makes new secrets for each project, and keeps them out of git", () => {
  const folders = [newFolder(), newFolder()];
  for (const folder of folders) createProject({ folder, database: "postgres://db/app", senders: ["stripe"] });
  const [first = "", second = ""] = folders.map((folder) => read(folder, ".env"));
  expect(first).toMatch(/^DATABASE_URL=postgres:\/\/db\/app$/m);
  expect(first).toMatch(/^STRIPE_SECRET=whsec_[\w+/]{43}=$/m);
  const keyOf = (text: string) => /^POSTERN_SECRET_KEY=([\w+/]{43}=)$/m.exec(text)?.[1];
  expect(keyOf(first)).toBeDefined();
  expect(keyOf(first)).not.toBe(keyOf(second));
  expect(read(folders[0] ?? "", ".gitignore")).toContain(".env\n");
});

describe("the command", () => {
  test("asks for what its options do not say", async () => {
    expect(await run(["--senders", "github"], ["asked", ""])).toMatchObject({ code: 0 });
    expect(read(directory, "asked", ".env")).toMatch(/^DATABASE_URL=sqlite:\.\/data\/app\.db$.*^GITHUB_SECRET=/ms);
  });

  test("takes the defaults without a terminal", async () => {
    expect(await run(["quiet"])).toEqual({ code: 0, error: "" });
    expect(read(directory, "quiet", "postern.config.js")).toContain("stripe: process.env.STRIPE_SECRET");
  });

  test.each([
    [["full"], "is not empty"],
    [["Not_A_Name"], '"Not_A_Name" is no name of a project'],
    [["a", "--senders", "not one"], '"not one" is no sender'],
    [["a", "--senders", ","], "name at least one sender"],
    [["a", "--database", "oracle://host"], "the database is sqlite, or a URL"],
    [["a", "--colour"], "--colour"],
  ])("refuses %j with a sentence, and makes nothing", async (line, sentence) => {
    mkdirSync(join(directory, "full"), { recursive: true });
    writeFileSync(join(directory, "full", "mine.txt"), "");
    const before = readdirSync(directory);
    const { code, error } = await run(line);
    expect(code).toBe(1);
    expect(error).toContain(sentence);
    expect(readdirSync(directory)).toEqual(before);
  });
});
