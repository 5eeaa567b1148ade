import type { JsonSchema } from "@postern/core/parts";
import { branchesOf, type Described, propertiesOf, referenced } from "../json-schema/json-schema.ts";
import { filterName } from "../operations/query-list.ts";
import type { Omitted } from "./convert-data.ts";
import { type DataEffects, markUnknown, nameDown, nameUp, resourceOf, unmark } from "./effects.ts";
import { filterDown, filterUp, isOrderedByBoth } from "./filter-values.ts";
import { subjectOf } from "./subject.ts";
import type { MemberEffect } from "./version.ts";

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

/**
 * What one change means for names: its effects, and the answer of the operation before and after
 * it.
 */
export interface NamesStep {
  readonly effects: DataEffects;
  readonly answer: { readonly newer: Described; readonly older: Described } | undefined;
}

const effectsOn = ({ members }: DataEffects, kind: string | undefined): readonly MemberEffect[] =>
  members.get(kind ?? "") ?? [];

/** The changes of a step to the rows that the operation answers. */
const onSubject = ({ answer, effects }: NamesStep): readonly MemberEffect[] =>
  answer === undefined ? [] : effectsOn(effects, resourceOf(subjectOf(answer.older).schema));

/**
 * Translates a name through the steps, oldest first. A name that one of the versions on the way
 * does not have stays as the caller wrote it.
 */
const nameThrough = (
  steps: readonly NamesStep[],
  effectsOf: (step: NamesStep) => readonly MemberEffect[],
  name: string,
): { readonly name: string } | { readonly gone: MemberEffect } => {
  let current = name;
  for (const step of steps) {
    const up = nameUp(effectsOf(step), current);
    if (up === "unknown") return { name: markUnknown(name) };
    if ("gone" in up) return up;
    current = up.name;
  }
  return { name: current };
};

const known = (up: ReturnType<typeof nameThrough>, name: string): string =>
  "gone" in up ? markUnknown(name) : up.name;

/** `author.posts`: each part is a name in the row that the part before leads to. */
const pathThrough = (steps: readonly NamesStep[], path: string): string => {
  const parts = path.split(".");
  const up = parts.map((part, index) => {
    const row = (step: NamesStep): readonly MemberEffect[] => {
      if (step.answer === undefined) return [];
      const subject = parts.slice(0, index).reduce(relatedTo, subjectOf(step.answer.older));
      return effectsOn(step.effects, resourceOf(subject.schema));
    };
    return nameThrough(steps, row, part);
  });
  // Relations keep their names from version to version: the parts before one are the same in each.
  return up.every((one) => "name" in one)
    ? up.map((one, index) => known(one, parts[index] ?? "")).join(".")
    : markUnknown(path);
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
    } else if (name === "sort") {
      add(
        name,
        eachOf(value, (key) => sortKeyThrough(steps, key)),
      );
    } else if (name === "include") {
      add(
        name,
        eachOf(value, (path) => pathThrough(steps, path)),
      );
    } else if (name === "fields" || kind !== undefined) {
      const effectsOf = kind === undefined ? onSubject : ({ effects }: NamesStep) => effectsOn(effects, kind);
      const selected = fieldsThrough(steps, effectsOf, value);
      add(name, selected.names.length === 0 ? "id" : selected.names.join(","));
      if (selected.names.length === 0) ids.add(kind ?? "");
      if (kind === undefined) root = selected.omitted;
      else included.set(kind, selected.omitted);
    } else add(name, value);
  }
  return { query: up, selection: { ...(root === undefined ? {} : { root }), included, ids } };
};

const eachOf = (value: string, translate: (name: string) => string): string =>
  value.split(",").map(translate).join(",");

const fieldsThrough = (
  steps: readonly NamesStep[],
  effectsOf: (step: NamesStep) => readonly MemberEffect[],
  value: string,
): { readonly names: readonly string[]; readonly omitted: ReadonlySet<MemberEffect> } => {
  const omitted = new Set(steps.flatMap(effectsOf).filter(({ newer }) => newer === undefined));
  const names = value.split(",").flatMap((given) => {
    const name = given.trim();
    const up = nameThrough(steps, effectsOf, name);
    if ("name" in up) return [up.name];
    omitted.delete(up.gone);
    return [];
  });
  return { names, omitted };
};

