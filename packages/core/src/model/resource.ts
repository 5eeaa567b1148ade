import type { Field } from "./field.ts";
import type { AccessRule } from "./rules.ts";

interface ResourceAccess<Name extends string = string> {
  readonly read: AccessRule<Name>;
  /** Asked of the stored row and of the row as it becomes. */
  readonly update: AccessRule<Name>;
  /** Asked of a new row. Default: as `update`. */
  readonly create?: AccessRule<Name>;
  readonly delete: AccessRule<Name>;
}

/** Where a resource's collection is: below one row of its parent, e.g. `/users/{id}/posts`. */
interface ResourceParent<Name extends string = string> {
  readonly resource: string;
  /** The field that refers to the parent. */
  readonly field: Name;
  /** What the caller must be allowed to do with the parent to create a row below it. */
  readonly createRequires: "read" | "update";
  /** True if the rows below all parents can also be listed together, at `/{plural}`. */
  readonly listAll?: boolean;
}

/** The states that a row goes through, stored in the field `StateField`. `State` lists them. */
export interface Lifecycle<
  Name extends string = string,
  StateField extends string = Name,
  State extends string = string,
> {
  readonly field: StateField;
  /** The states that a new row may have. */
  readonly initial: readonly State[];
  /**
   * For each state, the states that a write may change it to. A row may always stay in its state, and
   * stays in a state that is not listed.
   */
  readonly moves: Readonly<Partial<Record<State, readonly State[]>>>;
  /** Timestamp fields that are set when a state is entered for the first time. */
  readonly stamps: Readonly<Partial<Record<State, Name>>>;
}

/** A rule that at least one row with this value in the field must always exist. */
interface KeepsOne<Name extends string = string> {
  readonly field: Name;
  readonly value: string;
  /** The sentence for a caller who tries to remove the last such row. */
  readonly detail: string;
}

/** The fields that every resource has without declaring them. */
type CommonField = "id" | "created_at" | "updated_at";

/**
 * The declaration of a resource. Everything that the API does with the resource follows from it.
 * `Name` lists the declared fields, and `State` the states of the field `StateField`.
 */
export interface ResourceDefinition<
  Name extends string = string,
  StateField extends string = Name,
  State extends string = string,
> {
  /** Singular, snake_case: `post`. */
  readonly name: string;
  /** Plural, kebab-case. It is the path segment and, with underscores, the table. */
  readonly plural: string;
  readonly description: string;
  /** Without `id`, `created_at` and `updated_at`, which every resource has. */
  readonly fields: Readonly<Record<Name, Field>>;
  /** The field with the id of the user who owns the row. For users themselves it is `id`. */
  readonly owner: NoInfer<Name> | CommonField;
  readonly parent?: ResourceParent<NoInfer<Name>>;
  readonly access: ResourceAccess<NoInfer<Name> | CommonField>;
  /**
   * Fields, in addition to `id`, that are shown to everyone who may read a row that refers to this
   * one, such as the name of a post's author. Short values only.
   */
  readonly public?: readonly NoInfer<Name>[];
  readonly lifecycle?: Lifecycle<NoInfer<Name>, StateField, NoInfer<State>>;
  readonly keepsOne?: KeepsOne<NoInfer<Name>>;
  /**
   * Orders in which long lists are read, each of two or more field names; `-` means descending:
   * `[["status", "-created_at"]]`. Storage keeps an index for each. Other orders are sorted on
   * request, which takes longer the more rows there are.
   */
  readonly lists?: readonly (readonly `${"" | "-"}${NoInfer<Name> | CommonField}`[])[];
}

/** What the compiler knows about a resource: its declared fields, its plural and its states. */
export interface ResourceShape {
  readonly fields: Readonly<Record<string, Field>>;
  readonly plural: string;
  /** The states of its lifecycle; `never` if it has none. */
  readonly state: string;
}

declare const shape: unique symbol;

/**
 * A declared resource. `Shape` gives its rows their types; a plain `Resource` is one of which the
 * compiler knows nothing.
 */
export interface Resource<Shape extends ResourceShape = ResourceShape> extends Omit<ResourceDefinition, "fields"> {
  readonly fields: Readonly<Record<string, Field>>;
  readonly fieldNames: readonly string[];
  readonly table: string;
  /**
   * The fields that an application added to a built-in resource. A storage makes their columns beside
   * those that its own steps have made.
   */
  readonly added?: readonly string[];
  /** For the compiler only: no resource has this member. */
  readonly [shape]?: Shape;
}

/** The shape of a resource, for the compiler. */
export type ShapeOf<One extends Resource> = NonNullable<One[typeof shape]>;
