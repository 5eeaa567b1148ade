import type { Answer, Operation } from "../operations/operation.ts";

/** A JSON Schema document, as far as transforms look into it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export type VersionId = `v${number}`;

/** What the versions seam may change of a request before core sees it. */
export interface VersionedInput {
  readonly query: ReadonlyMap<string, string>;
  readonly body: unknown;
}

/**
 * What one version changed against the one before it. Core knows the newest version only; an older one is the newest with the later
 * changes undone, last first. This list is the only place where old behaviour lives.
 */
export interface VersionChange {
  readonly id: string;
  /** The version that brought it. */
  readonly introducedIn: VersionId;
  readonly title: string;
  readonly why: string;
  readonly appliesTo: (operation: Operation) => boolean;
  /** From the older version's request to the newer one's. */
  readonly requestUp?: (input: VersionedInput) => VersionedInput;
  /** From the newer version's successful answer to the older one's. */
  readonly responseDown?: (answer: Answer) => Answer;
  /** The same step for the schema of the answer's body. */
  readonly schemaDown?: (schema: JsonSchema) => JsonSchema;
}

export interface ApiVersion {
  readonly id: VersionId;
  readonly status: "current" | "deprecated";
  /** What has to be undone to answer as this version, newest first. */
  readonly undo: readonly VersionChange[];
}
