import fc from "fast-check";
import { expect, test } from "vitest";
import { nfc } from "../src/model/normal-form.ts";

const letter = fc.constantFrom("a", "e", "\u1100", "\u0915", " ");
const mark = fc.constantFrom("\u0300", "\u0301", "\u0315", "\u0327", "\u0345", "\u093c");
const syllable = (most: number) =>
  fc.tuple(letter, fc.array(mark, { maxLength: most })).map(([base, marks]) => base + marks.join(""));

test("texts that are the same to Unicode become one text", () => {
  fc.assert(
    fc.property(fc.array(syllable(30), { maxLength: 5 }), (syllables) => {
      const text = syllables.join("");
      expect(nfc(text.normalize("NFD"))).toBe(text.normalize("NFC"));
    }),
  );
});

test("a text stays as it is the second time", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), syllable(60)), (text) => {
      expect(nfc(nfc(text))).toBe(nfc(text));
    }),
  );
});

test("a million marks on a letter take no time, and stay as they are", () => {
  const text = `a${"\u0315\u0300".repeat(500_000)}`;
  expect(nfc(text)).toBe(text);
});
