import type { VersionId } from "../versions/version-id.ts";
import type { ChangeLogEntry } from "./change-log-entry.ts";

/**
 * Something that live versions did not do as they said, and do now, or that they can do in addition
 * since some day.
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
  /** True where a client can notice. */
  readonly breaking: boolean;
  /** What a client does that relied on the fault. */
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
