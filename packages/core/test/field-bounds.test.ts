import { describe, expect, test } from "vitest";
import { defineResource } from "../src/model/define-resource.ts";
import { choice, decimal, type Field, integer, nullable, prose, reference, text } from "../src/model/field.ts";
import type { Lifecycle } from "../src/model/resource.ts";
import { ownedBy } from "../src/model/rules.ts";

const described = { description: "x" };
const withOwner = (fields: Readonly<Record<string, Field>>): Readonly<Record<string, Field>> => ({
  user_id: reference("user", { onDelete: "cascade", as: "owner", ...described }),
  ...fields,
});
const declare = (fields: Readonly<Record<string, Field>>, lifecycle?: Lifecycle) => () =>
  defineResource({
    name: "parcel",
    plural: "parcels",
    description: "A parcel.",
    fields: withOwner(fields),
    owner: "user_id",
    access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
    ...(lifecycle === undefined ? {} : { lifecycle }),
  });

describe("a field that no value fits is refused", () => {
  test.each<[string, () => Field, string]>([
    ["text(0)", () => text(0, described), "text(0): the longest length must be a whole number above 0"],
    ["text(1.5)", () => text(1.5, described), "the longest length must be a whole number above 0"],
    [
      "text with minLength > maxLength",
      () => text(3, { minLength: 4, ...described }),
      "minLength must be a whole number from 0 to 3, not 4",
    ],
    ["prose(-1)", () => prose(-1, described), "prose(-1): the longest length"],
    [
      "integer with min > max",
      () => integer({ min: 2, max: 1, ...described }),
      "integer: min (2) must not be greater than max (1)",
    ],
    [
      "decimal with too great a min",
      () => decimal({ digits: 2, decimals: 1, min: 10, ...described }),
      "decimal: min (10) must not be greater than max (9.9)",
    ],
  ])("%s", (_what, make, message) => {
    expect(make).toThrow(message);
  });
});

describe("a declaration that only its first row would fit is refused", () => {
  test("a unique field with a default", () => {
    expect(declare({ code: text(5, { unique: true, default: "a", ...described }) })).toThrow(
      'the field "code" is unique and has a default',
    );
    expect(declare({ code: nullable(text(5, { unique: true, ...described })) })).not.toThrow();
  });
});

describe("a lifecycle that cannot begin is refused", () => {
  const lifecycle = { field: "state", initial: ["a"], moves: {}, stamps: {} };

  test.each<[string, Field, string]>([
    ["in a state that can be null", nullable(choice(["a", "b"], described)), 'is kept in "state", which can be null'],
    [
      "in a state that not everyone writes, without a default",
      choice(["a", "b"], { write: "admin", ...described }),
      'cannot begin: not everyone can write "state", and it has no default; give it one of a',
    ],
    ["in another state than the default", choice(["a", "b"], { default: "b", ...described }), 'does not begin in "b"'],
  ])("%s", (_what, state, message) => {
    expect(declare({ state }, lifecycle)).toThrow(message);
  });
});
