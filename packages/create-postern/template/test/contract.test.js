// @ts-check
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

// `npm run contract record` writes down what a version promises, when you release it.
test("every released version of the API is what it was", () => {
  const args = ["node_modules/postern/bin/postern.mjs", "contract", "check"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
});
