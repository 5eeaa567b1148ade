import { utf8Encode } from "@postern/core/internal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exactText, exactValue, withIntegers } from "../src/exact-json.ts";

const exact = (text: string): unknown => exactValue(JSON.parse(text), utf8Encode(text));

describe("whole numbers beyond 2^53", () => {
  test.each([
    ["408372092144951419", 408372092144951419n],
    ["-9007199254740993", -9007199254740993n],
    [`1${"0".repeat(100)}`, 10n ** 100n],
  ])("%s is exact", (text, value) => {
    expect(exact(`{"a":[{"id":${text}}],"n":1}`)).toEqual({ a: [{ id: value }], n: 1 });
  });

  test.each(["9007199254740991", "1e30", "12345678901234567.5", '"408372092144951419"', "1".repeat(1_001)])(
    "%s stays what JSON.parse makes of it",
    (text) => {
      const parsed: unknown = JSON.parse(`[${text}]`);
      expect(exactValue(parsed, utf8Encode(`[${text}]`))).toBe(parsed);
    },
  );

  test("are told from texts that look like them, however a sender writes these", () => {
    const text = String.raw`{"a":"integer0:12345678901234567890","b":"\u0069nteger1:1","n\"":12345678901234567890}`;
    expect(exact(text)).toEqual({
      a: "integer0:12345678901234567890",
      b: "integer1:1",
      'n"': 12345678901234567890n,
    });
  });

  test("keep a member called __proto__ a member", () => {
    const value = exact('{"__proto__":{"id":12345678901234567890}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.getOwnPropertyDescriptor(value, "__proto__")?.value).toEqual({ id: 12345678901234567890n });
  });

  test("come as text or as doubles where a handler wants that", () => {
    const value = exact('{"id":12345678901234567890,"n":[1]}');
    expect(withIntegers(value)).toBe(value);
    expect(withIntegers(value, "text")).toEqual({ id: "12345678901234567890", n: [1] });
    expect(withIntegers(value, "number")).toEqual({ id: 12345678901234567000, n: [1] });
  });

  test("of any JSON value survive reading and writing", () => {
    const value = fc.jsonValue({ depthSize: "small" }).map((json) => JSON.parse(JSON.stringify(json)) as unknown);
    const integer = fc.bigInt({ min: 2n ** 53n, max: 2n ** 200n }).chain((n) => fc.constantFrom(n, -n));
    const text = fc.oneof(fc.string(), fc.constantFrom("integer0:", "integer0:1", '"integer1:12345678901234567890'));
    fc.assert(
      fc.property(value, fc.array(integer, { minLength: 1 }), text, (json, integers, said) => {
        const written = `{"v":${JSON.stringify(json)},"i":[${integers.join()}],"t":${JSON.stringify(said)}}`;
        const read = exact(written);
        expect(read).toEqual({ v: exact(JSON.stringify(json)), i: integers, t: said });
        expect(exact(exactText(read))).toEqual(read);
      }),
    );
  });
});
