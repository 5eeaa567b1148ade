import type { JsonSchema } from "@postern/core/parts";
import { marks } from "../json-schema/json-schema.ts";
import type { MemberEffect, OperationEffect, VersionChange } from "./version.ts";

/** A change's effects on data, grouped so that they are found quickly. */
export interface DataEffects {
  readonly members: ReadonlyMap<string, readonly MemberEffect[]>;
  readonly lists: boolean;
}

export const dataEffectsOf = (change: VersionChange): DataEffects => {
  const members = new Map<string, MemberEffect[]>();
  for (const effect of change.effects) {
    if (effect.on !== "member") continue;
    const known = members.get(effect.resource);
    if (known === undefined) members.set(effect.resource, [effect]);
    else known.push(effect);
  }
  return { members, lists: change.effects.some(({ on }) => on === "lists") };
};

export const operationEffects = ({ effects }: VersionChange): readonly OperationEffect[] =>
  effects.filter((effect) => effect.on === "operations");

const none: readonly MemberEffect[] = [];

/** The effects on rows of this schema; none for an object that is not a row. */
export const effectsOn = ({ members }: DataEffects, schema: JsonSchema): readonly MemberEffect[] => {
  const resource = schema[marks.resource];
  return typeof resource === "string" ? (members.get(resource) ?? none) : none;
};

/**
 * A name that the older version does not have gets this mark on its way to the newest version. So
 * the newest version refuses it in its own words, like any unknown name. On the way back the mark
 * is removed. No field's name has this character: declarations refuse it.
 */
const unknownMark = "\u{FFFF}";

export const markUnknown = (name: string): string => `${name}${unknownMark}`;
export const unmark = (text: string): string => text.replaceAll(unknownMark, "");

/**
 * The newer version's name of an older member. `gone`: the newer version does not have this member
 * any more. `unknown`: the older version does not have it either.
 */
export type NameUp = { readonly name: string } | { readonly gone: MemberEffect } | "unknown";

export const nameUp = (effects: readonly MemberEffect[], name: string): NameUp => {
  const effect = effects.find(({ older }) => older === name);
  if (effect !== undefined) return effect.newer === undefined ? { gone: effect } : { name: effect.newer };
  return effects.some(({ newer }) => newer === name) ? "unknown" : { name };
};

/** The older version's name for a newer member. A marked name is the caller's own and stays. */
export const nameDown = (effects: readonly MemberEffect[], name: string): string =>
  effects.find(({ newer }) => newer === name)?.older ?? name;

/** The resource whose rows a schema describes, alone or as a list. */
export const resourceOf = (schema: JsonSchema): string | undefined => {
  const resource = schema[marks.resource];
  return typeof resource === "string" ? resource : undefined;
};

export const isList = (schema: JsonSchema): boolean => schema[marks.list] === true;
