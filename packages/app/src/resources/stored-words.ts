import type { FieldValue } from "@postern/core";

/** A stored list of words. */
export const wordsOf = (value: FieldValue | undefined): readonly string[] =>
  Array.isArray(value) ? value.map(String) : [];
