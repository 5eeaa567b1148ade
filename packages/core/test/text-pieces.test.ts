import fc from "fast-check";
import { expect, test } from "vitest";
import { piecesOf } from "../src/model/text.ts";

const secondHalf = /^[\udc00-\udfff]/;

test("a text is cut between characters, into pieces of at most the length", () => {
  const texts = fc.string({ unit: fc.constantFrom("a", "é", "€", "🙂"), maxLength: 60 });
  fc.assert(
    fc.property(texts, fc.integer({ min: 2, max: 70 }), (text, length) => {
      const pieces = [...piecesOf(text, length)];
      expect(pieces.join("")).toBe(text);
      for (const piece of pieces) {
        expect(piece).not.toMatch(secondHalf);
        expect(piece.length).toBeGreaterThan(0);
        expect(piece.length).toBeLessThanOrEqual(length);
      }
      expect(pieces.length).toBeLessThanOrEqual(Math.ceil(text.length / (length - 1)));
    }),
  );
});

test("half a character at the end of a piece or of the text is not lost", () => {
  for (const text of ["ab\ud83d", "a\ud83db", "\ud83d\ud83d\ud83d"]) expect([...piecesOf(text, 2)].join("")).toBe(text);
});
