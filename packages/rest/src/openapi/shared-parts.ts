import { isObject } from "@postern/core/parts";
import { marks } from "../json-schema/json-schema.ts";
import { finish, type Steps } from "../limits/steps.ts";
import { componentNames } from "./component-names.ts";
import { objectIn, type Part } from "./document-parts.ts";
import { sharedSchemas, writtenOutSchemas } from "./shared-schemas.ts";

type Kind = "parameters" | "responses";

const prefixOf = (kind: Kind): string => `#/components/${kind}/`;

/** Copies a document, with each operation as `change` returns it. */
const withOperations = (document: Part, change: (operation: Part) => Part): Part => ({
  ...document,
  paths: Object.fromEntries(
    Object.entries(objectIn(document, "paths")).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(objectIn(methods)).map(([method, operation]) => [
          method,
          isObject(operation) ? change(operation) : operation,
        ]),
      ),
    ]),
  ),
});

/** Copies an operation, with each of its parameters and responses as `change` returns it. */
const withParts = (operation: Part, change: (kind: Kind, part: Part, name: string) => Part): Part => ({
  ...operation,
  ...(Array.isArray(operation.parameters)
    ? {
        parameters: operation.parameters.map((part: unknown) =>
          isObject(part) ? change("parameters", part, String(part.name)) : part,
        ),
      }
    : {}),
  ...(isObject(operation.responses)
    ? {
        responses: Object.fromEntries(
          Object.entries(operation.responses).map(([status, part]) => [
            status,
            isObject(part) ? change("responses", part, status) : part,
          ]),
        ),
      }
    : {}),
});

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
  (
    String(text)
      .toLowerCase()
      .match(/[a-z]+/g) ?? []
  )
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

const createCollection = (kind: Kind) => {
  const parts = new Map<string, UsedPart>();
  let names: ReadonlyMap<string, string> = new Map();
  return {
    add: (part: Part, name: string): void => {
      const content = JSON.stringify(unmarked(part));
      const known = parts.get(content);
      const wanted = wantedName(kind, part, name);
      if (known === undefined) {
        parts.set(content, { part: unmarked(part), wanted: new Set([wanted]), common: name, uses: 1 });
        return;
      }
      known.uses += 1;
      known.wanted.add(wanted);
    },
    /** Names the parts that several operations share. */
    close: (): void => {
      const shared = [...parts].filter(([, { uses }]) => uses > 1);
      names = componentNames(
        shared.map(([content, { wanted, common, uses }]) => {
          const [only = common, ...others] = wanted;
          return { content, wanted: others.length === 0 ? only : common, uses };
        }),
      );
    },
    /** A reference to the part if it has a name; otherwise the part itself. */
    referenceTo: (part: Part): Part => {
      const plain = unmarked(part);
      const name = names.get(JSON.stringify(plain));
      return name === undefined ? plain : { $ref: prefixOf(kind) + name };
    },
    components: (): Part =>
      Object.fromEntries(
        [...names]
          .map(([content, name]): readonly [string, Part | undefined] => [name, parts.get(content)?.part])
          .toSorted(([left], [right]) => (left < right ? -1 : 1)),
      ),
  };
};

const unmarked = (part: Part): Part => {
  const { [marks.part]: _name, ...rest } = part;
  return rest;
};

/**
 * The same document, in which everything that several operations share is written only once, in the
 * components: parameters, responses, the members of rows, texts with patterns. This halves the
 * document. `writtenOut` undoes it.
 */
export const sharedParts = (document: Part): Part => finish(sharedPartsSteps(document));

/** The same in steps, so that a server answers requests in between. */
export function* sharedPartsSteps(document: Part): Steps<Part> {
  const collections = { parameters: createCollection("parameters"), responses: createCollection("responses") };
  withOperations(document, (operation) =>
    withParts(operation, (kind, part, name) => {
      if (!("$ref" in part)) collections[kind].add(part, name);
      return part;
    }),
  );
  for (const collection of Object.values(collections)) collection.close();
  yield;
  const shared = withOperations(document, (operation) =>
    withParts(operation, (kind, part) => ("$ref" in part ? part : collections[kind].referenceTo(part))),
  );
  const components = objectIn(document, "components");
  const merged = (kind: Kind): Part => ({ ...objectIn(components, kind), ...collections[kind].components() });
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
export const writtenOut = (document: Part): Part => finish(writtenOutSteps(document));

/** The same in steps, so that a server answers requests in between. */
export function* writtenOutSteps(document: Part): Steps<Part> {
  const components = objectIn(document, "components");
  const unfolded = withOperations(document, (operation) =>
    withParts(operation, (kind, part) => {
      const prefix = prefixOf(kind);
      if (typeof part.$ref !== "string" || !part.$ref.startsWith(prefix)) return unmarked(part);
      const found = objectIn(components, kind)[part.$ref.slice(prefix.length)];
      return isObject(found) ? found : part;
    }),
  );
  yield;
  return yield* writtenOutSchemas(unfolded);
}
