import type { JsonSchema } from "@postern/core";
import { type Described, resourceOf } from "../json-schema/json-schema.ts";
import type { MemberEffect, OperationEffect, VersionChange } from "./version.ts";

/** The same body or answer before and after a change. */
export interface Forms {
  readonly newer: Described;
  readonly older: Described;
}

export const operationEffects = ({ effects }: VersionChange): readonly OperationEffect[] =>
  effects.filter((effect) => effect.on === "operations");

export const memberEffects = ({ effects }: VersionChange): readonly MemberEffect[] =>
  effects.filter((effect) => effect.on === "member");

/** Whether an older version answers lists as bare arrays. */
export const wrapsLists = ({ effects }: VersionChange): boolean => effects.some(({ on }) => on === "lists");

/** The effects on rows of this schema; none for an object that is not a row. */
export const effectsOn = (change: VersionChange, schema: JsonSchema): readonly MemberEffect[] => {
  const resource = resourceOf(schema);
  return resource === undefined ? [] : memberEffects(change).filter((effect) => effect.resource === resource);
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
 * The newer version's name of an older member, and the effect that changed it. There is no name if
 * the newer version does not have this member any more, or if the older version does not have it.
 */
export const nameUp = (
  effects: readonly MemberEffect[],
  name: string,
): { readonly name: string | undefined; readonly effect?: MemberEffect } => {
  const effect = effects.find(({ older }) => older === name);
  if (effect !== undefined) return { name: effect.newer, effect };
  return { name: effects.some(({ newer }) => newer === name) ? undefined : name };
};

/** The older version's name for a newer member. A marked name is the caller's own and stays. */
export const nameDown = (effects: readonly MemberEffect[], name: string): string =>
  effects.find(({ newer }) => newer === name)?.older ?? name;
