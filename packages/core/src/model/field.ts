import { z } from "zod";
import { utf8Encode } from "../runtime.ts";
import { emailAddress } from "./email-address.ts";
import { checkBounds, checkLengths, checkWords, orNone } from "./field-arguments.ts";
import type { FieldValue } from "./field-value.ts";
import { exceedsJson, maxJsonBytes } from "./json-size.ts";
import { instantText, isStorable, longText, shortText, timestampText, uuidText } from "./text.ts";

/** How a field is stored. A storage adapter maps each kind to one column type. */
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

/**
 * Who may read, write, filter or sort by a field, in rows that they may see: everyone,
 * administrators only, or nobody (only the system).
 */
export type FieldAudience = "everyone" | "admin" | "nobody";

/**
 * Whether a caller belongs to the audience. `admin` says whether the caller is an administrator.
 */
export const allows = (audience: FieldAudience | undefined, admin: boolean): boolean =>
  audience === "everyone" || (audience === "admin" && admin);

export interface Reference {
  /** The resource that the field refers to. */
  readonly resource: string;
  /** What happens to the row when the row it refers to is deleted. */
  readonly onDelete: "cascade";
  /** The relation's name in `include`, e.g. `author`. Default: the field's name without `_id`. */
  readonly as?: string;
}

/**
 * One field of a resource. Validation, storage, access and documentation follow from this one
 * definition. The functions below make fields. To vary one, spread it:
 * `{ ...text(50), write: "admin" }`. `Value` is the type of its values in rows, and `Default` that of
 * its default: `never` if it has none.
 */
export interface Field<Value extends FieldValue = FieldValue, Default extends FieldValue = FieldValue> {
  readonly kind: FieldKind;
  /**
   * Parses and normalises a value from outside. Its output is stored. The field's JSON Schema is
   * made from it.
   */
  readonly schema: z.ZodType<Value>;
  /** The most characters that storage keeps; only for text kinds. */
  readonly maxLength?: number;
  /** How many digits there are in all, and after the point; only for decimals. */
  readonly precision?: { readonly digits: number; readonly decimals: number };
  /** The allowed values; only for choices. */
  readonly choices?: readonly string[];
  /** The field's former name. Storage renames the column and keeps its values. */
  readonly renamedFrom?: string;
  readonly nullable: boolean;
  /**
   * The value if the member is absent on create and PUT. Without a default the member is required,
   * unless the field is nullable (then it is null).
   */
  readonly default?: Default;
  readonly read: FieldAudience;
  readonly write: FieldAudience;
  /**
   * Set where `write` was not given: callers write the field, unless it is the owner, the parent, or a
   * field of your own of `user`.
   */
  readonly writtenByDefault?: true;
  /** Whether a new user may give the field at sign-up. Only for fields of your own of `user` (`userWith`). */
  readonly signUp?: boolean;
  /** Who may filter a list by the field. Never wider than `read`. */
  readonly filter: FieldAudience;
  /** Who may sort a list by the field. Never wider than `read`. Storage keeps an index for it. */
  readonly sort: FieldAudience;
  readonly unique: boolean;
  /** True if changing a stored value requires a sign-in within the last five minutes. */
  readonly recentSignIn?: boolean;
  /**
   * Completes a written value with parts that the server knows. `stored` is the previous value; it
   * is absent for a new row.
   */
  readonly settle?: (given: FieldValue, stored: FieldValue | undefined, now: string) => Settled;
  readonly references?: Reference;
  /** Shown in the API's documentation. */
  readonly description: string;
  readonly example?: FieldValue;
}

/**
 * The result of a write: the value to store, or the name of a member that only the server may set.
 */
export type Settled = { readonly value: FieldValue } | { readonly fixed: string };

/** An interface, so that an error of the compiler has its name and not all that is in it. */
interface FieldOptions<Default extends FieldValue = FieldValue>
  extends Partial<
    Pick<Field, "read" | "write" | "filter" | "sort" | "unique" | "example" | "renamedFrom" | "recentSignIn" | "signUp">
  > {
  readonly description: string;
  readonly default?: Default;
}

