import { z } from "zod";
import { utf8Encode } from "../runtime.ts";
import type { FieldValue } from "./field-value.ts";
import { instantText, isStorable, longText, shortText, timestampText, uuidText } from "./text.ts";

/** How a field is kept; a storage adapter maps each kind to one column type. */
export type FieldKind =
  | "id"
  | "reference"
  | "text"
  | "long-text"
  | "choice"
  | "integer"
  | "decimal"
  | "boolean"
  | "date"
  | "timestamp"
  | "json"
  | "digest";

/** Who may do a thing with a field of a row they may see: everyone, administrators only, or nobody (the system alone). */
export type FieldAudience = "everyone" | "admin" | "nobody";

/** Whether the audience takes in a caller who is an administrator, or who is not. */
export const allows = (audience: FieldAudience | undefined, admin: boolean): boolean =>
  audience === "everyone" || (audience === "admin" && admin);

export interface Reference {
  /** The resource it names. */
  readonly resource: string;
  /** What happens to the row when the one it refers to is deleted. */
  readonly onDelete: "cascade";
  /** What the row is to the one that refers to it: the relation's name in `include`, e.g. `author`. The field's name without `_id` unless told. */
  readonly as?: string;
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
  /** Digits in all and behind the point; only for decimals. */
  readonly precision?: { readonly digits: number; readonly decimals: number };
  /** The values; only for choices. */
  readonly choices?: readonly string[];
  /** What the field was called before: storage renames its column, and keeps the values. */
  readonly renamedFrom?: string;
  readonly nullable: boolean;
  /** The value an absent member gets on create and PUT. Absent: the member is required, unless the field is nullable (then null). */
  readonly default?: FieldValue;
  readonly read: FieldAudience;
  readonly write: FieldAudience;
  /** Who may narrow a list by it: nobody who may not read it. */
  readonly filter: FieldAudience;
  /** Who may order a list by it: nobody who may not read it. Storage keeps an index for it. */
  readonly sort: FieldAudience;
  readonly unique: boolean;
  /** Completes a value that was written with what the server knows. `stored` is the value before; absent for a new row. */
  readonly settle?: (given: FieldValue, stored: FieldValue | undefined, now: string) => Settled;
  readonly references?: Reference;
  /** Shown in the API's documentation. */
  readonly description: string;
  readonly example?: FieldValue;
}

/** What a written value becomes, or the member of it that only the server sets. */
export type Settled = { readonly value: FieldValue } | { readonly fixed: string };

type FieldOptions = Partial<
  Pick<Field, "default" | "read" | "write" | "filter" | "sort" | "unique" | "example" | "renamedFrom">
> & {
  readonly description: string;
};

const field = (kind: FieldKind, schema: z.ZodType<FieldValue>, options: FieldOptions & Partial<Field>): Field => ({
  kind,
  schema,
  nullable: false,
  read: "everyone",
  write: "everyone",
  filter: "nobody",
  sort: "nobody",
  unique: false,
  ...options,
});

/** The resource's id: a UUIDv7 made by the server, in its one spelling. */
export const id = (): Field =>
  field("id", uuidText, {
    write: "nobody",
    filter: "everyone",
    sort: "everyone",
    unique: true,
    description: "The id, made by the server.",
  });

/** The id of a row of another resource, which can be included; set by the server from the path or the caller. */
export const reference = (resource: string, options: FieldOptions & Omit<Reference, "resource">): Field => {
  const { onDelete, as, ...rest } = options;
  return field("reference", uuidText, {
    write: "nobody",
    ...rest,
    references: { resource, onDelete, ...(as === undefined ? {} : { as }) },
  });
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
  field("choice", z.enum(values), {
    maxLength: Math.max(...values.map((value) => value.length)),
    choices: values,
    ...options,
  });

/** A whole number from `min` to `max`, both within what JSON carries exactly. */
export const integer = (options: FieldOptions & { readonly min?: number; readonly max?: number }): Field => {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER, ...rest } = options;
  return field("integer", z.int().min(min).max(max), rest);
};

/**
 * A number of at most `digits` digits (15 at the most, which JSON carries exactly), `decimals` of them behind the point (6 at the most): an amount
 * of money, say. Compared and kept exactly.
 */
export const decimal = (
  options: FieldOptions & { readonly digits: number; readonly decimals: number; readonly min?: number },
): Field => {
  const { digits, decimals, min, ...rest } = options;
  if (!(Number.isInteger(digits) && digits >= 1 && digits <= 15)) throw new TypeError("a decimal has 1 to 15 digits");
  if (!(Number.isInteger(decimals) && decimals >= 0 && decimals <= 6 && decimals <= digits)) {
    throw new TypeError("a decimal has 0 to 6 digits behind the point, and no more than it has digits");
  }
  const most = (10 ** digits - 1) / 10 ** decimals;
  const schema = z
    .number()
    .min(min ?? -most)
    .max(most)
    .refine((value) => Number(value.toFixed(decimals)) === value, { error: `at most ${decimals} decimals` })
    // Negative zero would read back as zero.
    .transform((value) => (value === 0 ? 0 : value));
  return field(
    "decimal",
    schema.pipe(
      z
        .number()
        .min(min ?? -most)
        .max(most),
    ),
    { ...rest, precision: { digits, decimals } },
  );
};

/** True or false. */
export const boolean = (options: FieldOptions): Field => field("boolean", z.boolean(), options);

/** A day of the calendar, `YYYY-MM-DD`, without a time or a zone. */
export const date = (options: FieldOptions): Field => field("date", z.iso.date(), options);

/** A moment that callers set: RFC 3339 with any offset in, UTC with three decimals out. */
export const instant = (options: FieldOptions): Field => field("timestamp", instantText, options);

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
