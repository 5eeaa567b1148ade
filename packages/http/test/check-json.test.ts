import { AppError } from "@postern/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkJson } from "../src/body/check-json.ts";

const errorIn = (text: string): AppError | undefined => {
  try {
    checkJson(text, 10_000);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === "invalid_json") return thrown;
    throw thrown;
  }
};

const faultIn = (text: string): string | undefined => errorIn(text)?.detail;

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** The number that a fault is about, and the text with 1 and a space in its place. */
const withoutNumber = (text: string, fault: string): { readonly written: string; readonly rest: string } => {
  const [, line = 0, column = 0] = /at line (\d+), column (\d+):/.exec(fault)?.map(Number) ?? [];
  const before = text.split("\n").slice(0, line);
  const at = before.join("\n").length - (before.at(-1)?.length ?? 0) + column - 1;
  const written = /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/.exec(text.slice(at))?.[0] ?? "";
  return { written, rest: `${text.slice(0, at)}1 ${text.slice(at + written.length)}` };
};

/** Whether a number is other than zero and parsing makes it zero or infinite. */
const isLost = (written: string): boolean =>
  /[1-9]/.test(written.replace(/e.*/i, "")) && [0, Number.POSITIVE_INFINITY].includes(Math.abs(Number(written)));

/** The numbers in a text that is JSON. */
const numbersIn = (text: string): readonly string[] =>
  text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').match(/[-0-9.eE+]*[0-9]/g) ?? [];

describe("checkJson", () => {
  test("takes every value that JSON.stringify writes, but for members named __proto__", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 20, noUnicodeString: false }), fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        fc.pre(!text.includes('"__proto__"'));
        expect(faultIn(text)).toBeUndefined();
      }),
    );
  });

  test("takes doubles as programs write them, and decimals that come back", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        // All digits of a large integer look like an integer that must come back digit by digit.
        const digits = value.toPrecision(17);
        for (const text of [JSON.stringify(value), value.toExponential(16), ...(/[.e]/.test(digits) ? [digits] : [])])
          expect(faultIn(text), text).toBeUndefined();
      }),
    );
    for (const text of ["-0.0", "0e999999", "12.000000000000000000000", "1e21", "0.10000000000000001", "5e-324"])
      expect(faultIn(text), text).toBeUndefined();
  });

  test("agrees with JSON.parse on text that is almost JSON", () => {
    const token = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      '"b"',
      "1",
      "-0",
      "0.5e-3",
      "01",
      "12345678",
      "e40",
      "true",
      "nul",
      " ",
      "\t",
      "\n",
      '"\\u00e9"',
      '"\\x"',
      '"',
      "\u0000",
      "\u00a0",
      ".",
      "-",
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), (tokens) => {
        const text = tokens.join("");
        let rest = text;
        let fault = faultIn(text);
        if (fault === undefined) expect(numbersIn(text).filter(isLost), text).toEqual([]);
        // JSON.parse changes such a number, and the text may be wrong behind it.
        while (fault?.includes("out of range")) {
          const found = withoutNumber(rest, fault);
          expect(isLost(found.written) || found.written.replaceAll(/e.*|\D/gi, "").length > 15, text).toBe(true);
          rest = found.rest;
          fault = faultIn(rest);
        }
        if (fault?.includes("repeated")) expect(parses(text)).toBe(true);
        else expect(fault === undefined).toBe(parses(text));
      }),
      { numRuns: 20_000 },
    );
  });

  test("says where the fault is", () => {
    expect(faultIn('{\n  "a": 1,\n  "b": ?\n}')).toContain("line 3, column 8: a value is expected");
    expect(faultIn('{"a":1,"b":{"c":1,"c":2}}')).toContain("line 1, column 19: a member name is repeated");
    expect(faultIn("")).toContain("line 1, column 1: a value is expected");
  });

  test.each([
    ['{"a":1,"b":?}', "/b", "syntax"],
    ['{"a":[1,{"x":"y"},[?]]}', "/a/2/0", "syntax"],
    ['{"":"{[,:","b":[],"c":{"d":1,"d":2}}', "/c/d", "repeated"],
    ['{"":{"":"a\\"]}","\\u0061/~":?}}', "//a~1~0", "syntax"],
    ['{"a":[[],[1,1e400]]}', "/a/1/1", "out_of_range"],
    ['{"price":12.000000000000000000001}', "/price", "out_of_range"],
    ['{"meta":{"d":0.1234567890123456789012}}', "/meta/d", "out_of_range"],
    ['{"a":[1e-400]}', "/a/0", "out_of_range"],
    ['{"a":1.0000000000000001}', "/a", "out_of_range"],
    ['[0,{"__proto__":1}]', "/1/__proto__", "not_allowed"],
    [`{"a":${"[".repeat(32)}`, `/a${"/0".repeat(31)}`, "too_deep"],
    ["[1,2", "/1", "syntax"],
    ['{"a":1,}', "", "syntax"],
    ["{} {}", "", "syntax"],
    ["\uFEFF{}", "", "byte_order_mark"],
    ["", "", "syntax"],
  ])("points at the value in which the fault lies: %s", (text, pointer, code) => {
    expect(errorIn(text)?.faults).toEqual([expect.objectContaining({ pointer, code })]);
  });

  test("bounds the members of all objects together", () => {
    const members = (count: number) => Array.from({ length: count }, (_, index) => `"m${index}":0`).join();
    expect(faultIn(`{"a":{${members(4_999)}},"b":{${members(4_999)}}}`)).toBeUndefined();
    expect(errorIn(`{"a":{${members(5_000)}},"b":{${members(4_999)}}}`)?.faults).toMatchObject([{ code: "too_many" }]);
    expect(faultIn(`{${members(10_001)}}`)).toContain("more than 10000 members");
  });

  test("takes 32 levels and not 33", () => {
    expect(faultIn("[".repeat(32) + "]".repeat(32))).toBeUndefined();
    expect(faultIn("[".repeat(33) + "]".repeat(33))).toContain("deeper than 32 levels");
    expect(faultIn(`${'{"a":'.repeat(33)}1${"}".repeat(33)}`)).toContain("deeper than 32 levels");
  });

  test("takes one name in several objects", () => {
    expect(faultIn('[{"a":{"a":1}},{"a":2}]')).toBeUndefined();
  });
});
