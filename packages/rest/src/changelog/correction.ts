import type { VersionId } from "../versions/version-id.ts";
import type { ChangeLogEntry } from "./change-log-entry.ts";

/**
 * A correction of live versions: they now do what their documents said, or can do more than before.
 */
export interface Correction extends Pick<ChangeLogEntry, "target" | "from" | "to" | "title" | "description"> {
  /** The kind of its entry in the change log. Default: `fixed`. */
  readonly kind?: "fixed" | "added";
  /** Stable, kebab-case. */
  readonly id: string;
  /** The day it was made, `YYYY-MM-DD`. */
  readonly date: string;
  /** The versions that it was made in. */
  readonly versions: readonly VersionId[];
  /** True if a client can notice the correction. */
  readonly breaking: boolean;
  /** What a client that relied on the fault must do. */
  readonly migration: string;
}

/** One entry for each version that a correction was made in. */
export const correctionEntries = ({ versions, kind = "fixed", ...correction }: Correction): readonly ChangeLogEntry[] =>
  versions.map((version) => ({
    ...correction,
    id: `${version}-${kind}-${correction.id}`,
    api_version: version,
    kind,
    deprecation_id: null,
  }));
