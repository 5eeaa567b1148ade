import type { Deprecation, LeavesAlone, Operation, VersionChange, VersionDefinition } from "@postern/rest";
import { operationEffects } from "@postern/rest/internal";
import type { Settings } from "../settings.ts";
import { builtInVersions } from "./built-in-versions.ts";

const isOperators = ({ id, path }: Pick<Operation, "id" | "path">): boolean =>
  id.startsWith("admin.") || isBelowAdmin(path);

const isBelowAdmin = (path: string): boolean => path === "/admin" || path.startsWith("/admin/");

const isOther = (older: Operation, newer: Operation): boolean =>
  [...new Set([...Object.keys(older), ...Object.keys(newer)])].some(
    (name) => older[name as keyof Operation] !== newer[name as keyof Operation],
  );

/** What a change does to the operators' part: the path, or the operation, that it would touch. */
const touchedBy = (change: VersionChange, operations: readonly Operation[]): string | undefined => {
  for (const { path, restored = [], down } of operationEffects(change)) {
    const moved = [path?.older, path?.newer].find((one) => one !== undefined && isBelowAdmin(one));
    if (moved !== undefined) return moved;
    const restoredHere = restored.find(isOperators);
    if (restoredHere !== undefined) return restoredHere.id;
    const changed = down && operations.find((one) => isOperators(one) && isOther(down(one), one));
    if (changed) return changed.id;
  }
  return undefined;
};

/** The changes of the bare server, which has operators' parts of several versions. */
const ours: ReadonlySet<string> = new Set(builtInVersions.flatMap(({ changes }) => changes.map(({ id }) => id)));

/** The operators' part is the same in all versions of an application: no change of one applies to it. */
export const leavesOperatorsAlone: LeavesAlone = ({ id }, operation) => isOperators(operation) && !ours.has(id);

const versionFaults = (versions: readonly VersionDefinition[], operations: readonly Operation[]): readonly string[] => {
  return versions.flatMap(({ id, changes }) =>
    changes.flatMap((change) => {
      if (ours.has(change.id)) return [];
      const touched = touchedBy(change, operations);
      const why = "belongs to the operators' part, whose versions are Postern's own; leave it out";
      return touched === undefined ? [] : [`version ${id}, change "${change.id}": ${touched} ${why}`];
    }),
  );
};

/** Whether a sunset takes from the console what it needs: its version, or an operation of its own. */
const endsConsole = ({ target }: Deprecation, newest: string): boolean =>
  target.version === newest &&
  !("resource" in target) &&
  (!("operation" in target) || target.operation.startsWith("admin."));

const sunsetFaults = (
  deprecations: readonly Deprecation[],
  newest: string | undefined,
  { console: ui, enforceSunsets }: Settings,
): readonly string[] => {
  if (ui === undefined || enforceSunsets === "off" || newest === undefined) return [];
  return deprecations
    .filter((one) => endsConsole(one, newest))
    .map(
      ({ id }) =>
        `deprecation "${id}": the console uses ${newest}, the newest version, and would end with it; release a newer version first, or switch the console off`,
    );
};

interface Given {
  readonly versions: readonly VersionDefinition[];
  readonly deprecations: readonly Deprecation[];
  readonly settings: Settings;
}

/**
 * The faults of an application's versions and deprecations that would change the operators' part, or
 * lock everybody out of the console.
 */
export const operatorPartFaults = (
  { versions, deprecations, settings }: Given,
  operations: readonly Operation[],
): readonly string[] => [
  ...versionFaults(versions, operations),
  ...sunsetFaults(deprecations, versions.at(-1)?.id, settings),
];
