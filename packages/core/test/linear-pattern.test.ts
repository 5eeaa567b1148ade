import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linearPattern } from "../src/json-schema/linear-pattern.ts";

const character = fc.constantFrom("a", "b", "-", " ", "é", "💥", "\n", "_", "0");
const single = fc.constantFrom(
  ...["a", "b", "-", "💥", ".", "\\d", "\\W", "\\s", "[ab]", "[^a]", "[a-z0-9_]", "\\p{L}", "\\u0061", "\\u{1f4a5}"],
  ...["\\ud83d\\udca5", "\\x61", "^", "$", "\\b", "\\.", "[\\]\\-]", "[]", "[^]"],
);
const isEdge = (part: string) => /^(?:\^|\$|\\b)$/.test(part);
/** Patterns of all that is known, three levels deep. */
const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  pattern: fc
    .array(fc.array(tie("part"), { maxLength: 3 }), { minLength: 1, maxLength: 3 })
    .map((options) => options.map((parts) => parts.join("")).join("|")),
  part: fc.oneof(
    { maxDepth: 3 },
    single,
    fc
      .tuple(single, fc.constantFrom("", "*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "{0}"))
      .map(([one, count]) => (isEdge(one) ? one : one + count)),
    fc
      .tuple(fc.constantFrom("(", "(?:"), tie("pattern"), fc.constantFrom("", "*", "+", "?", "{2}", "{1,3}", "+?"))
      .map(([open, inside, count]) => `${open}${inside})${count}`),
  ),
}));

describe("a linear pattern", () => {
  test("matches what RegExp matches", () => {
    fc.assert(
      fc.property(pattern, fc.array(character, { maxLength: 8 }), (source, characters) => {
        const text = characters.join("");
        expect(linearPattern(source).test(text)).toBe(new RegExp(source, "u").test(text));
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([
    ["^(a+)+$", "a"],
    ["^(a|a)*$", "a"],
    ["^(a|aa)+$", "a"],
    ["(.*a){12}$", "a"],
    ["^([a-z]+\\.?)+$", "ab."],
  ])("%s takes time that grows with the text only", (source, piece) => {
    expect(linearPattern(source).test(`${piece.repeat(30_000)}!`)).toBe(false);
  });

  test.each([
    ["(", "not a regular expression"],
    ["[b-a]", "not a regular expression"],
    ["(?=a)", "looks ahead"],
    ["a(?!b)", "looks ahead"],
    ["(?<=a)b", "looks ahead or behind"],
    ["(?<!a)b", "looks ahead or behind"],
    ["(a)\\1", "refers back"],
    ["(?<x>a)\\k<x>", "refers back"],
    ["(a{100}){100}", "too large"],
    ["a{1000000000}", "too large"],
  ])("is not made of %s", (source, why) => {
    expect(() => linearPattern(source)).toThrow(why);
  });

  test.each([
    ["a\\Bb", "ab", true],
    ["a\\B", "a", false],
    ["^\\B$", "", true],
  ])("%s finds no edge of a word in %j: %s", (source, text, found) => {
    expect(linearPattern(source).test(text)).toBe(found);
  });

  test("is read at once, however often what is empty is repeated", () => {
    expect(linearPattern("^(?:(?:){1000000000}){1000000000}a$").test("a")).toBe(true);
  });

  test("takes named groups for groups", () => {
    expect(linearPattern("^(?<year>\\d{4})-(?<month>\\d\\d)$").test("2026-01")).toBe(true);
  });
});
