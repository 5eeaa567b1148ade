import { marks } from "../json-schema/json-schema.ts";
import { finish, type Steps } from "../limits/steps.ts";
import { componentNames } from "./component-names.ts";
import { listIn, mapMembers, objectIn, type Part, reference, sortedByName } from "./document-parts.ts";
import { sharedSchemas, writtenOutSchemas } from "./shared-schemas.ts";

type Kind = "parameters" | "responses";

/** Copies a document, with each parameter and response of its operations as `change` returns it. */
const mapUses = (document: Part, change: (kind: Kind, part: Part, name: string) => Part): Part => {
  const inOperation = (operation: Part): Part => ({
    ...operation,
    parameters: listIn(operation.parameters).map((part) => change("parameters", part, String(part.name))),
    responses: mapMembers(operation.responses, (part, status) => change("responses", part, status)),
  });
  return { ...document, paths: mapMembers(document.paths, (methods) => mapMembers(methods, inOperation)) };
};

interface UsedPart {
  readonly part: Part;
  /** The names that operations suggest for it. */
  readonly wanted: Set<string>;
  /** Its name if they suggest different ones. */
  readonly common: string;
  uses: number;
}

/** The first words of a sentence: `It is gone.` is `it_is_gone`. */
const firstWords = (text: unknown): string =>
  [
    ...String(text)
      .toLowerCase()
      .matchAll(/[a-z]+/g),
  ]
    .slice(0, 4)
    .join("_");

/**
 * The name that a part suggests: its own mark, the name of a parameter, or the status of an answer
 * with its first words.
 */
const wantedName = (kind: Kind, part: Part, name: string): string => {
  const { [marks.part]: own } = part;
  if (typeof own === "string") return own;
  return kind === "parameters" ? name : `${name}_${firstWords(part.description)}`;
};

const unmarked = ({ [marks.part]: _name, ...part }: Part): Part => part;

/** The names of the parts that several operations have, by the content of the parts. */
const namesOf = (parts: ReadonlyMap<string, UsedPart>): ReadonlyMap<string, string> =>
  componentNames(
    [...parts].flatMap(([content, { wanted, common, uses }]) => {
      const [only = common, ...others] = wanted;
      return uses === 1 ? [] : [{ content, wanted: others.length === 0 ? only : common, uses }];
    }),
  );

/**
 * The same document, in which everything that several operations share is written only once, in the
 * components: parameters, responses, the members of rows, texts with patterns. This halves the
 * document. `writtenOut` undoes it.
 */
export const sharedParts = (document: Part): Part => finish(sharedPartsSteps(document));

/** The same in steps, so that a server answers requests in between. */
export function* sharedPartsSteps(document: Part): Steps<Part> {
  const used = { parameters: new Map<string, UsedPart>(), responses: new Map<string, UsedPart>() };
  mapUses(document, (kind, marked, name) => {
    const part = unmarked(marked);
    const content = JSON.stringify(part);
    const known = used[kind].get(content) ?? { part, wanted: new Set(), common: name, uses: 0 };
    known.wanted.add(wantedName(kind, marked, name));
    known.uses += 1;
    if (!("$ref" in part)) used[kind].set(content, known);
    return part;
  });
  const names = { parameters: namesOf(used.parameters), responses: namesOf(used.responses) };
  yield;
  const shared = mapUses(document, (kind, marked) => {
    const part = unmarked(marked);
    const name = names[kind].get(JSON.stringify(part));
    return name === undefined ? part : reference(kind, name);
  });
  const components = objectIn(document, "components");
  const merged = (kind: Kind): Part => {
    const made = [...names[kind]].map(([content, name]) => [name, used[kind].get(content)?.part] as const);
    return { ...objectIn(components, kind), ...sortedByName(made) };
  };
  yield;
  return yield* sharedSchemas({
    ...shared,
    components: { ...components, parameters: merged("parameters"), responses: merged("responses") },
  });
}

/**
 * The same document with parameters, responses and schemas written out where they are used, for
 * code that compares or shows operations. Two documents that differ only in what they share are
 * equal then. Rows keep their names.
 */
export const writtenOut = (document: Part): Part =>
  writtenOutSchemas(
    mapUses(document, (kind, part) => {
      const [, name] = String(part.$ref).split(reference(kind, "").$ref);
      return name === undefined ? unmarked(part) : objectIn(document, "components", kind, name);
    }),
  );
