import { parseBody } from "@postern/core/internal";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const faultOf = (schema: z.ZodType, value: unknown): string => {
  try {
    parseBody(z.strictObject({ it: schema }), { it: value }, undefined);
  } catch (thrown) {
    return String(Object(thrown).detail);
  }
  throw new Error("The value was accepted.");
};

describe("a fault of a body", () => {
  test.each<[z.ZodType, unknown, string]>([
    [z.number(), "12.50", "a number, not a string"],
    [z.int(), 1.5, "a whole number, not 1.5"],
    [z.string(), 12, "a string, not 12"],
    [z.string(), ["a"], "a string, not a list"],
    [z.boolean(), "yes", "true or false, not a string"],
    [z.array(z.string()), {}, "a list, not an object"],
    [z.record(z.string(), z.string()), null, "an object, not null"],
    [z.enum(["draft", "sent"]), "gone", 'one of "draft", "sent"'],
    [z.literal("yes"), "no", 'only "yes"'],
    [z.string().min(1), "", "not empty"],
    [z.string().min(3), "a", "at least 3 characters"],
    [z.string().max(3), "abcd", "at most 3 characters"],
    [z.string().length(2), "EURO", "exactly 2 characters"],
    [z.array(z.string()).min(1), [], "at least 1 entry"],
    [z.array(z.string()).max(2), ["a", "b", "c"], "at most 2 entries"],
    [z.number().max(5), 6, "at most 5"],
    [z.number().gt(5), 5, "more than 5"],
    [z.number().multipleOf(5), 6, "a multiple of 5"],
    [z.email(), "me", "an email address; before the @ only ASCII letters, digits, dots and !#$%&'*+/=?^_`{|}~-"],
    [z.union([z.string(), z.array(z.string())]), 5, "a string, or a list"],
    [z.string().min(3, { error: "a text of its own" }), "a", "a text of its own"],
  ])("says what would be right (%#)", (schema, value, text) => {
    expect(faultOf(schema, value)).toBe(`it: ${text}.`);
  });

  test("is in none of a library's words", () => {
    const schema = z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.number() })]);
    expect(faultOf(schema, { c: 1 })).not.toMatch(/expected|received|option/i);
  });
});
