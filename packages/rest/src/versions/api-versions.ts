import { AppError } from "@postern/core";
import type { Operation } from "../operations/operation.ts";
import { type Conversion, conversionOf } from "./conversion.ts";
import type { OperationEffect, VersionChange, VersionDefinition } from "./version.ts";
import type { VersionId } from "./version-id.ts";

/** A live version, as an application serves it. */
export interface ApiVersion {
  readonly id: VersionId;
  /** The day it came out, `YYYY-MM-DD`. */
  readonly released: string;
  /** Its own operation table. */
  readonly operations: readonly Operation[];
  /** What has to be undone to answer as this version, newest first; nothing for the newest version. */
  readonly undo: readonly VersionChange[];
  /** What stands between this version's operation and the newest form of it; `undefined` where nothing does. Made when it is first asked for. */
  conversion(operation: Operation): Conversion | undefined;
}

/** An entry of a version's operation table and where it comes from. */
interface Entry {
  readonly operation: Operation;
  /** Its newest form, whose `handle` answers it. */
  readonly newest: Operation;
  /** The changes that lie between the two, newest first. */
  readonly undone: readonly VersionChange[];
}

const operationEffects = ({ effects }: VersionChange): readonly OperationEffect[] =>
  effects.filter((effect) => effect.on === "operations");

const undoIn = (entries: readonly Entry[], change: VersionChange): readonly Entry[] => {
  const effects = operationEffects(change);
  const older = entries.map(({ operation, newest, undone }): Entry => {
    // What stands beside the versions answers all of them in one form.
    if (operation.unversioned === true) return { operation, newest, undone };
    const down = effects.reduce((made, effect) => effect.down?.(made) ?? made, operation);
    return { operation: down, newest, undone: [...undone, change] };
  });
  const restored = effects.flatMap((effect) => effect.restored ?? []);
  return [...older, ...restored.map((operation) => ({ operation, newest: operation, undone: [] }))];
};

const numberOf = (id: VersionId): number => Number(id.slice(1));

const checkTable = (definitions: readonly VersionDefinition[]): void => {
  if (definitions.length === 0) throw new TypeError("there must be at least one API version");
  definitions.forEach(({ id, released, changes }, index) => {
    const before = definitions[index - 1];
    if (!/^v[1-9]\d*$/.test(id)) throw new TypeError(`"${id}" is no version; versions are v1, v2, …`);
    if (before !== undefined && numberOf(before.id) >= numberOf(id)) {
      throw new TypeError(`version ${id} must come after ${before.id}, oldest first`);
    }
    if (!/^\d{4}-\d\d-\d\d$/.test(released))
      throw new TypeError(`version ${id}: "${released}" is no day like 2026-11-21`);
    if (index === 0 && changes.length > 0) {
      throw new TypeError(`version ${id} is the oldest: there is nothing that its changes could be made against`);
    }
  });
  const ids = definitions.flatMap(({ changes }) => changes.map(({ id }) => id));
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new TypeError(`there are two version changes named "${twice}"`);
};

const checkPaths = (id: VersionId, operations: readonly Operation[]): void => {
  const places = operations.map(({ method, path }) => `${method} ${path}`);
  const taken = places.find((place, index) => places.indexOf(place) !== index);
  if (taken !== undefined) throw new TypeError(`version ${id} has two operations at ${taken}`);
};

/**
 * The live versions, oldest first, each with its own operation table, computed from the newest one's.
 * @throws TypeError for a version table that cannot work.
 */
export const createVersions = (
  definitions: readonly VersionDefinition[],
  operations: readonly Operation[],
): readonly ApiVersion[] => {
  checkTable(definitions);
  const newest = operations.map((operation): Entry => ({ operation, newest: operation, undone: [] }));
  return definitions.map(({ id, released }, index) => {
    const undo = definitions
      .slice(index + 1)
      .flatMap(({ changes }) => changes)
      .toReversed();
    const entries = undo.reduce<readonly Entry[]>(undoIn, newest);
    const table = entries.map(({ operation }) => operation);
    checkPaths(id, table);
    const byOperation = new Map(entries.map((entry) => [entry.operation.id, entry]));
    const made = new Map<string, Conversion | undefined>();
    return {
      id,
      released,
      operations: table,
      undo,
      conversion: (operation) => {
        if (undo.length === 0) return undefined;
        if (!made.has(operation.id)) {
          const entry = byOperation.get(operation.id);
          made.set(
            operation.id,
            entry === undefined || entry.undone.length === 0 ? undefined : conversionOf(entry.newest, entry.undone),
          );
        }
        return made.get(operation.id);
      },
    };
  });
};

/** @throws AppError `unknown_version`, with the versions there are. */
export const versionOf = (versions: readonly ApiVersion[], id: string): ApiVersion => {
  const version = versions.find((candidate) => candidate.id === id);
  if (version !== undefined) return version;
  const supported = versions.map((known) => known.id);
  throw new AppError("unknown_version", {
    detail: `There is no version ${id}; there are ${supported.join(", ")}.`,
    extra: { supported_versions: supported },
  });
};

/** The version that core itself speaks. */
export const newestOf = (versions: readonly ApiVersion[]): ApiVersion => {
  const newest = versions.at(-1);
  if (newest === undefined) throw new TypeError("there must be at least one API version");
  return newest;
};
