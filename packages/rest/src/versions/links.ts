import { isObject } from "@postern/core/internal";
import { type Described, propertiesOf } from "../json-schema/json-schema.ts";
import type { OperationAnswer } from "../operations/operation.ts";
import type { OperationEffect } from "./version.ts";
import { guided, type Step } from "./walk.ts";

/** The paths that one change moved. */
export type MovedPaths = readonly NonNullable<OperationEffect["path"]>[];

/** Headers that say where something is. */
const linking = ["location", "content-location"];

/**
 * The headers of an answer, with links to the places that things have in the older version. `moved`
 * lists the changes, newest first.
 */
export const linksDown = (
  headers: NonNullable<OperationAnswer["headers"]>,
  moved: readonly MovedPaths[],
): OperationAnswer["headers"] => {
  const told = linking.flatMap((name) => {
    const target = headers[name];
    return target === undefined ? [] : [[name, moved.reduce(linkDown, target)]];
  });
  return { ...headers, ...Object.fromEntries(told) };
};

/**
 * Changes the links inside the body of an answer: included lists say where the list itself is.
 * `undefined` if there are none to change.
 */
export const linksInside = (answer: Described, moved: readonly MovedPaths[]): Step<undefined> | undefined => {
  if (moved.length === 0) return undefined;
  return guided<undefined>(answer, (schema, members) => {
    const properties = propertiesOf(schema);
    const isIncludedList = ["data", "page", "link"].every((name) => properties.has(name));
    if (!isIncludedList && members.size === 0) return undefined;
    return (value, context) => {
      if (!isObject(value)) return value;
      return Object.fromEntries(
        Object.entries(value).map(([name, member]): [string, unknown] => {
          if (isIncludedList && name === "link") return [name, moved.reduce(linkDown, String(member))];
          const step = members.get(name);
          return [name, step === undefined ? member : step(member, context)];
        }),
      );
    };
  });
};

const linkDown = (target: string, paths: MovedPaths): string => {
  for (const path of paths) {
    const moved = movedTo(target, path);
    if (moved !== undefined) return moved;
  }
  return target;
};

/**
 * Converts a path after the base, whatever the base is, that fits the newer template to one of the
 * older template.
 */
const movedTo = (target: string, { older, newer }: MovedPaths[number]): string | undefined => {
  const names = [...newer.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
  const template = newer.replaceAll(/\{\w+\}/g, "([^/?]+)");
  const found = new RegExp(`^((?:/[^/?]+)*?/api(?:/v\\d+)?)${template}(?=$|\\?)`).exec(target);
  if (found === null) return undefined;
  const [all, base, ...values] = found;
  const path = names.reduce((filled, name, index) => filled.replace(`{${name}}`, () => values[index] ?? ""), older);
  return `${base}${path}${target.slice(all.length)}`;
};