const field = <Value extends FieldValue, Default extends FieldValue>(
  kind: FieldKind,
  schema: z.ZodType<Value>,
  options: FieldOptions<Default> & Partial<Omit<Field, "default" | "schema">>,
): Field<Value, Default> => ({
  kind,
  schema,
  nullable: false,
  read: "everyone",
  write: "everyone",
  filter: "nobody",
  sort: "nobody",
  unique: false,
  ...(options.write === undefined ? { writtenByDefault: true } : {}),
  ...options,
});

/** The resource's id: a UUIDv7 that the server makes, in canonical spelling. */
export const id = (): Field<string, never> =>
  field("id", uuidText, {
    write: "nobody",
    filter: "everyone",
    sort: "everyone",
    unique: true,
    description: "The id, made by the server.",
  });

/**
 * The id of a row of another resource, which the caller must be allowed to read. Requests can include
 * that row. Callers write the id, unless `write` says otherwise. The owner's id comes from the caller,
 * and the parent's from the path; of these, `write` is `nobody` by default.
 */
export const reference = <Default extends string = never>(
  resource: string,
  options: FieldOptions<Default> & Pick<Reference, "onDelete" | "as">,
): Field<string, NoInfer<Default>> => {
  const { onDelete, as, ...rest } = orNone(options);
  return field("reference", uuidText, {
    ...rest,
    references: { resource, onDelete, ...(as === undefined ? {} : { as }) },
  });
};

/**
 * One line of text of `minLength` (default 1) to `maxLength` characters, without control characters
 * and characters that change the writing direction.
 */
export const text = <Default extends string = never>(
  maxLength: number,
  options: FieldOptions<Default> & { readonly minLength?: number },
): Field<string, NoInfer<Default>> => {
  const { minLength = 1, ...rest } = orNone(options);
  checkLengths("text", minLength, maxLength);
  return field("text", shortText(minLength, maxLength), { maxLength, ...rest });
};

/**
 * An email address in canonical form: lower case, with the domain in ASCII, at most 254 characters
 * (RFC 5321). Spaces around it are removed.
 */
export const email = <Default extends string = never>(
  options: FieldOptions<Default>,
): Field<string, NoInfer<Default>> => field("text", emailAddress, { maxLength: 254, ...options });

/** Text of several lines, up to `maxLength` characters. */
export const prose = <Default extends string = never>(
  maxLength: number,
  options: FieldOptions<Default>,
): Field<string, NoInfer<Default>> => {
  checkLengths("prose", 1, maxLength);
  return field("long-text", longText(1, maxLength), { maxLength, ...options });
};

/** One of a closed set of words. */
export const choice = <const Words extends readonly [string, ...string[]], Default extends Words[number] = never>(
  values: Words,
  options: FieldOptions<Default>,
): Field<Words[number], NoInfer<Default>> => {
  checkWords("choice", values);
  return field("choice", z.enum(values), {
    maxLength: Math.max(...values.map((value) => value.length)),
    choices: values,
    ...options,
  });
};

/** A whole number from `min` to `max`, both within the range that JSON represents exactly. */
export const integer = <Default extends number = never>(
  options: FieldOptions<Default> & { readonly min?: number; readonly max?: number },
): Field<number, NoInfer<Default>> => {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER, ...rest } = orNone(options);
  checkBounds("integer", min, max);
  return field("integer", z.int().min(min).max(max), rest);
};

/**
 * A number of at most `digits` digits, `decimals` of them after the point; for example an amount of
 * money. At most 15 digits, which JSON represents exactly, and at most 6 decimals. It is compared
 * and stored exactly.
 */
