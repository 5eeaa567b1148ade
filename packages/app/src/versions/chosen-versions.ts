import type { Resource } from "@postern/core";
import { refuseFaults } from "@postern/core/internal";
import type { Effect, VersionChange, VersionDefinition } from "@postern/rest";
import { user } from "../resources/user.ts";
import { builtInVersions } from "./built-in-versions.ts";

/** The only version of an application that names none. */
const firstVersion: VersionDefinition = { id: "v1", released: "2026-11-30", changes: [] };

/** The version table of an application. */
export interface ChosenVersions {
  /** Oldest first, without effects on what the application left out. */
  readonly versions: readonly VersionDefinition[];
  /** What the built-in resources have changed since, and no version has yet. */
  readonly pending: readonly VersionChange[];
  /** The ids of the changes that Postern declares. */
  readonly ours: ReadonlySet<string>;
  /** The ids of those versions that are the bare server's. */
  readonly bare: ReadonlySet<string>;
}

interface Given {
  readonly versions?: readonly VersionDefinition[] | undefined;
  /** What each later shape of the built-in resources changed, from shape 2 on. */
  readonly shapes: readonly (readonly VersionChange[])[];
  /** The built-in resources that the application has, by name. */
  readonly builtIn: ReadonlyMap<string, Resource>;
  /** The names of all built-in resources. */
  readonly known: ReadonlySet<string>;
  /** The fields of `user` that the application left out. */
  readonly without: readonly string[];
}

const shapeFaults = (
  { versions = [], shapes }: Given,
  has: (change: VersionChange) => boolean,
  from: number,
): readonly string[] => {
  const newest = shapes.length + 1;
  const later = versions.slice(1).filter(({ builtIn }) => builtIn !== undefined);
  return [
    ...(from > newest
      ? [
          `version ${versions[0]?.id}: builtIn: there is no shape ${from} of the built-in resources; the newest is ${newest}`,
        ]
      : []),
    ...later.map(
      ({ id }) =>
        `version ${id}: builtIn belongs to the oldest version; later ones add \`...builtInChanges(2)\` to their changes`,
    ),
    ...shapes.flatMap((changes, index) => {
      const shape = index + 2;
      const present = changes.filter(has).length;
      if (present === 0) return [];
      if (shape <= from)
        return [`versions: the oldest version has shape ${from} already; leave out builtInChanges(${shape})`];
      const before = shapes.slice(from - 1, index).findIndex((one) => !one.every(has));
      if (before >= 0)
        return [`versions: builtInChanges(${from + before + 1}) must come before builtInChanges(${shape})`];
      return present === changes.length
        ? []
        : [
            `versions: add the whole of builtInChanges(${shape}): ${changes
              .filter((one) => !has(one))
              .map(({ id }) => id)
              .join(", ")} is missing`,
          ];
    }),
  ];
};

/**
 * The version table of an application, without Postern's own effects on resources and fields that it
 * left out.
 * @throws DeclarationError for shapes that do not exist or are out of order.
 */
export const chosenVersions = (given: Given): ChosenVersions => {
  const { versions = [firstVersion], shapes } = given;
  // `checkDeclarations` reports a version without changes.
  const made = versions.flatMap(({ changes }) => (Array.isArray(changes) ? (changes as readonly VersionChange[]) : []));
  const has = ({ id }: VersionChange): boolean => made.some((change) => Object(change).id === id);
  const { builtIn = shapes.length + 1 } = versions[0] ?? firstVersion;
  if (Number.isSafeInteger(builtIn) && builtIn > 0) refuseFaults(shapeFaults(given, has, builtIn));
  const pending = shapes.slice(builtIn - 1).flatMap((changes) => changes.filter((change) => !has(change)));
  const ofBare = builtInVersions.flatMap(({ changes }) => changes);
  const ours = new Set([...ofBare, ...shapes.flat()].map(({ id }) => id));
  const keep = keeping(given, ours);
  const later = keep(pending);
  const bare = versions.filter((one) => builtInVersions.includes(one)).map(({ id }) => id);
  const kept = versions.toReversed().map((version) => ({
    ...version,
    changes: Array.isArray(version.changes) ? keep(version.changes) : version.changes,
  }));
  return { versions: kept.toReversed(), pending: later, ours, bare: new Set(bare) };
};

/**
 * Gives the changes of a version without effects on what is not there. Call it for the newest version
 * first: a name that a later change gave is traced back through it.
 */
const keeping = ({ builtIn, known, without }: Given, ours: ReadonlySet<string>) => {
  // A field that is left out is stored, and nobody reads it.
  const shown = ({ fields }: Resource) => Object.keys(fields).filter((name) => fields[name]?.read !== "nobody");
  const names = new Map([...builtIn].map(([name, resource]) => [name, new Set(shown(resource))]));
  const isThere = (effect: Effect): boolean => {
    if (effect.on !== "member" || !known.has(effect.resource)) return true;
    const fields = names.get(effect.resource);
    if (fields === undefined) return false;
    // What an application never showed is not gone in a later version either.
    if (effect.newer === undefined) return effect.resource !== user.name || !without.includes(effect.older);
    const found = fields.delete(effect.newer);
    if (found) fields.add(effect.older);
    return found;
  };
  return (changes: readonly VersionChange[]): readonly VersionChange[] =>
    changes
      .toReversed()
      .flatMap((change) => {
        if (!Array.isArray(Object(change).effects)) return [change];
        const there = change.effects.filter(isThere);
        if (!ours.has(change.id) || there.length === change.effects.length) return [change];
        return there.length === 0 ? [] : [{ ...change, effects: there }];
      })
      .toReversed();
};
