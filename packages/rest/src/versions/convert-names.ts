import type { JsonSchema } from "@postern/core";
import { isObject } from "@postern/core/parts";
import { branchesOf, type Described, propertiesOf, referenced } from "../json-schema/json-schema.ts";
import { type DataEffects, isList, nameDown, nameUp, resourceOf } from "./effects.ts";
import type { MemberEffect } from "./version.ts";
import { resolved } from "./walk.ts";

/** The row schema that an answer is about: the answer itself, or the items of the list that it is, wrapped or bare. */
export const subjectOf = (described: Described): Described => {
  const schema = resolved(described);
  const { components } = described;
  const items = isList(schema) ? propertiesOf(schema).get("data")?.items : schema.items;
  return isObject(items) ? { schema: resolved({ schema: items, components }), components } : { schema, components };
};

/** The schema of what stands in a row under this name, where that is a row or a list of them: an included relation. */
const relatedTo = (subject: Described, relation: string): Described => {
  const schema: JsonSchema = propertiesOf(subject.schema).get(relation) ?? {};
  const { components } = subject;
  const branch = branchesOf(schema).find((one) => referenced(one) !== undefined);
  return subjectOf({ schema: branch ?? schema, components });
};

const effectsOf = ({ members }: DataEffects, subject: Described): readonly MemberEffect[] =>
  members.get(resourceOf(subject.schema) ?? "") ?? [];

type Translate = (effects: readonly MemberEffect[], name: string) => string | undefined;

/** `author.posts`: each step is a name in the row that the step before leads to. `subject` speaks the names that are translated. */
const translatePath = (
  subject: Described,
  effects: DataEffects,
  translate: Translate,
  path: string,
): string | undefined => {
  const [first = "", ...rest] = path.split(".");
  const name = translate(effectsOf(effects, subject), first);
  if (rest.length === 0 || name === undefined) return name;
  const further = translatePath(relatedTo(subject, first), effects, translate, rest.join("."));
  return further === undefined ? undefined : `${name}.${further}`;
};

const filterName = /^filter\[([^\]]*)\](.*)$/;

/** The name of a query parameter in the other version; `undefined` where that has none. */
const parameterName = (own: readonly MemberEffect[], translate: Translate, name: string): string | undefined => {
  const filter = filterName.exec(name);
  if (filter === null) return name;
  const field = translate(own, filter[1] ?? "");
  return field === undefined ? undefined : `filter[${field}]${filter[2]}`;
};

/** The answer of an operation and its query, in one version. */
export interface Naming {
  readonly answer: Described;
  /** The schemas of its query parameters, by name. One that names the fields of a kind of row bears that kind's mark. */
  readonly parameters: ReadonlyMap<string, JsonSchema>;
}

/** The query parameters as the newer version would have named them, and the names in them. `older` speaks the older version's. */
export const queryUp = (
  older: Naming,
  effects: DataEffects,
  query: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> => {
  const own = effectsOf(effects, subjectOf(older.answer));
  const up = new Map<string, string>();
  for (const [name, value] of query) {
    const newer = parameterName(own, nameUp, name);
    if (newer !== undefined) up.set(newer, valueUp(older, effects, name, value));
  }
  return up;
};

const valueUp = ({ answer, parameters }: Naming, effects: DataEffects, parameter: string, value: string): string => {
  const subject = subjectOf(answer);
  const own = effectsOf(effects, subject);
  const each = (translated: (name: string) => string | undefined): string =>
    value
      .split(",")
      .flatMap((name) => translated(name) ?? [])
      .join(",");
  if (parameter.startsWith("fields")) {
    const kind = resourceOf(parameters.get(parameter) ?? {});
    const named = kind === undefined ? own : (effects.members.get(kind) ?? []);
    // A selection of nothing but what is gone is a selection all the same.
    return each((name) => nameUp(named, name)) || (value === "" ? "" : "id");
  }
  if (parameter === "sort") {
    return each((key) => (key.startsWith("-") ? `-${nameUp(own, key.slice(1))}` : nameUp(own, key)));
  }
  return parameter === "include" ? each((path) => translatePath(subject, effects, nameUp, path)) : value;
};

/** Members that only the older version has and that the caller's `fields` leave out. */
export const omittedBy = (
  older: Described,
  effects: DataEffects,
  query: ReadonlyMap<string, string>,
): readonly MemberEffect[] => {
  const selected = query.get("fields")?.split(",");
  if (selected === undefined) return [];
  return effectsOf(effects, subjectOf(older)).filter(
    (effect) => effect.newer === undefined && !selected.includes(effect.older),
  );
};

/** A newer parameter's name as the older version has it. */
export const parameterDown = (newer: Described, effects: DataEffects, name: string): string =>
  parameterName(effectsOf(effects, subjectOf(newer)), nameDown, name) ?? name;

/** A text in which members are named, with the names of the older version. What the caller named wrongly stays as they put it. */
export const textDown = (newer: Described, effects: DataEffects, text: string): string => {
  const { schema } = subjectOf(newer);
  const own = effects.members.get(resourceOf(schema) ?? "") ?? [];
  return own.reduce(
    (told, { older, newer: name }) =>
      name === undefined ? told : told.replaceAll(new RegExp(`\\b${name}\\b(?!\u{FFFF})`, "gu"), older),
    text,
  );
};
