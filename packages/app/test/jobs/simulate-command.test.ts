import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("./simulation/run.ts", import.meta.url));

test.each([
  ["a seed that is no number", ["forty-two"], "<seed>"],
  ["no seeds at all", ["--count", "0"], "--count"],
  ["an option that it does not have", ["--seeds", "5"], "--seeds"],
  ["a seed beside a range", ["3", "--from", "4"], "one seed stands alone"],
])("pnpm simulate answers %s with one line that says how it is called", { timeout: 120_000 }, (_what, args, named) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=@postern/source", "--import", "tsx", script, ...args],
    { encoding: "utf8" },
  );
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(/^[^\n]+usage: pnpm simulate [^\n]+\n$/);
  expect(stderr).toContain(named);
});
