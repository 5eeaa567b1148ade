import { z } from "zod";
import type { Field } from "./field.ts";
import type { FieldValue } from "./field-value.ts";

/** Unicode itself allows so many in a row: https://unicode.org/reports/tr15/#Stream_Safe_Text_Format */
const mostMarks = 30;

/** Whether more marks stand on one letter than any language writes. */
const hasTooManyMarks = (text: string): boolean => {
  for (const [{ length }] of text.matchAll(/\p{M}+/gu)) if (length > mostMarks) return true;
  return false;
};

/**
 * A text in the normal form NFC. Unicode spells many letters in two ways: "é" is one character, or
 * "e" with an accent behind it. NFC is the spelling with as few characters as possible. The time that
 * it takes grows with the square of the marks in a row, so a text with more than 30 of them stays as
 * it is.
 */
export const nfc = (text: string): string => (hasTooManyMarks(text) ? text : text.normalize("NFC"));

const nfcOf = <Value>(value: Value): Value => (typeof value === "string" ? (nfc(value) as Value) : value);

/**
 * Whether the values of a field are stored and compared in NFC: texts that are unique, and texts by
 * which lists can be filtered. All others come back as they were written.
 */
export const keepsNfc = ({ kind, unique, filter }: Pick<Field, "kind" | "unique" | "filter">): boolean =>
  (kind === "text" || kind === "long-text") && (unique || filter !== "nobody");

/** A value as the field stores and compares it. `undefined` stands for a column that is no field. */
export const inNfc = <Value>(field: Pick<Field, "kind" | "unique" | "filter"> | undefined, value: Value): Value =>
  typeof value === "string" && field !== undefined && keepsNfc(field) ? (nfc(value) as Value) : value;

const intoNfc = z.overwrite<string>(nfc);

/**
 * A schema that brings texts to NFC before it checks them, because NFC can be longer. In a
 * document, it looks as before.
 */
const readingNfc = (schema: z.ZodType<FieldValue>): z.ZodType<FieldValue> => {
  if (schema instanceof z.ZodNullable) return readingNfc(schema.unwrap() as z.ZodType<FieldValue>).nullable();
  if (!(schema instanceof z.ZodString)) return z.preprocess(nfcOf, schema);
  const { def } = schema._zod;
  return schema.clone({ ...def, checks: [intoNfc, ...(def.checks ?? [])] }, { parent: true });
};

/** The field, whose schema and default have the form in which its values are stored. */
export const withNfc = (field: Field): Field => {
  if (!keepsNfc(field)) return field;
  const value = field.default === undefined ? {} : { default: nfcOf(field.default) };
  return { ...field, schema: readingNfc(field.schema), ...value };
};
