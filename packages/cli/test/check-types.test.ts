import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { checkTypes } from "../src/dev/check-types.ts";
import { directory } from "./command-line.ts";

const typescript = fileURLToPath(new URL("../../../node_modules/typescript", import.meta.url));

test("types are checked with the project's own compiler, and a fault has its file and place", async () => {
  const write = (file: string, text: string): void => writeFileSync(join(directory, file), text);
  write("package.json", "{}");
  write("one.ts", 'export const one: number = "1";\n');
  // Neither a compiler nor a project of one.
  expect(await checkTypes(directory).faults).toBe("");
  mkdirSync(join(directory, "node_modules"));
  symlinkSync(realpathSync(typescript), join(directory, "node_modules/typescript"), "junction");
  write("tsconfig.json", JSON.stringify({ compilerOptions: { lib: ["es5"], types: [] }, include: ["*.ts"] }));
  expect(await checkTypes(directory).faults).toContain("one.ts(1,14): error TS2322:");
  write("one.ts", "export const one: number = 1;\n");
  expect(await checkTypes(directory).faults).toBe("");
  // A newer save ends the check before it.
  const ended = checkTypes(directory);
  ended.end();
  expect(await ended.faults).toBe("");
});
