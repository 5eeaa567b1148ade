import { boolean, date, decimal, type Field, instant, integer, jsonObject, nullable, text } from "@postern/core";
import { filterOperators, instantText, timestampText } from "@postern/core/internal";
import { describe, expect, test } from "vitest";

const description = "A field.";
const stored = (field: Field, given: unknown) => field.schema.parse(given);
const takes = (field: Field, given: unknown) => field.schema.safeParse(given).success;

describe("a decimal", () => {
  const price = decimal({ digits: 5, decimals: 2, description });

  test.each([999.99, -999.99, 0.01, 0, 12])("keeps %d as it is", (value) => {
    expect(stored(price, value)).toBe(value);
  });

  test("keeps negative zero as zero, which is what reads back", () => {
    expect(Object.is(stored(price, -0), 0)).toBe(true);
  });

  test.each([1000, -1000, 0.001, 1e21, Number.NaN, Number.POSITIVE_INFINITY, "1", null])("refuses %s", (value) => {
    expect(takes(price, value)).toBe(false);
  });

  test("has a least value where it is given one", () => {
    const amount = decimal({ digits: 5, decimals: 2, min: 0, description });
    expect([takes(amount, 0), takes(amount, -0.01)]).toEqual([true, false]);
  });

  test.each([
    [0, 0],
    [16, 0],
    [1.5, 0],
    [15, 7],
    [15, -1],
    [15, 0.5],
    [2, 3],
  ])("cannot have %d digits, %d of them behind the point", (digits, decimals) => {
    expect(() => decimal({ digits, decimals, description })).toThrow(TypeError);
  });

  test.each([
    [1, 0],
    [15, 6],
    [6, 6],
  ])("can have %d digits, %d of them behind the point", (digits, decimals) => {
    expect(decimal({ digits, decimals, description }).precision).toEqual({ digits, decimals });
  });
});

describe("a field", () => {
  test.each<[string, Field, readonly unknown[], readonly unknown[]]>([
    ["an integer", integer({ description }), [Number.MAX_SAFE_INTEGER, -1], [2 ** 53, 0.5, "1"]],
    ["a date", date({ description }), ["2024-02-29"], ["2023-02-29", "2024-2-9", "2024-02-29T00:00:00Z"]],
    ["a truth value", boolean({ description }), [true, false], [0, "true", null]],
    ["a text", text(3, { description }), ["abc", "💥"], ["", "abcd", " ", "a\u0000", "a\nb", "\ud800"]],
    ["an empty text", text(3, { minLength: 0, description }), ["", " "], ["\t"]],
    [
      "an object",
      jsonObject({ description }),
      [{}, { ["k".repeat(128)]: [1] }],
      [[], { ["k".repeat(129)]: 1 }, { a: "\0" }],
    ],
  ])("that is %s takes what it keeps", (_what, field, good, bad) => {
    expect(good.filter((value) => !takes(field, value))).toEqual([]);
    expect(bad.filter((value) => takes(field, value))).toEqual([]);
  });

  test("that is an object is measured in bytes", () => {
    const field = jsonObject({ description });
    // One that is too large is not looked at any further.
    const large = field.schema.safeParse({ a: "\0", b: "x".repeat(20_000) });
    expect(large.error?.issues.map(({ message }) => message)).toEqual(["at most 16 KiB of JSON"]);
    const members = Object.fromEntries(Array.from({ length: 9_990 }, (_, n) => [`p${n}`, "x".repeat(80)]));
    let looked = 0;
    const watched = new Proxy(members, {
      get: (target, name) => {
        looked += 1;
        return Reflect.get(target, name);
      },
    });
    expect(takes(field, watched)).toBe(false);
    expect(looked).toBeLessThan(1_000);
    const ofBytes = (bytes: number) => ({ a: "é".repeat((bytes - '{"a":""}'.length) / 2) });
    expect([takes(field, ofBytes(16_384)), takes(field, ofBytes(16_386))]).toEqual([true, false]);
  });

  test("that is a moment takes any offset and keeps UTC", () => {
    const field = instant({ description });
    expect(stored(field, "2026-01-31T12:00:00+02:00")).toBe("2026-01-31T10:00:00.000Z");
    for (const text of ["2026-01-31", "0000-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
      expect(takes(field, text)).toBe(false);
  });

  test("can be asked for without a value where it may have none", () => {
    const one = text(3, { description });
    expect(filterOperators(one)).not.toContain("null");
    expect(filterOperators(nullable(one))).toContain("null");
    expect(filterOperators(nullable(jsonObject({ description })))).toEqual([]);
    expect([takes(one, null), takes(nullable(one), null)]).toEqual([false, true]);
  });
});

test.each([
  ["in its one spelling", timestampText],
  ["in any spelling", instantText],
])("a refused time %s names one that is taken", (_what, schema) => {
  const [named = ""] = /\d{4}-[^ ]+/.exec(schema.safeParse("yesterday").error?.issues[0]?.message ?? "") ?? [];
  expect([named, schema.safeParse(named).success]).toEqual([expect.stringMatching(/^2026/), true]);
});