const sortKeyThrough = (steps: readonly NamesStep[], key: string): string => {
  const [sign, name] = key.startsWith("-") ? ["-", key.slice(1)] : ["", key];
  const up = nameThrough(steps, onSubject, name);
  return sign + (sortsAlike(steps, name) ? known(up, name) : markUnknown(name));
};

/**
 * Whether sorting by this member in the newest version gives the order that the older version
 * shows.
 */
const sortsAlike = (steps: readonly NamesStep[], name: string): boolean => {
  let current = name;
  return steps.every((step) => {
    const effect = onSubject(step).find(({ older }) => older === current);
    if (effect === undefined || step.answer === undefined) return true;
    current = effect.newer ?? current;
    return effect.converts !== true || isOrderedByBoth(step.answer, effect);
  });
};

interface FilterUse {
  readonly parameter: string;
  readonly field: string;
  /** Absent for `eq`. */
  readonly op: string | undefined;
  readonly value: string;
}

const filterThrough = (
  steps: readonly NamesStep[],
  given: FilterUse,
): { readonly parameter: string; readonly value: string } => {
  let current = given;
  const refused = {
    parameter: `filter[${markUnknown(given.field)}]${given.op === undefined ? "" : `[${given.op}]`}`,
    value: given.value,
  };
  for (const step of steps) {
    const own = onSubject(step);
    const up = nameUp(own, current.field);
    if (up === "unknown" || "gone" in up) return refused;
    const effect = own.find(({ older }) => older === current.field);
    if (effect?.converts === true && step.answer !== undefined) {
      const converted = filterUp(step.answer, effect, current, given.parameter);
      if (converted === undefined) return refused;
      current = { ...current, ...converted };
    }
    current = { ...current, field: up.name };
  }
  return {
    parameter: `filter[${current.field}]${current.op === undefined ? "" : `[${current.op}]`}`,
    value: current.value,
  };
};

/**
 * The older version's name of a newer parameter; `undefined` if the older version does not have it.
 */
export const parameterDown = (step: NamesStep, name: string): string | undefined => {
  const filter = filterName.exec(name);
  if (filter === null) return name;
  const effect = onSubject(step).find(({ newer }) => newer === filter[1]);
  if (effect?.converts === true && step.answer !== undefined && !filterDown(step.answer, effect, filter[2])) {
    return undefined;
  }
  return renamedParameter(onSubject(step), name);
};

/** The same for the parameter of an error. It keeps its name if the older version has none. */
export const renamedParameter = (own: readonly MemberEffect[], name: string): string =>
  name.replace(/^filter\[([^\]]*)\]/, (_all, field: string) => `filter[${nameDown(own, field)}]`);

/** The older version's names that lists can be sorted by, without those that it cannot sort by. */
export const sortNamesThrough = (names: readonly string[], step: NamesStep): readonly string[] =>
  names.map((name) => nameDown(onSubject(step), name)).filter((name) => sortsAlike([step], name));

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
  const own = kind === undefined ? onSubject(step) : effectsOn(step.effects, kind);
  return own.length === 0 ? text : withQuotedNames(text, (name) => nameOrFilterDown(own, name));
};

/**
 * The description of a parameter in the older version's names. Its list of fields has only those by
 * which that version sorts.
 */
export const descriptionDown = (step: NamesStep, text: string): string => {
  return textDown(step, text).replace(/(?<=\bFields: )[\w, ]+/, (names) =>
    sortNamesThrough(names.split(", "), step).join(", "),
  );
};

/** The resource whose fields a parameter names: `fields[comments]`. */
export const kindOf = (parameters: ReadonlyMap<string, JsonSchema>, parameter: string): string | undefined =>
  resourceOf(parameters.get(unmark(parameter)) ?? {});
