import fc from "fast-check";
import { expect, test } from "vitest";
import { SeparatorCount } from "../src/body/separator-count.ts";

/** The place behind the separator that is one too many, looked for one character at a time. */
const tooManyAt = (text: string, most: number): number | undefined => {
  let count = 0;
  let inText = false;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') inText = !inText;
    else if (inText && text[at] === "\\") at += 1;
    else if (!inText && ",[{".includes(text[at] ?? "")) count += 1;
    if (count > most) return at + 1;
  }
  return undefined;
};

test("separators are counted outside of strings, wherever the pieces end", () => {
  const parts = fc.constantFrom(...',,[{"""\\\\a é', "a".repeat(63), " ".repeat(64), "1".repeat(200));
  const texts = fc.array(parts, { maxLength: 40 }).map((all) => all.join(""));
  const places = fc.array(fc.oneof(fc.nat(50), fc.nat(2_000)));
  const property = fc.property(texts, places, fc.nat(4), (text, places, most) => {
    const bytes = new TextEncoder().encode(text.replaceAll("é", "e"));
    const count = new SeparatorCount(",[{", most);
    const ends = [...places.filter((place) => place < bytes.length).toSorted((a, b) => a - b), bytes.length];
    let from = 0;
    let found: number | undefined;
    for (const end of ends) {
      const at = count.add(bytes.subarray(from, end));
      if (at !== undefined) found = from + at;
      if (found !== undefined) break;
      from = end;
    }
    expect(found).toBe(tooManyAt(text, most));
  });
  fc.assert(property, { numRuns: 5_000 });
});

test("an escape may end a piece, and a piece may be empty", () => {
  const bytes = new TextEncoder().encode(String.raw`["\\\",[","\"{\\",[`);
  for (let place = 0; place <= bytes.length; place += 1) {
    const count = new SeparatorCount(",[{", 100);
    for (const piece of [bytes.subarray(0, place), bytes.subarray(place, place), bytes.subarray(place)]) {
      expect(count.add(piece)).toBeUndefined();
    }
    const left = Array.from({ length: 101 }, () => count.add(new TextEncoder().encode(","))).indexOf(1);
    expect(left, `cut at ${place}`).toBe(100 - 4);
  }
});
