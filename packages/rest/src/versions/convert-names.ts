import type { JsonSchema } from "@postern/core";
import {
  branchesOf,
  type Described,
  propertiesOf,
  referenced,
  resourceOf,
  subjectOf,
} from "../json-schema/json-schema.ts";
import { filterName } from "../operations/query-list.ts";
import type { Omitted } from "./convert-data.ts";
import { effectsOn, type Forms, markUnknown, memberEffects, nameDown, nameUp, unmark } from "./effects.ts";
import { type Filter, filterDown, filterUp, isOrderedByBoth } from "./filter-values.ts";
import type { MemberEffect, VersionChange } from "./version.ts";

const quotes = ['"', "`"] as const;

/**
 * Returns the text with each name in quotes (`"title"`, `` `-title` ``) as `translate` returns it.
 * A quoted text that `translate` does not know stays as it is, like everything else.
 */
const withQuotedNames = (text: string, translate: (name: string) => string): string =>
  quotes.reduce((told, quote) => {
    const parts = told.split(quote);
    // The last part comes after the last quote, which may have no partner.
    const last = parts.length - 1;
    return parts.map((part, index) => (index > 0 && index < last ? signed(part, translate) : part)).join(quote);
  }, text);

/** A key of `sort` may have a sign in front. */
const signed = (name: string, translate: (name: string) => string): string =>
  name.startsWith("-") ? `-${translate(name.slice(1))}` : translate(name);

/** The schema of an included relation: of the row or the list of rows under this name. */
const relatedTo = (subject: Described, relation: string): Described => {
  const schema: JsonSchema = propertiesOf(subject.schema).get(relation) ?? {};
  const { components } = subject;
  const branch = branchesOf(schema).find((one) => referenced(one) !== undefined);
  return subjectOf({ schema: branch ?? schema, components });
};

/** What one change means for names. */
export interface NamesStep {
  readonly change: VersionChange;
  /** The answer of the operation. */
  readonly answer: Forms | undefined;
  /** Its effects on the rows that the operation answers. */
  readonly own: readonly MemberEffect[];
}

type EffectsOf = (step: NamesStep) => readonly MemberEffect[];

const ofAnswer: EffectsOf = ({ own }) => own;

const ofKind =
  (kind: string): EffectsOf =>
  ({ change }) =>
    memberEffects(change).filter(({ resource }) => resource === kind);

/**
 * Translates a name through the steps, oldest first. A name that one of the versions on the way
 * does not have stays as the caller wrote it, with a mark. `gone` is the member that it means, if a
 * newer version does not have that any more.
 */
const nameThrough = (
  steps: readonly NamesStep[],
  effectsOf: EffectsOf,
  name: string,
): { readonly name: string; readonly gone?: MemberEffect | undefined } => {
  let current = name;
  for (const step of steps) {
    const up = nameUp(effectsOf(step), current);
    if (up.name === undefined) return { name: markUnknown(name), gone: up.effect };
    current = up.name;
  }
  return { name: current };
};

/** `author.posts`: each part is a name in the row that the part before leads to. */
const pathThrough = (steps: readonly NamesStep[], path: string): string => {
  const parts = path.split(".");
  const up = parts.map((part, index) => {
    const row: EffectsOf = ({ change, answer }) =>
      answer === undefined
        ? []
        : effectsOn(change, parts.slice(0, index).reduce(relatedTo, subjectOf(answer.older)).schema);
    return nameThrough(steps, row, part);
  });
  // Relations keep their names from version to version: the parts before one are the same in each.
  return up.some(({ gone }) => gone !== undefined) ? markUnknown(path) : up.map(({ name }) => name).join(".");
};

/**
 * A query in the newest version's names, and its selections of members that the newest version does
 * not have.
 */
export interface QueryUp {
  readonly query: ReadonlyMap<string, string>;
  readonly selection: Omitted;
}

/**
 * The query parameters and the names in them as the newest version has them. `steps` are the
 * changes, oldest first; `parameters` are the schemas of the query parameters: a parameter that
 * names fields of a resource bears the mark of that resource.
 * @throws AppError `invalid_filter` for a filter value that the older version does not take.
 */
export const queryUp = (
  steps: readonly NamesStep[],
  parameters: ReadonlyMap<string, JsonSchema>,
  query: ReadonlyMap<string, string>,
): QueryUp => {
  const up = new Map<string, string>();
  const included = new Map<string, ReadonlySet<MemberEffect>>();
  const ids = new Set<string>();
  let root: ReadonlySet<MemberEffect> | undefined;
  const add = (name: string, value: string): void => {
    // Two filters of the older version can become one in the newest. The second must not replace
    // the first.
    up.set(up.has(name) ? markUnknown(name) : name, value);
  };
  for (const [name, value] of query) {
    const filter = filterName.exec(name);
    const kind = name.startsWith("fields[") ? resourceOf(parameters.get(name) ?? {}) : undefined;
    if (filter !== null) {
      const translated = filterThrough(steps, { field: filter[1] ?? "", op: filter[2], parameter: name, value });
      add(translated.parameter, translated.value);
    } else if (name === "sort" || name === "include") {
      const through = name === "sort" ? sortKeyThrough : pathThrough;
      const names = value.split(",").map((one) => through(steps, one));
      add(name, names.join(","));
    } else if (name === "fields" || kind !== undefined) {
      const selected = fieldsThrough(steps, kind === undefined ? ofAnswer : ofKind(kind), value);
      add(name, selected.names.length === 0 ? "id" : selected.names.join(","));
      if (selected.names.length === 0) ids.add(kind ?? "");
      if (kind === undefined) root = selected.omitted;
      else included.set(kind, selected.omitted);
    } else add(name, value);
  }
  return { query: up, selection: { ...(root === undefined ? {} : { root }), included, ids } };
};

