import { describe, expect, test, vi } from "vitest";
import type { JsonSchema } from "../src/json-schema/json-schema.ts";
import { compileJsonSchema } from "../src/json-schema/json-schema-checker.ts";

const fits = (schema: JsonSchema, value: unknown): boolean => compileJsonSchema(schema)(value).length === 0;

test("a long text is counted without a list of its characters", () => {
  const check = compileJsonSchema({ maxLength: 10 });
  const long = "\u{1f4a5}".repeat(100_000);
  const pieces = vi.spyOn(String.prototype, Symbol.iterator);
  const issues = check(long);
  const { length } = pieces.mock.calls;
  pieces.mockRestore();
  expect([length, issues.length]).toEqual([0, 1]);
});

/** A schema, values that fit it, values that do not. */
type Row = readonly [keyword: string, schema: JsonSchema, good: readonly unknown[], bad: readonly unknown[]];

const rows: readonly Row[] = [
  ["type", { type: "integer" }, [1, -3, 1.0], [1.5, "1", null, true]],
  ["type", { type: ["string", "null"] }, ["", null], [0, [], {}]],
  ["type", { type: "object" }, [{}], [[], null]],
  ["enum", { enum: [1, { a: [2], b: 3 }] }, [1, { b: 3, a: [2] }], ["1", { a: [2] }, { a: [3], b: 3 }]],
  ["const", { const: [1, { a: null }] }, [[1, { a: null }]], [[1], [1, { a: null, b: 1 }]]],
  ["minimum", { minimum: 2, maximum: 3 }, [2, 3, "x"], [1.9, 3.1]],
  ["exclusiveMinimum", { exclusiveMinimum: 2, exclusiveMaximum: 3 }, [2.5], [2, 3]],
  ["multipleOf", { multipleOf: 0.1 }, [0.3, 1, 0], [0.35]],
  ["minLength", { minLength: 2, maxLength: 3 }, ["ab", "💥💥", 7], ["a", "💥", "abcd"]],
  ["pattern", { pattern: "^a+$" }, ["aa", 1], ["ab", ""]],
  ["minItems", { minItems: 1, maxItems: 2, uniqueItems: true }, [[1], [1, "1"]], [[], [1, 1], [1, 2, 3]]],
  ["items", { items: { type: "number" } }, [[], [1], "x"], [["1"]]],
  ["prefixItems", { prefixItems: [{ const: 1 }], items: false }, [[], [1]], [[2], [1, 2]]],
  ["items of draft 7", { items: [{ const: 1 }], additionalItems: { const: 2 } }, [[1], [1, 2, 2]], [[2], [1, 3]]],
  ["contains", { contains: { const: 1 }, maxContains: 2 }, [[1], [0, 1, 1]], [[0], [1, 1, 1]]],
  ["contains none", { contains: { const: 1 }, minContains: 0 }, [[], [0]], []],
  ["minProperties", { minProperties: 1, maxProperties: 1 }, [{ a: 1 }, []], [{}, { a: 1, b: 2 }]],
  ["required", { required: ["a", "toString"] }, [{ a: undefined, toString: 1 }, "x"], [{}, { a: 1 }]],
  ["properties", { properties: { a: { type: "number" } } }, [{}, { a: 1 }, { b: "x" }], [{ a: "1" }]],
  [
    "additionalProperties",
    { properties: { a: true }, patternProperties: { "^x-": { type: "string" } }, additionalProperties: false },
    [{ a: 1, "x-b": "c" }],
    [{ b: 1 }, { "x-b": 1 }],
  ],
  ["additionalProperties by schema", { additionalProperties: { const: 1 } }, [{ a: 1 }], [{ a: 2 }]],
  ["propertyNames", { propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
  ["dependentRequired", { dependentRequired: { a: ["b"] } }, [{}, { b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
  ["dependentSchemas", { dependentSchemas: { a: { required: ["b"] } } }, [{ b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
  ["allOf", { allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1, 2], [0, 3]],
  ["anyOf", { anyOf: [{ type: "string" }, { minimum: 2 }] }, ["x", 2], [1]],
  ["oneOf", { oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, [2, 3], [6, 1]],
  ["not", { not: { type: "string" } }, [1], ["x"]],
  [
    "if",
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    { if: { properties: { kind: { const: "a" } } }, then: { required: ["x"] }, else: { required: ["y"] } },
    [
      { kind: "a", x: 1 },
      { kind: "b", y: 1 },
    ],
    [
      { kind: "a", y: 1 },
      { kind: "b", x: 1 },
    ],
  ],
  [
    "$ref",
    { $ref: "#/$defs/tree", $defs: { tree: { required: ["v"], properties: { next: { $ref: "#/$defs/tree" } } } } },
    [{ v: 1, next: { v: 2 } }],
    [{ v: 1, next: {} }],
  ],
  ["a boolean", { properties: { a: false, b: true } }, [{ b: 1 }], [{ a: 1 }]],
  ["a remark", { format: "email", title: "x", default: 1 }, ["not an address"], []],
];

/** A member that must be as the whole is, and one that is never there. */
const down = (name: string): JsonSchema => ({ required: ["never"], properties: { [name]: { $ref: "#" } } });
const chain = Array.from({ length: 60 }).reduce<unknown>((inside) => ({ a: inside }), 1);

describe("a JSON Schema", () => {
  test.each(rows)("tells what fits %s", (_keyword, schema, good, bad) => {
    expect(good.filter((value) => !fits(schema, value))).toEqual([]);
    expect(bad.filter((value) => fits(schema, value))).toEqual([]);
  });

  test("says where and why, without the value", () => {
    const issues = compileJsonSchema({
      required: ["id"],
      properties: { items: { items: { properties: { "a/b": { type: "number" } } } } },
    })({ items: [{}, { "a/b": "s3cret" }] });
    expect(issues).toEqual([
      { path: ["id"], message: "it is required" },
      { path: ["items", 1, "a/b"], message: "it is of type string, not number" },
    ]);
  });

  test("that refers to itself goes as deep as the value, within reason", () => {
    const check = compileJsonSchema({ properties: { next: { $ref: "#" } }, additionalProperties: false });
    const nested = (levels: number): unknown =>
      Array.from({ length: levels }).reduce((inner: unknown) => ({ next: inner }), {});
    expect(check(nested(200))).toEqual([]);
    expect(check(nested(10_000)).map(({ message }) => message)).toEqual(["it is nested too deeply"]);
  });

  test("tells repeated items of a long list at once", () => {
    const check = compileJsonSchema({ uniqueItems: true });
    const items = Array.from({ length: 200_000 }, (_, n) => ({ n, a: [n] }));
    expect(check(items)).toEqual([]);
    expect(check([...items, { a: [7], n: 7 }])).toHaveLength(1);
  });

  test.each([
    ["two ways down at each level", { anyOf: [down("a"), down("a")] }, chain],
    ["the same inside a negation", { not: { allOf: [down("a"), down("a")] } }, chain],
    [
      "definitions that double each other",
      {
        $ref: "#/$defs/d0",
        $defs: Object.fromEntries(
          Array.from({ length: 60 }, (_, n) => [
            `d${n}`,
            n === 59 ? true : { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
          ]),
        ),
      },
      1,
    ],
    ["a very long list", { items: { type: "number" } }, Array.from({ length: 600_000 }, () => 0)],
    ["a pattern that has many ways to match", { pattern: "^(a+)+$" }, `${"a".repeat(1_000_000)}!`],
  ])("does not fit when there is too much to be checked: %s", (_what, schema, value) => {
    expect(compileJsonSchema(schema)(value)).toEqual([{ path: [], message: "there is too much in it to be checked" }]);
  });

  test("tells a hundred faults at the most", () => {
    const issues = compileJsonSchema({ items: { type: "string" } })(Array.from({ length: 1_000 }, () => 0));
    expect(issues).toHaveLength(100);
  });

  test.each(["__defineGetter__", "constructor", "toString", "hasOwnProperty"])("has no keyword %s", (keyword) => {
    expect(() => compileJsonSchema({ [keyword]: "x" })).toThrow(`the keyword "${keyword}" is not known here`);
  });

  test.each([
    [{ type: "text" }, /no type "text"/],
    [{ properties: { a: { minimun: 1 } } }, /#\/properties\/a: the keyword "minimun"/],
    [{ properties: [] }, /takes schemas by name/],
    [{ anyOf: {} }, /takes a list of schemas/],
    [{ items: "x" }, /#\/items: a schema is/],
    [{ pattern: "(" }, /not a regular expression/],
    [{ patternProperties: { "(": true } }, /#\/patternProperties: \( cannot be used/],
    [{ pattern: "(?=a)" }, /looks ahead/],
    [{ pattern: "(a)\\1" }, /refers back/],
    [{ $ref: "#/$defs/none" }, /nothing is at/],
    [{ $ref: "https://example.com/schema" }, /nothing is at/],
    [{ maximum: "3" }, /takes a number/],
    [{ exclusiveMinimum: true }, /takes a number/],
    [{ multipleOf: 0 }, /above 0/],
    [{ minLength: -1 }, /0 or more/],
    [{ maxItems: 1.5 }, /0 or more/],
    [{ uniqueItems: "yes" }, /true or false/],
    [{ pattern: 5 }, /takes text/],
    [{ required: "id" }, /list of names/],
    [{ required: [1] }, /list of names/],
    [{ dependentRequired: { a: "b" } }, /lists of names/],
    [{ type: [] }, /no type \[\]/],
    [{ constructor: 1 }, /"constructor" is not known/],
    [{ unevaluatedProperties: false }, /"unevaluatedProperties" is not known/],
    [{ unevaluatedItems: false }, /"unevaluatedItems" is not known/],
    [{ $dynamicRef: "#x" }, /"\$dynamicRef" is not known/],
    [{ dependencies: { a: ["b"] } }, /"dependencies" is not known/],
    [{ $ref: "#name", $defs: { a: { $anchor: "name" } } }, /nothing is at #name/],
    [{ $ref: "#/%" }, /nothing is at/],
    [{ $ref: "#/default", default: { type: "strin" } }, /no type "strin"/],
    [{ properties: { a: { $id: "https://example.com/a", $ref: "#" } } }, /\$id/],
    [{ $ref: "#" }, /never ends/],
    [{ $ref: "#/$defs/a", $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }, true] } } }, /never ends/],
  ])("that makes no sense is refused: %o", (schema, words) => {
    expect(() => compileJsonSchema(schema)).toThrow(words);
  });
});
