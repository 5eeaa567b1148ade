import { z } from "zod";
import type { FieldValue } from "../ports/resource-repository.ts";
import { utf8Encode } from "../runtime.ts";
import { isStorable, longText, shortText, timestampText, uuidText } from "./text.ts";

/** How a field is kept; a storage adapter maps each kind to one column type. */
export type FieldKind = "id" | "reference" | "text" | "long-text" | "choice" | "timestamp" | "json" | "digest";

/** Who may do a thing with a field of a row they may see: everyone, administrators only, or nobody (the system alone). */
export type FieldAudience = "everyone" | "admin" | "nobody";

export interface Reference {
  /** The resource it names. */
  readonly resource: string;
  /** What happens to the row when the one it refers to is deleted. */
  readonly onDelete: "cascade";
}

/**
 * One field of a resource: its one definition, from which validation, storage, access and documentation follow.
 * Made by the functions below; `with…` variations are made by spreading, e.g. `{ ...text(50), write: "admin" }`.
 */
export interface Field {
  readonly kind: FieldKind;
  /** Parses and normalises a value from outside; its output is what is stored. Also the source of the field's JSON Schema. */
  readonly schema: z.ZodType<FieldValue>;
  /** The most characters it takes in storage; only for text kinds. */
  readonly maxLength?: number;
  readonly nullable: boolean;
  /** The value an absent member gets on create and PUT. Absent: the member is required, unless the field is nullable (then null). */
  readonly default?: FieldValue;
  readonly read: FieldAudience;
  readonly write: FieldAudience;
  readonly unique: boolean;
  readonly references?: Reference;
  /** Shown in the API's documentation. */
  readonly description: string;
}

type FieldOptions = Partial<Pick<Field, "default" | "read" | "write" | "unique">> & { readonly description: string };

const field = (kind: FieldKind, schema: z.ZodType<FieldValue>, options: FieldOptions & Partial<Field>): Field => ({
  kind,
  schema,
  nullable: false,
  read: "everyone",
  write: "everyone",
  unique: false,
  ...options,
});

/** The resource's id: a UUIDv7 made by the server, in its one spelling. */
export const id = (): Field =>
  field("id", uuidText, { write: "nobody", unique: true, description: "The id, made by the server." });

/** The id of a row of another resource; set by the server from the path or the caller. */
export const reference = (resource: string, options: FieldOptions & { readonly onDelete: "cascade" }): Field => {
  const { onDelete, ...rest } = options;
  return field("reference", uuidText, { write: "nobody", ...rest, references: { resource, onDelete } });
};

/** One line of text of `minLength` (1 unless told) to `maxLength` characters; no control or direction-changing characters. */
export const text = (maxLength: number, options: FieldOptions & { readonly minLength?: number }): Field => {
  const { minLength = 1, ...rest } = options;
  return field("text", shortText(minLength, maxLength), { maxLength, ...rest });
};

/** An email address in its canonical form: trimmed by nobody, lower case, at most 254 characters (RFC 5321). */
export const email = (options: FieldOptions): Field =>
  field("text", z.email().max(254).toLowerCase(), { maxLength: 254, ...options });

/** Text of several lines, up to `maxLength` characters. */
export const prose = (maxLength: number, options: FieldOptions): Field =>
  field("long-text", longText(1, maxLength), { maxLength, ...options });

/** One of a closed set of words. */
export const choice = (values: readonly [string, ...string[]], options: FieldOptions): Field =>
  field("choice", z.enum(values), { maxLength: Math.max(...values.map((value) => value.length)), ...options });

/** A moment set by the server: RFC 3339, UTC, three decimals. */
export const timestamp = (options: FieldOptions): Field =>
  field("timestamp", timestampText, { write: "nobody", ...options });

const maxJsonBytes = 16_384;

/** A JSON object of the caller's own, up to 16 KiB of JSON in UTF-8; what no text takes, its names and texts do not take either. */
export const jsonObject = (options: FieldOptions): Field =>
  field(
    "json",
    z
      .record(z.string().max(128), z.unknown())
      .refine((value) => utf8Encode(JSON.stringify(value)).length <= maxJsonBytes, { error: "at most 16 KiB of JSON" })
      .refine(isStorable, { error: "no NUL characters and no lone surrogates" }),
    options,
  );

/** A hash or digest kept by the system; never read or written through the API. */
export const digest = (options: Omit<FieldOptions, "read" | "write">): Field =>
  field("digest", z.string().max(255), { maxLength: 255, ...options, read: "nobody", write: "nobody" });

/** The same field, but null when there is no value. */
export const nullable = (base: Field): Field => ({
  ...base,
  nullable: true,
  schema: base.schema.nullable(),
  default: base.default ?? null,
});
