import type { Fault, JsonSchema } from "@postern/core";
import { isObject } from "@postern/core/parts";
import { branchesOf, checkerOf, type Described, mapSchema, propertiesOf } from "../json-schema/json-schema.ts";
import { type DataEffects, effectsOn, isList, markUnknown, nameDown } from "./effects.ts";
import type { MemberEffect } from "./version.ts";
import { guided, resolved, type Step } from "./walk.ts";

/** What the way down of one answer needs to know of its request. */
export interface DownContext {
  /** Members that only older versions have and that the caller did not select. */
  readonly omitted: ReadonlySet<MemberEffect>;
}

/** Where the way up of one body notes what does not satisfy the older schema. */
export interface UpContext {
  readonly faults: Fault[];
}

/** The older form of what the newer schema describes; `undefined` where nothing changes. */
export const dataDown = (newer: Described, effects: DataEffects): Step<DownContext> | undefined =>
  guided<DownContext>(newer, (schema, members) => {
    const own = effectsOn(effects, schema);
    const bare = effects.lists && isList(schema);
    if (own.length === 0 && !bare && members.size === 0) return undefined;
    const byNewer = new Map(own.flatMap((effect) => (effect.newer === undefined ? [] : [[effect.newer, effect]])));
    const gone = own.filter(({ newer: name }) => name === undefined);
    return (value, context) => {
      if (!isObject(value)) return value;
      const entries = Object.entries(value).map(([name, given]): [string, unknown] => {
        const step = members.get(name);
        const member = step === undefined ? given : step(given, context);
        const effect = byNewer.get(name);
        return effect === undefined ? [name, member] : [effect.older, member === null ? null : effect.down(member)];
      });
      for (const effect of gone) if (!context.omitted.has(effect)) entries.push([effect.older, effect.down(undefined)]);
      // Not by assignment, which would take a member "__proto__" for something else.
      const older = Object.fromEntries(entries);
      return bare ? older.data : older;
    };
  });

/** The newer form of what the older schema describes. */
export const dataUp = (older: Described, effects: DataEffects): Step<UpContext> | undefined =>
  guided<UpContext>(older, (schema, members) => {
    const own = effectsOn(effects, schema);
    if (own.length === 0 && members.size === 0) return undefined;
    const properties = propertiesOf(schema);
    const byOlder = new Map(own.map((effect) => [effect.older, { effect, check: checkOf(effect, properties, older) }]));
    const newerOnly = new Set(
      own.flatMap(({ newer }) => (newer === undefined || properties.has(newer) ? [] : [newer])),
    );
    return (value, context) => {
      if (!isObject(value)) return value;
      return Object.fromEntries(
        Object.entries(value).flatMap(([name, given]): [string, unknown][] => {
          if (newerOnly.has(name)) return [[markUnknown(name), given]];
          const step = members.get(name);
          const member = step === undefined ? given : step(given, context);
          const found = byOlder.get(name);
          if (found === undefined) return [[name, member]];
          const { effect, check } = found;
          const faults = member === null ? [] : check(member);
          context.faults.push(...faults);
          if (effect.newer === undefined || faults.length > 0) return [];
          return [[effect.newer, member === null ? null : effect.up(member)]];
        }),
      );
    };
  });

type Check = (value: unknown) => readonly Fault[];

const checkOf = (
  { checked, older }: MemberEffect,
  properties: ReadonlyMap<string, JsonSchema>,
  { components }: Described,
): Check => {
  const schema = properties.get(older);
  if (!checked || schema === undefined) return () => [];
  const checker = checkerOf({ schema, components });
  return (value) =>
    checker.safeParse(value).error?.issues.map(({ path, message }) => ({
      pointer: pointerTo([older, ...path.map(String)]),
      code: "not_allowed",
      detail: message.charAt(0).toLowerCase() + message.slice(1),
    })) ?? [];
};

/** RFC 6901. */
const pointerTo = (path: readonly string[]): string =>
  path.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** A pointer into the newer body as a pointer into the older one. */
export const pointerDown = (newer: Described, effects: DataEffects, pointer: string): string => {
  const path = pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return pointerTo(placeDown(newer, effects, path));
};

const placeDown = (newer: Described, effects: DataEffects, path: readonly string[]): readonly string[] => {
  const [first, ...rest] = path;
  if (first === undefined) return [];
  const { components } = newer;
  const schema = resolved(newer);
  const inside = [schema, ...branchesOf(schema).map((branch) => resolved({ schema: branch, components }))];
  for (const part of inside) {
    if (isObject(part.items)) return [first, ...placeDown({ schema: part.items, components }, effects, rest)];
    const effect = effectsOn(effects, part).find(({ newer: name }) => name === first);
    const member = propertiesOf(part).get(first);
    const placed = member === undefined ? rest : placeDown({ schema: member, components }, effects, rest);
    if (effect !== undefined) return [effect.older, ...effect.placeDown(placed)];
    if (member !== undefined) return [first, ...placed];
  }
  return path;
};

/** The older schema, computed from the newer one. */
export const describedDown = ({ schema, components }: Described, effects: DataEffects): Described => {
  const change = (part: JsonSchema): JsonSchema => {
    if (effects.lists && isList(part)) return listDown(part);
    const own = effectsOn(effects, part);
    return own.length === 0 ? part : rowDown(part, own);
  };
  return {
    schema: mapSchema(schema, change),
    components: Object.fromEntries(
      Object.entries(components).map(([name, component]) => [name, mapSchema(component, change)]),
    ),
  };
};

const listDown = (list: JsonSchema): JsonSchema => {
  const { description } = list;
  return { ...(propertiesOf(list).get("data") ?? {}), ...(description === undefined ? {} : { description }) };
};

const rowDown = (row: JsonSchema, own: readonly MemberEffect[]): JsonSchema => {
  const members = [...propertiesOf(row)].map(([name, member]): [string, JsonSchema] => {
    const effect = own.find(({ newer }) => newer === name);
    return effect === undefined ? [name, member] : [effect.older, effect.schemaDown(member)];
  });
  for (const effect of own) if (effect.newer === undefined) members.push([effect.older, effect.schemaDown({})]);
  return {
    ...row,
    properties: Object.fromEntries(members),
    ...(Array.isArray(row.required)
      ? { required: row.required.map((name: unknown) => nameDown(own, String(name))) }
      : {}),
  };
};