const fieldsThrough = (
  steps: readonly NamesStep[],
  effectsOf: EffectsOf,
  value: string,
): { readonly names: readonly string[]; readonly omitted: ReadonlySet<MemberEffect> } => {
  const omitted = new Set(steps.flatMap(effectsOf).filter(({ newer }) => newer === undefined));
  const names = value.split(",").flatMap((given) => {
    const { name, gone } = nameThrough(steps, effectsOf, given.trim());
    if (gone === undefined) return [name];
    omitted.delete(gone);
    return [];
  });
  return { names, omitted };
};

const sortKeyThrough = (steps: readonly NamesStep[], key: string): string => {
  const [sign, name] = key.startsWith("-") ? ["-", key.slice(1)] : ["", key];
  return sign + (sortsAlike(steps, name) ? nameThrough(steps, ofAnswer, name).name : markUnknown(name));
};

/**
 * Whether sorting by this member in the newest version gives the order that the older version
 * shows.
 */
const sortsAlike = (steps: readonly NamesStep[], name: string): boolean => {
  let current = name;
  return steps.every(({ own, answer }) => {
    const effect = own.find(({ older }) => older === current);
    current = effect?.newer ?? current;
    return effect?.converts !== true || answer === undefined || isOrderedByBoth(answer, effect);
  });
};

interface FilterUse extends Filter {
  readonly parameter: string;
  readonly field: string;
}

/** The filter by its names in the newest version. */
const filterThrough = (
  steps: readonly NamesStep[],
  given: FilterUse,
): { readonly parameter: string; readonly value: string } => {
  const named = ({ field, op, value }: FilterUse) => ({
    parameter: `filter[${field}]${op === undefined ? "" : `[${op}]`}`,
    value,
  });
  const refused = named({ ...given, field: markUnknown(given.field) });
  let current = given;
  for (const { own, answer } of steps) {
    const { name, effect } = nameUp(own, current.field);
    if (name === undefined) return refused;
    const isConverted = effect?.converts === true && answer !== undefined;
    const converted = isConverted ? filterUp(answer, effect, current, given.parameter) : current;
    if (converted === undefined) return refused;
    current = { ...current, ...converted, field: name };
  }
  return named(current);
};

/**
 * The older version's name of a newer parameter; `undefined` if the older version does not have it.
 */
export const parameterDown = (step: NamesStep, name: string): string | undefined => {
  const filter = filterName.exec(name);
  if (filter === null) return name;
  const { own, answer } = step;
  const effect = own.find(({ newer }) => newer === filter[1]);
  const isThere = effect?.converts !== true || answer === undefined || filterDown(answer, effect, filter[2]);
  return isThere ? renamedParameter(own, name) : undefined;
};

/** The same for the parameter of an error. It keeps its name if the older version has none. */
export const renamedParameter = (own: readonly MemberEffect[], name: string): string =>
  name.replace(/^filter\[([^\]]*)\]/, (_all, field: string) => `filter[${nameDown(own, field)}]`);

/** The older version's names that lists can be sorted by, without those that it cannot sort by. */
export const sortNamesThrough = (names: readonly string[], step: NamesStep): readonly string[] =>
  names.map((name) => nameDown(step.own, name)).filter((name) => sortsAlike([step], name));

/** Codes of faults whose text names members. Other texts may quote values, which are no names. */
const namesMembers: ReadonlySet<string> = new Set([
  "unknown_field",
  "unknown_parameter",
  "invalid_sort",
  "invalid_filter",
  "invalid_include",
  "not_included",
  "too_many",
]);

export const isAboutNames = (code: string): boolean => namesMembers.has(code);

const nameOrFilterDown = (own: readonly MemberEffect[], name: string): string =>
  name.startsWith("filter[") ? renamedParameter(own, name) : nameDown(own, name);

/**
 * Translates the names in a text to those of the older version. Names are in quotes (`"title"`, ``
 * `title` ``, `"filter[title]"`). Nothing else changes, and each name is translated once. A name
 * that the caller got wrong is marked, and stays as they wrote it.
 */
export const textDown = (step: NamesStep, text: string, kind?: string): string => {
  const own = kind === undefined ? step.own : ofKind(kind)(step);
  return own.length === 0 ? text : withQuotedNames(text, (name) => nameOrFilterDown(own, name));
};

/**
 * The description of a parameter in the older version's names. Its list of fields has only those by
 * which that version sorts.
 */
export const descriptionDown = (step: NamesStep, text: string): string =>
  textDown(step, text).replace(/(?<=\bFields: )[\w, ]+/, (names) =>
    sortNamesThrough(names.split(", "), step).join(", "),
  );

/** The resource whose fields a parameter names: `fields[comments]`. */
export const kindOf = (parameters: ReadonlyMap<string, JsonSchema>, parameter: string): string | undefined =>
  resourceOf(parameters.get(unmark(parameter)) ?? {});
