import fc from "fast-check";
import { expect, test } from "vitest";
import { patternTest } from "../src/text-pattern.ts";

const few = (characters: string, maxLength: number) => fc.string({ unit: fc.constantFrom(...characters), maxLength });

test("a text fits a pattern as it would fit the expression with `[^]*` for each star", () => {
  fc.assert(
    fc.property(few("ab.*\n", 8), few("ab.\n", 8), (pattern, text) => {
      const expression = new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", "[^]*")}$`);
      expect(patternTest(pattern)(text)).toBe(expression.test(text));
    }),
    { numRuns: 5_000 },
  );
});

test("a pattern of many stars is decided at once", () => {
  // An expression would try 10^40 divisions.
  expect(patternTest(`${"*a".repeat(60)}b`)("a".repeat(250))).toBe(false);
});
