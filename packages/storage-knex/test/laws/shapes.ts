import {
  choice,
  decimal,
  defineResource,
  type Field,
  integer,
  nullable,
  ownedBy,
  type Resource,
  reference,
  text,
} from "@postern/core";

/** A field as data, so that another process can declare it, too. */
export interface FieldShape {
  readonly name: string;
  readonly kind: "text" | "integer" | "decimal" | "choice";
  /** The longest text, the digits of a decimal, how many choices there are. */
  readonly size: number;
  readonly nullable: boolean;
  readonly listed: boolean;
  readonly default?: string | number;
  readonly renamedFrom?: string;
}

export const choices = ["one", "two", "drei", "vier", "fünf"] as const;

const fieldOf = (shape: FieldShape): Field => {
  const { kind, size, renamedFrom, default: value } = shape;
  const access = shape.listed ? "everyone" : "nobody";
  const options = {
    description: "A field.",
    filter: access,
    sort: access,
    // A shape has a default of its kind.
    ...(value === undefined ? {} : { default: value as never }),
    ...(renamedFrom === undefined ? {} : { renamedFrom }),
  } as const;
  const made: Record<FieldShape["kind"], () => Field> = {
    text: () => text(size, options),
    integer: () => integer(options),
    decimal: () => decimal({ digits: size, decimals: 2, ...options }),
    choice: () => choice([choices[0], ...choices.slice(1, size)], options),
  };
  const field = made[kind]();
  return shape.nullable ? nullable(field) : field;
};

/** The resource that has these fields. */
export const resourceOf = (shapes: readonly FieldShape[]): Resource =>
  defineResource({
    name: "thing",
    plural: "things",
    description: "A thing.",
    fields: {
      user_id: reference("user", { onDelete: "cascade", as: "owner", description: "Whose." }),
      ...Object.fromEntries(shapes.map((shape): [string, Field] => [shape.name, fieldOf(shape)])),
    },
    owner: "user_id",
    access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
  });
