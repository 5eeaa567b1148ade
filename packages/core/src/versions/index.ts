import { AppError } from "../errors/index.ts";
import type { Answer, Operation } from "../operations/operation.ts";
import { wrapLists } from "./changes/wrap-lists.ts";
import type { ApiVersion, JsonSchema, VersionChange, VersionedInput, VersionId } from "./version.ts";

/** All changes between versions, oldest first. A new version is its changes here and its id below. */
const changes: readonly VersionChange[] = [wrapLists];

const versionIds: readonly VersionId[] = ["v1", "v2"];

const numberOf = (id: VersionId): number => Number(id.slice(1));

/** The live versions, oldest first; the last one is what core itself speaks. */
export const apiVersions: readonly ApiVersion[] = versionIds.map((id) => ({
  id,
  status: "current",
  undo: changes.filter((change) => numberOf(change.introducedIn) > numberOf(id)).toReversed(),
}));

/** @throws AppError `unknown_version`, with the versions there are. */
export const versionOf = (id: string): ApiVersion => {
  const version = apiVersions.find((candidate) => candidate.id === id);
  if (version !== undefined) return version;
  throw new AppError("unknown_version", {
    detail: `There is no version ${id}; there are ${versionIds.join(", ")}.`,
    extra: { supported_versions: versionIds },
  });
};

const concerning = (version: ApiVersion, operation: Operation): readonly VersionChange[] =>
  version.undo.filter((change) => change.appliesTo(operation));

/** The request as the newest version would have put it: oldest change first. */
export const requestUp = (version: ApiVersion, operation: Operation, input: VersionedInput): VersionedInput =>
  concerning(version, operation)
    .toReversed()
    .reduce((upgraded, change) => change.requestUp?.(upgraded) ?? upgraded, input);

/** A successful answer as this version gives it: newest change undone first. */
export const responseDown = (version: ApiVersion, operation: Operation, answer: Answer): Answer =>
  concerning(version, operation).reduce((older, change) => change.responseDown?.(older) ?? older, answer);

/** The schema of the answer's body in this version. */
export const schemaDown = (version: ApiVersion, operation: Operation, schema: JsonSchema): JsonSchema =>
  concerning(version, operation).reduce((older, change) => change.schemaDown?.(older) ?? older, schema);

export type * from "./version.ts";
