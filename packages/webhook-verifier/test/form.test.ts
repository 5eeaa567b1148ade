import fc from "fast-check";
import { expect, test } from "vitest";
import { formObject, parseForm } from "../src/form.ts";

const fieldsOf = (form: string) =>
  [...parseForm(form)].flatMap(([name, values]) => values.map((value) => [name, value])).toSorted();

const escapes = fc.constantFrom(..."&=+%?#", "%2", "%41", "%c3%a9", "%C3", "%EF%BB%BF", "%zz", "%G0", "%:0", "%0`");

test("a form of ASCII has the fields that the platform reads in it, whatever its escapes", () => {
  const forms = fc.array(fc.oneof(escapes, fc.string()), { maxLength: 12 }).map((pieces) => pieces.join(""));
  const property = fc.property(forms, (form) => {
    // A leading question mark would be dropped: it begins a query.
    expect(fieldsOf(form)).toEqual([...new URLSearchParams(`&${form}`)].toSorted());
  });
  fc.assert(property, { numRuns: 4_000 });
});

test("a form has the fields that were written into it", () => {
  const text = fc.string({ unit: "binary" });
  const property = fc.property(fc.array(fc.tuple(text, text), { maxLength: 6 }), (fields) => {
    expect(fieldsOf(new URLSearchParams(fields).toString())).toEqual(fields.toSorted());
  });
  fc.assert(property, { numRuns: 2_000 });
});

test("characters that are not escaped stay as they are", () => {
  expect(formObject("é=\u{feff}ü+%2B&%%41=é%zz")).toEqual({ é: "\u{feff}ü +", "%A": "é%zz" });
});

test("the values of a repeated field keep their order", () => {
  expect(formObject("a=1&b=+%2B&a=3&a=2")).toEqual({ a: ["1", "3", "2"], b: " +" });
});
