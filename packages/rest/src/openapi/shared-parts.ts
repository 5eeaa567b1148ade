import { isObject } from "@postern/core/parts";

type Part = Readonly<Record<string, unknown>>;

/** The kinds of parts that operations refer to. */
type Kind = "parameters" | "responses";

const prefixOf = (kind: Kind): string => `#/components/${kind}/`;

const objectIn = (part: unknown, name: string): Part => {
  const found = isObject(part) ? part[name] : undefined;
  return isObject(found) ? found : {};
};

/** Copies a document, with each operation as `change` returns it. */
const withOperations = (document: Part, change: (operation: Part) => Part): Part => ({
  ...document,
  paths: Object.fromEntries(
    Object.entries(objectIn(document, "paths")).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(isObject(methods) ? methods : {}).map(([method, operation]) => [
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
            isObject(part) ? change("responses", part, `status_${status}`) : part,
          ]),
        ),
      }
    : {}),
});

interface UsedPart {
  readonly part: Part;
  /** Names for it, the best first; the last one is unique. */
  readonly names: readonly string[];
  uses: number;
}

/** `filter[status][in]` as the name of a component can be written. */
const plainName = (name: string): string => name.replaceAll(/[^\w.-]+/g, "_").replace(/_$/, "");

/** Collects equal parts. Different parts with the same name are named by the first operation that has them. */
const createCollection = (kind: Kind) => {
  const parts = new Map<string, UsedPart>();
  const named = new Map<string, { readonly name: string; readonly part: Part }>();
  return {
    add: (part: Part, name: string, { operationId, tags }: Part): void => {
      const key = JSON.stringify(part);
      const known = parts.get(key);
      const tag = Array.isArray(tags) ? String(tags[0]) : "";
      const names = [name, `${name}_${tag}`, `${name}_${operationId}`].map(plainName);
      if (known === undefined) parts.set(key, { part, names, uses: 1 });
      else known.uses += 1;
    },
    /** Names what several operations have. */
    close: (): void => {
      const taken = new Set<string>();
      for (const [key, { part, names, uses }] of parts) {
        if (uses === 1) continue;
        const name = names.find((one) => !taken.has(one)) ?? key;
        taken.add(name);
        named.set(key, { name, part });
      }
    },
    /** A reference to the part if it has a name; otherwise the part itself. */
    referenceTo: (part: Part): Part => {
      const known = named.get(JSON.stringify(part));
      return known === undefined ? part : { $ref: prefixOf(kind) + known.name };
    },
    components: (): Part => Object.fromEntries([...named.values()].map(({ name, part }) => [name, part])),
  };
};

/**
 * The same document with each parameter and response that several operations have written once, in
 * its components. This halves the document.
 */
export const sharedParts = (document: Part): Part => {
  const collections = { parameters: createCollection("parameters"), responses: createCollection("responses") };
  withOperations(document, (operation) =>
    withParts(operation, (kind, part, name) => {
      if (!("$ref" in part)) collections[kind].add(part, name, operation);
      return part;
    }),
  );
  for (const collection of Object.values(collections)) collection.close();
  const shared = withOperations(document, (operation) =>
    withParts(operation, (kind, part) => collections[kind].referenceTo(part)),
  );
  const components = objectIn(document, "components");
  const merged = (kind: Kind): Part => ({ ...objectIn(components, kind), ...collections[kind].components() });
  return {
    ...shared,
    components: { ...components, parameters: merged("parameters"), responses: merged("responses") },
  };
};

/**
 * The same document with parameters and responses written out in each operation, for code that
 * compares or shows operations.
 */
export const writtenOut = (document: Part): Part => {
  const components = objectIn(document, "components");
  return withOperations(document, (operation) =>
    withParts(operation, (kind, part) => {
      const prefix = prefixOf(kind);
      if (typeof part.$ref !== "string" || !part.$ref.startsWith(prefix)) return part;
      const found = objectIn(components, kind)[part.$ref.slice(prefix.length)];
      return isObject(found) ? found : part;
    }),
  );
};