export const decimal = <Default extends number = never>(
  options: FieldOptions<Default> & { readonly digits: number; readonly decimals: number; readonly min?: number },
): Field<number, NoInfer<Default>> => {
  const { digits, decimals, min, ...rest } = orNone(options);
  if (!(Number.isInteger(digits) && digits >= 1 && digits <= 15))
    throw new TypeError('a decimal has 1 to 15 digits, which "digits" sets');
  if (!(Number.isInteger(decimals) && decimals >= 0 && decimals <= 6 && decimals <= digits)) {
    throw new TypeError(
      'a decimal has 0 to 6 digits behind the point, which "decimals" sets, and no more than it has digits',
    );
  }
  const most = (10 ** digits - 1) / 10 ** decimals;
  checkBounds("decimal", min ?? -most, most);
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
export const boolean = <Default extends boolean = never>(
  options: FieldOptions<Default>,
): Field<boolean, NoInfer<Default>> => field("boolean", z.boolean(), options);

/** A calendar day, `YYYY-MM-DD`, without time or time zone. */
export const date = <Default extends string = never>(options: FieldOptions<Default>): Field<string, NoInfer<Default>> =>
  field("date", z.iso.date(), options);

/**
 * A time that callers set. Any offset is accepted (RFC 3339); it is stored and answered in UTC with
 * three decimals.
 */
export const instant = <Default extends string = never>(
  options: FieldOptions<Default>,
): Field<string, NoInfer<Default>> => field("timestamp", instantText, options);

/** A time that the server sets: RFC 3339, UTC, three decimals. */
export const timestamp = <Default extends string = never>(
  options: FieldOptions<Default>,
): Field<string, NoInfer<Default>> => field("timestamp", timestampText, { write: "nobody", ...options });

const jsonMembers = z
  .record(z.string().max(128), z.unknown())
  .refine(isStorable, { error: "no NUL characters and no lone surrogates" });

const isLargeJson = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  (exceedsJson(value, maxJsonBytes) || utf8Encode(JSON.stringify(value)).length > maxJsonBytes);

const { $schema: _dialect, ...describedMembers } = z.toJSONSchema(jsonMembers);

/**
 * If a value is too large, nothing else in it is checked: each of its members would cost more time.
 */
const boundedJson = z
  .unknown()
  .refine((value) => !isLargeJson(value), { error: "at most 16 KiB of JSON" })
  .meta(describedMembers)
  .pipe(jsonMembers);

/**
 * A JSON object that the caller defines, up to 16 KiB of JSON in UTF-8. Its names and texts must
 * not contain characters that text fields refuse.
 */
export const jsonObject = <Default extends Readonly<Record<string, unknown>> = never>(
  options: FieldOptions<Default>,
): Field<Readonly<Record<string, unknown>>, NoInfer<Default>> => field("json", boundedJson, options);

/** Up to `most` different words of up to `maxLength` characters, as a list. */
export const words = <Default extends readonly string[] = never>(
  most: number,
  maxLength: number,
  options: FieldOptions<Default>,
): Field<readonly string[], NoInfer<Default>> => {
  checkLengths("words", 1, most);
  checkLengths("words", 1, maxLength);
  const several = z
    .array(shortText(1, maxLength))
    .max(most)
    .refine((given) => new Set(given).size === given.length, { error: "each word once" });
  return field("json", several, options);
};

/** A hash or digest that only the system uses. The API never reads or writes it. */
export const digest = <Default extends string = never>(
  options: Omit<FieldOptions<Default>, "read" | "write">,
): Field<string, NoInfer<Default>> =>
  field("digest", z.string().max(255), { maxLength: 255, ...options, read: "nobody", write: "nobody" });

/** The same field, which may also be null, meaning that it has no value. */
export const nullable = <Value extends FieldValue, Default extends FieldValue>(
  base: Field<Value, Default>,
): Field<Value | null, Default | null> => {
  if (base?.schema === undefined) throw new TypeError("nullable takes a field, such as nullable(text(50, …))");
  return { ...base, nullable: true, schema: base.schema.nullable(), default: base.default ?? null };
};
