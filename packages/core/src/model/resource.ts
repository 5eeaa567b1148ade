import type { Condition } from "../ports/condition.ts";
import type { Field } from "./field.ts";

/** The signed-in caller, as far as access rules need to know. */
export interface Caller {
  readonly userId: string;
}

/** Which rows a signed-in caller who is no administrator may touch. Administrators may touch every row. */
export type AccessRule = (caller: Caller) => Condition;

export interface ResourceAccess {
  readonly read: AccessRule;
  readonly update: AccessRule;
  readonly delete: AccessRule;
}

/** Where a resource's collection lies: below one row of its parent, e.g. `/users/{id}/posts`. */
export interface ResourceParent {
  readonly resource: string;
  /** The field that refers to the parent. */
  readonly field: string;
  /** What a caller must be allowed to do with the parent to create a row below it. */
  readonly createRequires: "read" | "update";
}

/** The states a row goes through, kept in one of its fields. */
export interface Lifecycle {
  readonly field: string;
  /** The states a new row may be in. */
  readonly initial: readonly string[];
  /** From each state, where a write may take it; staying is always allowed. */
  readonly moves: Readonly<Record<string, readonly string[]>>;
  /** Timestamp fields set when a state is entered for the first time. */
  readonly stamps: Readonly<Record<string, string>>;
}

/** What there must always be: at least one row whose field has this value. */
export interface KeepsOne {
  readonly field: string;
  readonly value: string;
  /** What is said to whoever would take the last one away. */
  readonly detail: string;
}

/** What a resource declares; everything the API does with it follows from this. */
export interface ResourceDefinition {
  /** Singular, snake_case: `post`. */
  readonly name: string;
  /** Plural, kebab-case: the path segment and, with underscores, the table. */
  readonly plural: string;
  readonly description: string;
  /** Without `id`, `created_at` and `updated_at`, which every resource has. */
  readonly fields: Readonly<Record<string, Field>>;
  /** The field that holds the id of the user whose row it is. `id` for users themselves. */
  readonly owner: string;
  readonly parent?: ResourceParent;
  readonly access: ResourceAccess;
  readonly lifecycle?: Lifecycle;
  readonly keepsOne?: KeepsOne;
  /**
   * Orders in which long lists are read, each of two or more field names with `-` for descending: `[["status", "-created_at"]]`. Storage keeps an
   * index for each. Other orders are sorted when they are asked for, which takes longer the more rows there are.
   */
  readonly lists?: readonly (readonly string[])[];
}

export interface Resource extends Omit<ResourceDefinition, "fields"> {
  readonly fields: Readonly<Record<string, Field>>;
  readonly fieldNames: readonly string[];
  readonly table: string;
}
