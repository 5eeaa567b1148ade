import type { JsonSchema } from "@postern/core";
import type { Operation } from "../operations/operation.ts";
import type { OwnOperation } from "../own-operations/own-operation.ts";
import type { VersionId } from "./version-id.ts";

/**
 * What a change does to one member of a resource. It applies wherever a row of the resource occurs
 * (alone, in a list, included in another row, in a body that writes it) and wherever the member is
 * named (`fields`, `sort`, `filter`, `include`, pointers and texts of errors).
 */
export interface MemberEffect {
  readonly on: "member";
  readonly resource: string;
  /** Its name in the older version. */
  readonly older: string;
  /** Its name in the newer version; absent if the newer version does not have it. */
  readonly newer?: string;
  /** The member of the newer value that holds the older value, if the newer value has several. */
  readonly within?: string;
  /** The older member's schema, computed from the newer one's. */
  readonly schemaDown: (newer: JsonSchema) => JsonSchema;
  /** Returns the older value. It is not called with null, which is null in both versions. */
  readonly down: (value: unknown) => unknown;
  /**
   * Converts an older value to the newer one. It is called with null only if `within` names a member,
   * because that member can be null itself. The value satisfies the older schema if the member
   * `converts`. Otherwise it can be any value, because the newest version's own check finds the same
   * faults.
   */
  readonly up: (value: unknown) => unknown;
  /**
   * True if the member has another form in the newer version, so that the values of filters are
   * converted, too.
   */
  readonly converts?: boolean;
  /** Turns a place inside the newer value into the place inside the older one. */
  readonly placeDown: (inside: readonly string[]) => readonly string[];
}

/**
 * What a change does to every list: the older version answers the bare array, and pages only by
 * headers.
 */
export interface ListEffect {
  readonly on: "lists";
}

/** What a change does to the operation table. */
export interface OperationEffect {
  readonly on: "operations";
  /** The older form of a newer operation. */
  readonly down?: (operation: Operation) => Operation;
  /** Operations that only the older version has. */
  readonly restored?: readonly Operation[];
  /** The same, declared by an application: `createApp` makes them entries of the table. */
  readonly restoredOwn?: readonly OwnOperation[];
  /** The header that the newer version requires. */
  readonly required?: "if-match";
  /** A path that is different in the older version. Links in answers follow it. */
  readonly path?: { readonly older: string; readonly newer: string };
}

export type Effect = MemberEffect | ListEffect | OperationEffect;

export type ChangeKind = "renamed" | "removed" | "changed";

/**
 * One thing that a version changed against the one before. It consists of primitives
 * (`renameField`, `wrapLists`, …). Each primitive knows its effect on requests, answers, errors,
 * schemas, documentation and change log, in both directions. The operations know only the newest
 * version. An older version is the newest with the later changes undone, last first. Only these
 * records contain old behaviour.
 */
export interface VersionChange {
  /** Stable, kebab-case. */
  readonly id: string;
  readonly kind: ChangeKind;
  readonly title: string;
  readonly why: string;
  /** What users of the older version must do to upgrade. */
  readonly migration: string;
  readonly effects: readonly Effect[];
}

/** A version in the table: what it changed against the one before. */
export interface VersionDefinition {
  readonly id: VersionId;
  /** The day of its release, `YYYY-MM-DD`. */
  readonly released: string;
  readonly changes: readonly VersionChange[];
  /**
   * Only in the oldest version: the number of the shape in which it has the built-in resources.
   * Default: the newest. With it, an upgrade never changes this version.
   */
  readonly builtIn?: number;
}

/** Whether a change leaves an operation as it is, whatever its effects are. */
export type LeavesAlone = (change: VersionChange, operation: Operation) => boolean;
