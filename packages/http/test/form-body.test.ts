import fc from "fast-check";
import { expect, test } from "vitest";
import { parseForm } from "../src/body/form-body.ts";

const fieldIn = (text: string): string | undefined => parseForm(new TextEncoder().encode(`a=${text}`)).get("a");

/** Pieces of which forms are made: texts, plus signs, and escapes that are whole, cut or wrong. */
const piece = fc.oneof(
  fc.string({ unit: "binary", maxLength: 4 }).map((text) => text.replace(/[&%+]/g, "")),
  fc.constantFrom("+", "%", "%2", "%2B", "%c3%A9", "%E2%82%AC", "%E2%82", "%zz", "%G0", "%00", "%26", "%EF%BB%BF"),
  fc.integer({ min: 0, max: 255 }).map((byte) => `%${byte.toString(16).padStart(2, "0")}`),
);

test("a field is decoded as decodeURIComponent does it, or refused where it fails", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join("");
      let wanted: string;
      try {
        wanted = decodeURIComponent(text.replaceAll("+", " "));
      } catch {
        expect(() => fieldIn(text)).toThrow("percent-encoded");
        return;
      }
      expect(fieldIn(text)).toBe(wanted);
    }),
    { numRuns: 2_000 },
  );
});

test("a refused field is not named in the error, because it may be a secret", () => {
  expect(() => fieldIn("hunter2%zz")).toThrow(
    expect.objectContaining({ detail: expect.not.stringContaining("hunter2") }),
  );
});

test("a question mark in front belongs to the name", () => {
  expect([...parseForm(new TextEncoder().encode("?a=1&&b"))]).toEqual([
    ["?a", "1"],
    ["b", ""],
  ]);
});
