import fc from "fast-check";
import { expect, test } from "vitest";
import { differenceOf } from "../src/payload-difference.ts";

test("names what was added, removed and changed, by JSON Pointers", () => {
  const before = {
    id: "evt_1",
    n: 1,
    gone: [1, 2],
    "a/b~c": { deep: true },
    list: [1, { x: 1 }, 3],
    same: { z: null },
  };
  const after = { id: "evt_2", n: "1", "a/b~c": { deep: false }, list: [1, { x: 2 }], same: { z: null }, more: null };
  expect(differenceOf(before, after)).toEqual({
    isComplete: true,
    changes: [
      { path: "/id", kind: "changed", before: '"evt_1"', after: '"evt_2"' },
      { path: "/n", kind: "changed", before: "1", after: '"1"' },
      { path: "/gone", kind: "removed", before: "[1,2]", after: undefined },
      { path: "/a~1b~0c/deep", kind: "changed", before: "true", after: "false" },
      { path: "/list/1/x", kind: "changed", before: "1", after: "2" },
      { path: "/list/2", kind: "removed", before: "3", after: undefined },
      { path: "/more", kind: "added", before: undefined, after: "null" },
    ],
  });
  expect(differenceOf([1], { 0: 1 }).changes).toMatchObject([{ path: "", kind: "changed" }]);
});

test("is bounded in number and length", () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`m${n}`, "v".repeat(1_000)]));
  const { changes, isComplete } = differenceOf({}, many);
  expect([changes.length, isComplete]).toEqual([200, false]);
  expect(changes[0]?.after).toHaveLength(200);
  const exactly = Object.fromEntries(Object.entries(many).slice(0, 200));
  expect(differenceOf(exactly, {}).isComplete).toBe(true);
  expect(differenceOf({ ["k".repeat(9_999)]: 1 }, {}).changes[0]?.path).toHaveLength(500);
});

test("finds nothing between equal payloads, and something between others", () => {
  expect(differenceOf(JSON.parse("[-0]"), [0]).changes).toEqual([]);
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
      const same = JSON.stringify(left) === JSON.stringify(right);
      expect(differenceOf(left, JSON.parse(JSON.stringify(left))).changes).toEqual([]);
      if (differenceOf(left, right).changes.length === 0) expect(sorted(left)).toBe(sorted(right));
      else expect(same).toBe(false);
    }),
  );
});

/** JSON in which the order of members does not count; `-0` is written as `0`. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, member) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : member,
  );
