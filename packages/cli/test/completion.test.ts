import { execFile, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { directory, postern } from "./command-line.ts";

/** The script for a shell, and a file that has it. */
const scriptFor = async (shell: string): Promise<{ readonly text: string; readonly file: string }> => {
  const { code, out, err } = await postern(["completion", shell]);
  expect([code, err]).toEqual([0, ""]);
  const file = join(directory, `completion.${shell}`);
  writeFileSync(file, out);
  return { text: out, file };
};

/** The commands of docs/cli.md, which is made from the command line, each with its options. */
const commands = readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8")
  .split(/^#{2,3} (?=postern )/m)
  .slice(1)
  .map((section) => ({
    path: section.split("\n", 1)[0] ?? "",
    options: [...section.matchAll(/^\| `[^`]*?--([a-z-]+)/gm)].map(([, name = ""]) => name),
  }));

const isInstalled = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;

/** How each shell names an option of a command in its script. */
const shells: Readonly<Record<string, (text: string, path: string) => string>> = {
  bash: (text, path) => new RegExp(`^ *'${path}'\\) words=.* files=.*$`, "m").exec(text)?.[0] ?? "",
  zsh: (text, path) => new RegExp(`^ *'${path}'\\)\\n(?: +\\w+=.*\\n)+`, "m").exec(text)?.[0] ?? "",
  fish: (text, path) =>
    text
      .split("\n")
      .filter((line) => line.includes(`-n '__postern_is_at ${path}'`))
      .join("\n"),
};

describe("postern completion", () => {
  test.each(Object.entries(shells))("%s has every command and every option", async (shell, partOf) => {
    const { text, file } = await scriptFor(shell);
    expect(commands.length).toBeGreaterThan(70);
    for (const { path, options } of commands) {
      const part = partOf(text, path);
      expect(part, path).not.toBe("");
      for (const option of [...options, "help"])
        expect(part, path).toMatch(new RegExp(shell === "fish" ? `-l ${option}\\b` : `--${option}\\b`));
    }
    if (isInstalled(shell)) expect(spawnSync(shell, ["-n", file], { encoding: "utf8" }).stderr).toBe("");
  });

  test("completes commands, options and their choices in bash", async () => {
    const { file } = await scriptFor("bash");
    const program = `
      . "$1"; shift
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
      _postern
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const completed = async (...line: string[]): Promise<readonly string[]> => {
      const given = ["--norc", "-c", program, "bash", file, "postern", ...line];
      const { stdout, stderr } = await promisify(execFile)("bash", given);
      expect(stderr).toBe("");
      return stdout.split("\n").filter((word) => word !== "");
    };
    expect(await completed("ev")).toEqual(["events"]);
    expect(await completed("events", "l")).toEqual(["list"]);
    expect(await completed("help", "ev")).toEqual(["events"]);
    expect(await completed("events", "list", "--st")).toEqual(["--state"]);
    expect(await completed("events", "list", "--state", "")).toContain("quarantined");
    expect(await completed("events", "list", "--state", "de")).toEqual(["dead"]);
    expect(await completed("events", "list", "--state", "=", "de")).toEqual(["dead"]);
    expect(await completed("events", "list", "--state", "dead", "--js")).toEqual(["--json", "--jsonl"]);
    expect(await completed("events", "list", "--provider", "")).toEqual([]);
    expect(await completed("completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(await completed("--ver")).toEqual(["--version"]);
    const registered = await promisify(execFile)("bash", ["--norc", "-c", `. "$1"; complete -p postern`, "bash", file]);
    expect(registered.stdout).toBe("complete -F _postern postern\n");
  });

  test("says how to install each script, and which shells there are", async () => {
    const { out } = await postern(["completion", "--help"]);
    for (const shell of Object.keys(shells))
      expect(out).toMatch(new RegExp(`^ +${shell} +postern completion ${shell}`, "m"));
    const wrong = await postern(["completion", "tcsh"]);
    expect([wrong.code, wrong.out]).toEqual([2, ""]);
    expect(wrong.err).toContain("bash, zsh, fish");
  });
});
