import type { OptionRules } from "@postern/core";
import { oneOf, option, optionFaults, required, wholeNumber } from "@postern/core/internal";

const versionOptions: OptionRules = {
  id: required(option.aText),
  released: required(option.aDay),
  changes: required(option.aList),
  builtIn: wholeNumber(1),
};

const changeOptions: OptionRules = {
  id: required(option.aText),
  kind: required(oneOf("renamed", "removed", "changed")),
  title: required(option.aText),
  why: required(option.aText),
  migration: required(option.aText),
  effects: required(option.aList),
};

const listIn = (given: unknown, name: string): readonly unknown[] => {
  const list: unknown = Object(given)[name];
  return Array.isArray(list) ? list : [];
};

const nameIn = (given: unknown): string | undefined => {
  const id: unknown = Object(given).id;
  return typeof id === "string" ? id : undefined;
};

/**
 * What is wrong with a version's declaration by itself: with its options and those of its changes.
 */
export const versionShapeFaults = (version: unknown, index = 0): readonly string[] => {
  const name = nameIn(version);
  const place = name === undefined ? `versions[${index}]` : `version ${name}`;
  const changes = listIn(version, "changes").flatMap((change, number) => {
    const id = nameIn(change);
    const at = `${place}, ${id === undefined ? `changes[${number}]` : `change "${id}"`}`;
    const effects = listIn(change, "effects").flatMap((effect, which) =>
      option.anObject.is(effect) && "on" in Object(effect)
        ? []
        : [`${at}: effects[${which}] must be made with a function such as renameField or wrapLists`],
    );
    return [...optionFaults(at, change, changeOptions), ...effects];
  });
  return [...optionFaults(place, version, versionOptions), ...changes];
};
