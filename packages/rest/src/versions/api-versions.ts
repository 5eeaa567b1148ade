import { AppError } from "@postern/core";
import { refuseFaults } from "@postern/core/internal";
import type { Operation } from "../operations/operation.ts";
import { changeFaults } from "./change-faults.ts";
import { answerOf, bodyOf, type Conversion, conversionOf } from "./conversion.ts";
import { operationEffects } from "./effects.ts";
import type { LeavesAlone, VersionChange, VersionDefinition } from "./version.ts";
import type { VersionId } from "./version-id.ts";

/** A live version, as an application serves it. */
export interface ApiVersion {
  readonly id: VersionId;
  /** The day of its release, `YYYY-MM-DD`. */
  readonly released: string;
  /** Its own operation table. */
  readonly operations: readonly Operation[];
  /**
   * The changes that must be undone to answer as this version, newest first. Empty for the newest
   * version.
   */
  readonly undo: readonly VersionChange[];
  /**
   * Converts between this version's operation and its newest form; `undefined` if they are the
   * same. Made when you first ask for it.
   */
  conversion(operation: Operation): Conversion | undefined;
}

/** An entry of a version's operation table, and where it comes from. */
interface Entry {
  readonly operation: Operation;
  /** Its newest form. The `handle` of that form answers it. */
  readonly newest: Operation;
  /** The changes between the two, newest first. */
  readonly undone: readonly VersionChange[];
}

const undoIn = (entries: readonly Entry[], change: VersionChange, leavesAlone: LeavesAlone): readonly Entry[] => {
  const effects = operationEffects(change);
  const older = entries.map(({ operation, newest, undone }): Entry => {
    // An operation without a version has the same form in all of them.
    if (operation.unversioned === true || leavesAlone(change, operation)) return { operation, newest, undone };
    // Each path moves only once, so that two paths can change places.
    const moved = effects.find(({ path }) => path?.newer === operation.path);
    const down = effects
      .filter((effect) => effect.path === undefined || effect === moved)
      .reduce((made, effect) => effect.down?.(made) ?? made, operation);
    return { operation: down, newest, undone: [...undone, change] };
  });
  const restored = effects.flatMap((effect) => effect.restored ?? []);
  return [...older, ...restored.map((operation) => ({ operation, newest: operation, undone: [] }))];
};

const numberOf = (id: VersionId): number => Number(id.slice(1));

const tableFaults = (definitions: readonly VersionDefinition[]): readonly string[] => {
  if (definitions.length === 0) return ["there must be at least one API version"];
  const faults = definitions.flatMap(({ id, released, changes }, index): string[] => {
    const before = definitions[index - 1];
    return [
      ...(/^v[1-9]\d*$/.test(id) ? [] : [`"${id}" is no version; versions are v1, v2, …`]),
      ...(before !== undefined && numberOf(before.id) >= numberOf(id)
        ? [`version ${id} must come after ${before.id}, oldest first`]
        : []),
      ...(/^\d{4}-\d\d-\d\d$/.test(released) ? [] : [`version ${id}: "${released}" is no day like 2026-11-21`]),
      ...(index === 0 && changes.length > 0
        ? [`version ${id} is the oldest: there is nothing that its changes could be made against`]
        : []),
    ];
  });
  const ids = definitions.flatMap(({ changes }) => changes.map(({ id }) => id));
  const twice = new Set(ids.filter((id, index) => ids.indexOf(id) !== index));
  return [...faults, ...[...twice].map((id) => `there are two version changes named "${id}"`)];
};

/**
 * Checks a version table and its changes against the newest version.
 * @throws DeclarationError for a table that cannot work, with all its faults: each names the change
 *   and says what would be right.
 */
export const checkVersions = (definitions: readonly VersionDefinition[], operations: readonly Operation[]): void =>
  refuseFaults([...tableFaults(definitions), ...changeFaults(definitions, operations)]);

const checkPaths = (id: VersionId, operations: readonly Operation[]): void => {
  const places = operations.map(({ method, path }) => `${method} ${path}`);
  const taken = places.find((place, index) => places.indexOf(place) !== index);
  if (taken !== undefined) throw new TypeError(`version ${id} has two operations at ${taken}`);
};

const leavesNone: LeavesAlone = () => false;

/**
 * Computes the live versions, oldest first, each with its own operation table, from the newest
 * one's. `leavesAlone` says which changes do not apply to an operation. Default: all apply.
 * @throws TypeError for a version table that cannot work.
 */
export const createVersions = (
  definitions: readonly VersionDefinition[],
  operations: readonly Operation[],
  leavesAlone: LeavesAlone = leavesNone,
): readonly ApiVersion[] => {
  refuseFaults(tableFaults(definitions));
  const newest = operations.map((operation): Entry => ({ operation, newest: operation, undone: [] }));
  return definitions.map(({ id, released }, index) => {
    const undo = definitions
      .slice(index + 1)
      .flatMap(({ changes }) => changes)
      .toReversed();
    const entries = undo.reduce<readonly Entry[]>((made, change) => undoIn(made, change, leavesAlone), newest);
    const table = entries.map(({ operation }) => operation);
    checkPaths(id, table);
    const byOperation = new Map(entries.map((entry) => [entry.operation.id, entry]));
    const made = new Map<string, Conversion>();
    return {
      id,
      released,
      operations: table,
      undo,
      conversion: (operation) => {
        const entry = byOperation.get(operation.id);
        if (entry === undefined || entry.undone.length === 0) return undefined;
        const conversion = made.get(operation.id) ?? conversionOf(entry.newest, entry.undone);
        made.set(operation.id, conversion);
        return conversion;
      },
    };
  });
};

/** What an operation takes and answers in a version. */
export const bodiesIn = (version: ApiVersion, operation: Operation): Pick<Conversion, "answer" | "body"> =>
  version.conversion(operation) ?? { answer: answerOf(operation), body: bodyOf(operation) };

/** @throws AppError `unknown_version`, with the existing versions. */
export const versionOf = (versions: readonly ApiVersion[], id: string): ApiVersion => {
  const version = versions.find((candidate) => candidate.id === id);
  if (version !== undefined) return version;
  const supported = versions.map((known) => known.id);
  throw new AppError("unknown_version", {
    detail: `There is no version ${id}; there are ${supported.join(", ")}.`,
    extra: { supported_versions: supported },
  });
};

/** The version in whose form the operations read and answer. */
export const newestOf = (versions: readonly ApiVersion[]): ApiVersion => {
  const newest = versions.at(-1);
  if (newest === undefined) throw new TypeError("there must be at least one API version");
  return newest;
};
