import type { JsonSchema } from "@postern/core";
import type { Operation } from "../operations/operation.ts";
import type { VersionId } from "./version-id.ts";

/**
 * What a change does to one member of a resource. It holds wherever a row of the resource stands (alone, in a list, included in another row, in a
 * body that writes it) and wherever the member is named (`fields`, `sort`, `filter`, `include`, pointers and texts of errors).
 */
export interface MemberEffect {
  readonly on: "member";
  readonly resource: string;
  /** Its name in the older version. */
  readonly older: string;
  /** Its name in the newer one; absent where the newer version has no such member. */
  readonly newer?: string;
  /** Which member of the newer value holds the older one, where it is one of several. */
  readonly within?: string;
  /** The older member's schema, computed from the newer one's. */
  readonly schemaDown: (newer: JsonSchema) => JsonSchema;
  /** The older value. Null never gets here: no value is no value in both. */
  readonly down: (value: unknown) => unknown;
  /** The newer value, of an older one that satisfies the older schema or, where `checked` is false, of any value at all. */
  readonly up: (value: unknown) => unknown;
  /** Whether `up` wants values that have been checked; false where core's own check finds the same faults. */
  readonly checked: boolean;
  /** The place inside the older value of what stands at this place inside the newer one. */
  readonly placeDown: (inside: readonly string[]) => readonly string[];
}

/** What a change does to every list: the older version answers the bare array, and pages by headers alone. */
export interface ListEffect {
  readonly on: "lists";
}

/** What a change does to the operation table. */
export interface OperationEffect {
  readonly on: "operations";
  /** A newer operation as the older version has it. */
  readonly down?: (operation: Operation) => Operation;
  /** Operations that only the older version has. */
  readonly restored?: readonly Operation[];
  /** A path that is another one in the older version: links in answers follow. */
  readonly path?: { readonly older: string; readonly newer: string };
}

export type Effect = MemberEffect | ListEffect | OperationEffect;

export type ChangeKind = "renamed" | "removed" | "changed";

/**
 * One thing that a version changed against the one before it, made of primitives (`renameField`, `wrapLists`, …) that each know their effect on
 * requests, answers, errors, schemas, documentation and change log, both ways. Core knows the newest version only; an older one is the newest
 * with the later changes undone, last first. These records are the only place where old behaviour lives.
 */
export interface VersionChange {
  /** Stable, kebab-case. */
  readonly id: string;
  readonly kind: ChangeKind;
  readonly title: string;
  readonly why: string;
  /** What who uses the older version does to move on. */
  readonly migration: string;
  readonly effects: readonly Effect[];
}

/** A version in the table: what it changed against the one before. */
export interface VersionDefinition {
  readonly id: VersionId;
  /** The day it came out, `YYYY-MM-DD`. */
  readonly released: string;
  readonly changes: readonly VersionChange[];
}
