import type { Fault, JsonSchema } from "@postern/core";
import { faultText, isObject } from "@postern/core/internal";
import {
  branchesOf,
  checkerOf,
  type Described,
  isList,
  mapSchema,
  marks,
  propertiesOf,
  resolved,
  resourceOf,
} from "../json-schema/json-schema.ts";
import { effectsOn, markUnknown, nameDown, wrapsLists } from "./effects.ts";
import type { MemberEffect, VersionChange } from "./version.ts";
import { guided, type Step } from "./walk.ts";

/** The facts about a request that the conversion of its answer needs. */
export interface DownContext {
  /** Members that only older versions have and that `fields` leaves out. */
  readonly omitted: Omitted;
  /** Whether the value is inside a row: then it is included, and has its own `fields`. */
  readonly inside: boolean;
}

export interface Omitted {
  readonly root?: ReadonlySet<MemberEffect>;
  /** In included rows, by the resource's name. */
  readonly included: ReadonlyMap<string, ReadonlySet<MemberEffect>>;
  /**
   * Rows whose id was read only because nothing else in their selection exists any more: `""` for
   * the answer's own rows, the resource's name for included ones.
   */
  readonly ids: ReadonlySet<string>;
}

/** Nothing is left out. */
export const wholeRow: DownContext = { omitted: { included: new Map(), ids: new Set() }, inside: false };

/** Collects what in a body does not satisfy the older schema. */
export type UpContext = Fault[];

/** Converts data from the newer schema to its older form; `undefined` if nothing changes. */
export const dataDown = (newer: Described, change: VersionChange): Step<DownContext> | undefined =>
  guided<DownContext>(newer, (schema, members) => {
    const own = effectsOn(change, schema);
    const bare = wrapsLists(change) && isList(schema);
    if (own.length === 0 && !bare && members.size === 0) return undefined;
    const byNewer = new Map(own.flatMap((effect) => (effect.newer === undefined ? [] : [[effect.newer, effect]])));
    const gone = own.filter(({ newer: name }) => name === undefined);
    const resource = resourceOf(schema);
    return (value, context) => {
      if (!isObject(value)) return value;
      const { omitted, inside } = context;
      const deeper = resource === undefined || inside ? context : { omitted, inside: true };
      const leftOut = inside ? omitted.included.get(resource ?? "") : omitted.root;
      const entries: [string, unknown][] = [];
      for (const [name, given] of Object.entries(value)) {
        const step = members.get(name);
        const member = step === undefined ? given : step(given, deeper);
        const effect = byNewer.get(name);
        if (effect === undefined) entries.push([name, member]);
        else entries.push([effect.older, member === null ? null : effect.down(member)]);
      }
      for (const effect of gone) {
        if (leftOut?.has(effect) !== true) entries.push([effect.older, effect.down(undefined)]);
      }
      const hidesId = resource !== undefined && gone.length > 0 && omitted.ids.has(inside ? resource : "");
      // Not by assignment, which would take a member "__proto__" for something else.
      const older = Object.fromEntries(hidesId ? entries.filter(([name]) => name !== "id") : entries);
      return bare ? older.data : older;
    };
  });

/** Converts data from the older schema to its newer form. */
export const dataUp = (older: Described, change: VersionChange): Step<UpContext> | undefined =>
  guided<UpContext>(older, (schema, members) => {
    const own = effectsOn(change, schema);
    if (own.length === 0 && members.size === 0) return undefined;
    const properties = propertiesOf(schema);
    const byOlder = new Map(own.map((effect) => [effect.older, { effect, check: checkOf(effect, properties, older) }]));
    const newerOnly = new Set(
      own.flatMap(({ newer }) => (newer === undefined || properties.has(newer) ? [] : [newer])),
    );
    return (value, found) => {
      if (!isObject(value)) return value;
      return Object.fromEntries(
        Object.entries(value).flatMap(([name, given]): [string, unknown][] => {
          if (newerOnly.has(name)) return [[markUnknown(name), given]];
          const step = members.get(name);
          const member = step === undefined ? given : step(given, found);
          const known = byOlder.get(name);
          if (known === undefined) return [[name, member]];
          const { effect, check } = known;
          const none = member === null && effect.within === undefined;
          const faults = none ? [] : check(member);
          found.push(...faults);
          if (effect.newer === undefined || faults.length > 0) return [];
          return [[effect.newer, none ? null : effect.up(member)]];
        }),
      );
    };
  });

