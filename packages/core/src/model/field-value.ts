/** A field's value, as it is stored and as it appears in JSON: the same form in both. */
export type FieldValue = string | number | boolean | null | readonly string[] | { readonly [member: string]: unknown };
