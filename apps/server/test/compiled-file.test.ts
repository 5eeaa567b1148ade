import { readFileSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { compiledFile } from "../src/compiled-file.ts";
import { temporaryDirectory } from "./server-process.ts";

const program = (answer: number): string =>
  `(function (exports, require, module, __filename, __dirname, importModule) {
    exports.answer = () => ${answer};
    exports.separator = require("node:path").sep;
    exports.later = (name) => importModule(name);
  })`;

const inFolder = (text = program(1)) => {
  const folder = temporaryDirectory();
  const file = join(folder, "server.cjs");
  const kept = join(folder, "cache", "server");
  writeFileSync(file, text);
  return { file, kept, compiled: () => compiledFile(file, kept) };
};

const asked = async (specifier: string) => ({ specifier });

const answerOf = (exports: Readonly<Record<string, unknown>>): unknown => (exports.answer as () => number)();

describe("a compiled file", () => {
  it("runs like a module, and imports through the function that it gets", async () => {
    const exports = inFolder().compiled().run(asked);
    expect(answerOf(exports)).toBe(1);
    expect(exports.separator).toBe(sep);
    expect(await (exports.later as typeof asked)("jose")).toEqual({ specifier: "jose" });
  });

  it("is used in the form that the last process kept", () => {
    const { compiled } = inFolder();
    const first = compiled();
    first.run(asked);
    first.keep();
    const second = compiled();
    expect([first.reused, second.reused]).toEqual([false, true]);
    expect(answerOf(second.run(asked))).toBe(1);
  });

  it("is compiled again when its source has changed, even at the same length", () => {
    const { file, compiled } = inFolder();
    compiled().keep();
    writeFileSync(file, program(2));
    const changed = compiled();
    expect(changed.reused).toBe(false);
    expect(answerOf(changed.run(asked))).toBe(2);
    changed.keep();
    expect(compiled().reused).toBe(true);
  });

  it("is compiled again when the kept code is damaged, cut off or empty", () => {
    const { kept, compiled } = inFolder();
    compiled().keep();
    const whole = readFileSync(kept);
    const zeros = Buffer.from(whole).fill(0, whole.length - 40);
    for (const damaged of [zeros, whole.subarray(0, 100), whole.subarray(0, 20), Buffer.alloc(0)]) {
      writeFileSync(kept, damaged);
      const again = compiled();
      expect(again.reused).toBe(false);
      expect(answerOf(again.run(asked))).toBe(1);
    }
  });

  it("runs even if nothing can be kept", () => {
    const { kept, file } = inFolder();
    writeFileSync(join(file, "..", "cache"), "a file where the folder should be");
    const compiled = compiledFile(file, kept);
    compiled.keep();
    expect(answerOf(compiled.run(asked))).toBe(1);
    expect(compiledFile(file, kept).reused).toBe(false);
  });
});
