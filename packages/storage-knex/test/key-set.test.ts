import fc from "fast-check";
import { expect, test } from "vitest";
import { keySet } from "../src/sqlite/key-set.ts";

/** Hashes, many of them equal, and those at both ends of the range of 48 bits with a sign. */
const hash = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: 0, max: 5 }).map((n) => -(2 ** 47) + n),
  fc.integer({ min: 0, max: 5 }).map((n) => 2 ** 47 - 1 - n),
  fc.integer({ min: -(2 ** 40), max: 2 ** 40 }).map((n) => n * 2 ** 7),
);

const filled = (hashes: readonly number[]) => {
  const set = keySet();
  for (const [index, each] of hashes.entries()) set.add(each, index + 1);
  return set;
};

test("finds every place under its hash, and under no other, however often it has doubled", () => {
  fc.assert(
    fc.property(fc.array(hash, { maxLength: 4000, size: "max" }), fc.array(hash), (hashes, others) => {
      const set = filled(hashes);
      const expected = new Map<number, number[]>();
      for (const [index, each] of hashes.entries()) expected.set(each, [...(expected.get(each) ?? []), index + 1]);
      for (const each of [...hashes, ...others]) {
        expect(set.placesOf(each).toSorted((a, b) => a - b)).toEqual(expected.get(each) ?? []);
      }
      expect([set.size, set.newest]).toEqual([hashes.length, hashes.length]);
    }),
    { numRuns: 20 },
  );
});

test("goes through all places once, a stretch at a time", () => {
  fc.assert(
    fc.property(
      fc.array(hash, { maxLength: 3000, size: "max" }),
      fc.integer({ min: 1, max: 500 }),
      (hashes, wanted) => {
        const set = filled(hashes);
        const seen: number[] = [];
        let position = 0;
        while (!set.isEnd(position)) {
          const { places, next } = set.stretch(position, wanted);
          expect(places.length <= wanted && (places.length === wanted || set.isEnd(next))).toBe(true);
          seen.push(...places);
          position = next;
        }
        expect(seen.toSorted((a, b) => a - b)).toEqual(hashes.map((_, index) => index + 1));
      },
    ),
    { numRuns: 30 },
  );
});

test("keeps a stretch of even hashes together", () => {
  const hashes = Array.from({ length: 10_000 }, (_, n) => ((n * 7919) % 10_000) * 2 ** 34 - 2 ** 46);
  const set = filled(hashes);
  let last = Number.NEGATIVE_INFINITY;
  for (let position = 0; !set.isEnd(position); ) {
    const { places, next } = set.stretch(position, 100);
    const found = places.map((place) => hashes[place - 1] ?? 0);
    if (found.length > 0) {
      // A slot is for hashes of one span. A displaced hash is a few slots further.
      expect(Math.min(...found)).toBeGreaterThan(last - 2 ** 40);
      last = Math.max(...found);
    }
    position = next;
  }
});
