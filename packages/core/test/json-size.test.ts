import fc from "fast-check";
import { expect, test } from "vitest";
import { exceedsJson } from "../src/model/json-size.ts";

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** What a merge patch leaves of itself: null removes. */
const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value) || typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === null ? [] : [[name, withoutNulls(member)]])),
  );
};

test("never says of a value that it takes more than it does, also where null removes members", () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      expect(exceedsJson(value, bytesOf(withoutNulls(value)))).toBe(false);
    }),
  );
});

test("knows of plain values how much they take", () => {
  const value = { a: "x".repeat(100), b: [1, 2], c: { d: "y" } };
  expect(exceedsJson(value, bytesOf(value) - 4)).toBe(true);
});

test("looks at no more of a value than it needs", () => {
  let looked = 0;
  const value = Object.fromEntries(Array.from({ length: 9_990 }, (_, n) => [`p${n}`, ""]));
  const watched = new Proxy(value, {
    get: (target, name) => {
      looked += 1;
      return Reflect.get(target, name);
    },
  });
  expect(exceedsJson(watched, 1_000)).toBe(true);
  expect(looked).toBeLessThan(200);
});
