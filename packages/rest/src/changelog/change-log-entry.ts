import type { VersionId } from "../versions/version-id.ts";

export const changeKinds = ["added", "renamed", "removed", "deprecated", "changed", "fixed"] as const;

/** One change, described for users of the API. */
export interface ChangeLogEntry {
  readonly id: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** The version that brought it; for a deprecation, the version that it is about. */
  readonly api_version: VersionId;
  readonly kind: (typeof changeKinds)[number];
  readonly breaking: boolean;
  readonly title: string;
  readonly target: {
    readonly type: "endpoint" | "parameter" | "field" | "response" | "version";
    readonly name: string;
    /** Ids of the operations concerned; none for a field, which many operations share. */
    readonly operations: readonly string[];
  };
  readonly from: string | null;
  readonly to: string | null;
  readonly description: string;
  readonly migration: string;
  readonly deprecation_id: string | null;
}
