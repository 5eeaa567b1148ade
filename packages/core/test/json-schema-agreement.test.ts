import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonSchema } from "../src/json-schema/json-schema.ts";
import { compileJsonSchema } from "../src/json-schema/json-schema-checker.ts";

// Few names and small values, so that schemas and values have something to do with each other.
const name = fc.constantFrom("a", "b", "ab", "constructor");
const text = fc.constantFrom("", "a", "b", "ab", "aab", "ä", "💥", "💥b");
const number = fc.oneof(fc.integer({ min: -3, max: 6 }), fc.constantFrom(0.5, 1.5, -0.25, 2.75));
const pattern = fc.constantFrom("^a", "b$", "^a+$", "^.$", "\\p{Letter}");
const count = fc.nat({ max: 3 });

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    number,
    text,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const typeName = fc.constantFrom("null", "boolean", "object", "array", "number", "integer", "string");

/** Ajv 8.20 finds something in an empty list when `contains` stands beside a list of schemas by place. */
const withoutAjvsFault = (schema: Readonly<Record<string, unknown>>): unknown => {
  const { contains, ...rest } = schema;
  return contains !== undefined && ("prefixItems" in rest || Array.isArray(rest.items)) ? rest : schema;
};

/** Schemas of every keyword that is known, and few of them at a time. */
const schemasOf = (items: (schema: fc.Arbitrary<unknown>) => Record<string, fc.Arbitrary<unknown>>) =>
  fc.letrec<{ schema: unknown }>((tie) => {
    const schema = tie("schema");
    const schemas = fc.array(schema, { minLength: 1, maxLength: 2 });
    const named = fc.dictionary(name, schema, { maxKeys: 2, noNullPrototype: true });
    const names = fc.uniqueArray(name, { maxLength: 2 });
    const keywords: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
      type: fc.oneof(typeName, fc.uniqueArray(typeName, { minLength: 1, maxLength: 3 })),
      enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (one) => JSON.stringify(one) }),
      const: value,
      minimum: number,
      maximum: number,
      exclusiveMinimum: number,
      exclusiveMaximum: number,
      multipleOf: fc.constantFrom(1, 2, 3, 0.5, 0.25),
      minLength: count,
      maxLength: count,
      pattern,
      minItems: count,
      maxItems: count,
      uniqueItems: fc.boolean(),
      contains: schema,
      minProperties: count,
      maxProperties: count,
      required: names,
      properties: named,
      patternProperties: fc.dictionary(pattern, schema, { maxKeys: 2, noNullPrototype: true }),
      additionalProperties: schema,
      propertyNames: schema,
      allOf: schemas,
      anyOf: schemas,
      oneOf: schemas,
      not: schema,
      if: schema,
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: schema,
      else: schema,
      $ref: fc.constantFrom("#/$defs/one", "#/$defs/two"),
      title: fc.constant("a remark"),
      ...items(schema),
    };
    const some = fc
      .uniqueArray(fc.constantFrom(...Object.keys(keywords)), { maxLength: 4 })
      .chain((chosen) => fc.record(Object.fromEntries(chosen.map((keyword) => [keyword, keywords[keyword] ?? schema]))))
      .map(withoutAjvsFault);
    return { schema: fc.oneof({ maxDepth: 4, depthSize: "small" }, fc.boolean(), some) };
  }).schema;

const whole = (schema: fc.Arbitrary<unknown>): fc.Arbitrary<JsonSchema> =>
  fc.record({ one: schema, two: schema, rest: schema }).map(({ one, two, rest }) => ({
    ...(typeof rest === "object" ? rest : { allOf: [rest] }),
    $defs: { one, two },
  }));

const newest = schemasOf((schema) => ({
  items: schema,
  prefixItems: fc.array(schema, { minLength: 1, maxLength: 2 }),
  minContains: count,
  maxContains: count,
  dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 2, noNullPrototype: true }),
  dependentSchemas: fc.dictionary(name, schema, { maxKeys: 2, noNullPrototype: true }),
}));
const seventh = schemasOf((schema) => ({
  items: fc.oneof(schema, fc.array(schema, { minLength: 1, maxLength: 2 })),
  additionalItems: schema,
}));

const options = {
  strict: false,
  ownProperties: true,
  logger: false,
  validateFormats: false,
  validateSchema: false,
} as const;

test.each([
  ["draft 2020-12", newest, Ajv2020],
  ["draft 7", seventh, Ajv],
] as const)("a schema of %s means what Ajv takes it to mean", (_draft, schemas, Library) => {
  const ajv = new Library(options);
  let bad = 0;
  let good = 0;
  fc.assert(
    fc.property(whole(schemas), fc.array(value, { minLength: 1, maxLength: 8 }), (schema, values) => {
      let check: ReturnType<typeof compileJsonSchema>;
      try {
        check = compileJsonSchema(schema);
      } catch (thrown) {
        // The one fault that these schemas can have; Ajv would not come back from it.
        expect(String(thrown)).toContain("never ends");
        return;
      }
      const agreed = ajv.compile(schema);
      for (const one of values) {
        const fits = check(one).length === 0;
        expect({ schema, one, fits }).toEqual({ schema, one, fits: agreed(one) });
        if (fits) good += 1;
        else bad += 1;
      }
      ajv.removeSchema(schema);
    }),
    { numRuns: 600 },
  );
  // Neither answer would prove anything alone.
  expect(Math.min(good, bad)).toBeGreaterThan(300);
});