type Check = (value: unknown) => readonly Fault[];

const checkOf = (
  { converts, newer, older }: MemberEffect,
  properties: ReadonlyMap<string, JsonSchema>,
  { components }: Described,
): Check => {
  const schema = properties.get(older);
  // The newest version checks the others itself.
  const isChecked = converts === true || newer === undefined;
  if (!isChecked || schema === undefined) return () => [];
  const checker = checkerOf({ schema, components });
  return (value) =>
    checker.safeParse(value, { error: faultText }).error?.issues.map(({ path, message }) => ({
      pointer: pointerTo([older, ...path.map(String)]),
      code: "not_allowed",
      detail: message.charAt(0).toLowerCase() + message.slice(1),
    })) ?? [];
};

/** A JSON pointer (RFC 6901). */
export const pointerTo = (path: readonly string[]): string =>
  path.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** Converts a pointer into the newer body to one into the older body. */
export const pointerDown = (newer: Described, change: VersionChange, pointer: string): string => {
  const path = pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return pointerTo(placeDown(newer, change, path));
};

const placeDown = (newer: Described, change: VersionChange, path: readonly string[]): readonly string[] => {
  const [first, ...rest] = path;
  if (first === undefined) return [];
  const { components } = newer;
  const schema = resolved(newer);
  const inside = [schema, ...branchesOf(schema).map((branch) => resolved({ schema: branch, components }))];
  for (const part of inside) {
    if (isObject(part.items)) return [first, ...placeDown({ schema: part.items, components }, change, rest)];
    const effect = effectsOn(change, part).find(({ newer: name }) => name === first);
    const member = propertiesOf(part).get(first);
    const placed = member === undefined ? rest : placeDown({ schema: member, components }, change, rest);
    if (effect !== undefined) return [effect.older, ...effect.placeDown(placed)];
    if (member !== undefined) return [first, ...placed];
  }
  return path;
};

/**
 * Whether a pointer into the newer body leads to something that the older version can express. It
 * cannot express members beside a nested one.
 */
export const isSaid = (newer: Described, change: VersionChange, pointer: string): boolean => {
  const [, first, second] = pointer.split("/");
  const effect = effectsOn(change, resolved(newer)).find(({ newer: name }) => name === first);
  return effect?.within === undefined || second === undefined || second === effect.within;
};

/** The older schema, computed from the newer one. */
export const describedDown = ({ schema, components }: Described, change: VersionChange): Described => {
  const down = (part: JsonSchema): JsonSchema => {
    if (wrapsLists(change) && isList(part)) return listDown(part);
    const own = effectsOn(change, part);
    return own.length === 0 ? part : rowDown(part, own, components);
  };
  return {
    schema: mapSchema(schema, down),
    components: Object.fromEntries(
      Object.entries(components).map(([name, component]) => [name, mapSchema(component, down)]),
    ),
  };
};

const listDown = (list: JsonSchema): JsonSchema => {
  const { description } = list;
  return { ...(propertiesOf(list).get("data") ?? {}), ...(description === undefined ? {} : { description }) };
};

const rowDown = (row: JsonSchema, own: readonly MemberEffect[], components: Described["components"]): JsonSchema => {
  const members = [...propertiesOf(row)].map(([name, member]): [string, JsonSchema] => {
    const effect = own.find(({ newer }) => newer === name);
    if (effect === undefined) return [name, member];
    // The content of a member is looked for in the member itself, not in a reference to it.
    const whole = effect.within === undefined ? member : resolved({ schema: member, components });
    const older = effect.schemaDown(whole);
    return [effect.older, member.readOnly === true ? { ...older, readOnly: true } : older];
  });
  for (const effect of own) if (effect.newer === undefined) members.push([effect.older, effect.schemaDown({})]);
  const always = row[marks.always];
  return {
    ...row,
    properties: Object.fromEntries(members),
    ...(Array.isArray(row.required)
      ? { required: row.required.map((name: unknown) => nameDown(own, String(name))) }
      : {}),
    ...(Array.isArray(always)
      ? {
          [marks.always]: [
            ...always.map((name: unknown) => nameDown(own, String(name))),
            // The conversion makes these for every row.
            ...own.flatMap(({ newer, older }) => (newer === undefined ? [older] : [])),
          ],
        }
      : {}),
  };
};
