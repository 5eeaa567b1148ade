import fc from "fast-check";
import { expect, test } from "vitest";
import { keySet, type NotedKey } from "../src/sqlite/key-index.ts";

/** Hashes, many of them equal, and those at both ends of the range of 48 bits with a sign. */
const hash = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: 0, max: 5 }).map((n) => -(2 ** 47) + n),
  fc.integer({ min: 0, max: 5 }).map((n) => 2 ** 47 - 1 - n),
  fc.integer({ min: -(2 ** 40), max: 2 ** 40 - 1 }).map((n) => n * 2 ** 7),
);

/** The first numbers of events, those around 32 bits, and the last ones. */
const eventBefore = fc.constantFrom(0, 2 ** 16 - 5, 2 ** 32 - 100, 2 ** 48 - 1 - 4000);

const filled = (hashes: readonly number[], before = 0) => {
  const set = keySet();
  for (const [index, each] of hashes.entries()) set.add(each, before + index + 1);
  return set;
};

test("finds every event under its hash, and under no other, however often it has doubled", () => {
  fc.assert(
    fc.property(
      fc.array(hash, { maxLength: 4000, size: "max" }),
      fc.array(hash),
      eventBefore,
      (hashes, others, before) => {
        const set = filled(hashes, before);
        const expected = new Map<number, number[]>();
        for (const [index, each] of hashes.entries()) {
          expected.set(each, [...(expected.get(each) ?? []), before + index + 1]);
        }
        for (const each of [...hashes, ...others]) {
          expect(set.eventsOf(each).toSorted((a, b) => a - b)).toEqual(expected.get(each) ?? []);
        }
        expect(set.size).toBe(hashes.length);
      },
    ),
    { numRuns: 20 },
  );
});

test("goes through all keys once, a stretch at a time", () => {
  fc.assert(
    fc.property(
      fc.array(hash, { maxLength: 3000, size: "max" }),
      fc.integer({ min: 1, max: 500 }),
      eventBefore,
      (hashes, wanted, before) => {
        const set = filled(hashes, before);
        const seen: NotedKey[] = [];
        let position = 0;
        while (!set.isEnd(position)) {
          const { keys, next } = set.stretch(position, wanted);
          expect(keys.length <= wanted && (keys.length === wanted || set.isEnd(next))).toBe(true);
          seen.push(...keys);
          position = next;
        }
        expect(seen.toSorted(([, a], [, b]) => a - b)).toEqual(hashes.map((each, index) => [each, before + index + 1]));
      },
    ),
    { numRuns: 30 },
  );
});

test("refuses a number that is too large for its slots, or stands for a free one", () => {
  const set = keySet();
  for (const event of [0, -1, 2 ** 48, Number.NaN]) expect(() => set.add(1, event)).toThrow(RangeError);
  expect(set.size).toBe(0);
});

test("keeps a stretch of even hashes together", () => {
  const hashes = Array.from({ length: 10_000 }, (_, n) => ((n * 7919) % 10_000) * 2 ** 34 - 2 ** 46);
  const set = filled(hashes);
  let last = Number.NEGATIVE_INFINITY;
  for (let position = 0; !set.isEnd(position); ) {
    const { keys, next } = set.stretch(position, 100);
    const found = keys.map(([each]) => each);
    if (found.length > 0) {
      // A slot is for hashes of one span. A displaced hash is a few slots further.
      expect(Math.min(...found)).toBeGreaterThan(last - 2 ** 40);
      last = Math.max(...found);
    }
    position = next;
  }
});

test("keeps its size until it has as many keys as were expected", () => {
  for (const expected of [0, 819, 820, 5000]) {
    const set = keySet(expected);
    const { bytes } = set;
    for (let n = 1; n <= expected; n += 1) set.add(n * 2 ** 20, n);
    expect([set.size, set.bytes]).toEqual([expected, bytes]);
  }
});
