import { describe, expect, test } from "vitest";
import { stackOf } from "../src/jobs/thrown-value.ts";

const withStack = (stack: unknown): Error => Object.assign(new Error("boom"), { stack });
const line = (n: number): string => `    at step${n} (file:///app/jobs.ts:${n}:1)`;

describe("the stack of a thrown error", () => {
  test("is its first 20 lines, without the message", () => {
    const lines = Array.from({ length: 30 }, (_, n) => line(n));
    expect(stackOf(withStack(["Error: boom", "of two lines", ...lines].join("\n")))).toBe(
      lines.slice(0, 20).join("\n"),
    );
  });

  test("has lines of at most 300 characters, and none of a message without end", () => {
    expect(stackOf(withStack(`Error: boom\n    at ${"x".repeat(9_000)}`))).toHaveLength(300);
    expect(stackOf(withStack(`Error: ${"x".repeat(1_000_000)}\n${line(1)}`))).toBeUndefined();
  });

  test.each([
    ["no error", "boom"],
    ["an error without a stack", withStack(undefined)],
    ["an error whose stack is no text", withStack(7)],
    [
      "an error that cannot be read",
      Object.defineProperty(new Error("boom"), "stack", {
        get: () => {
          throw new Error("no");
        },
      }),
    ],
  ])("is absent for %s", (_what, thrown) => {
    expect(stackOf(thrown)).toBeUndefined();
  });
});
