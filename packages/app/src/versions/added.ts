import type { Correction } from "@postern/rest";

/** The content of an entry about an addition. */
interface Addition extends Pick<Correction, "id" | "title" | "description"> {
  /** The paths of the endpoints, as readers see them. */
  readonly name: string;
  /** The ids of the operations that are new or that can do more. */
  readonly operations: readonly string[];
  /** What a client must do. Default: nothing. */
  readonly migration?: string;
}

/** The entry in the change log of all live versions for endpoints that they gained. */
export const added = ({ name, operations, migration = "Nothing.", ...texts }: Addition): Correction => ({
  ...texts,
  kind: "added",
  date: "2026-11-22",
  versions: ["v1", "v2"],
  breaking: false,
  target: { type: "endpoint", name, operations },
  from: null,
  to: null,
  migration,
});
