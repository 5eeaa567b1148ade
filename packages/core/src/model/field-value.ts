/** A field's value as it is stored and as it stands in JSON: one spelling, one form. */
export type FieldValue = string | number | boolean | null | { readonly [member: string]: unknown };
