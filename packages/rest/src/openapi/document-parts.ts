import { isObject } from "@postern/core/internal";

/** A part of an OpenAPI document. */
export type Part = Readonly<Record<string, unknown>>;

/** The object to which some members lead, one inside the other; an empty one if there is none. */
export const objectIn = (value: unknown, ...path: readonly string[]): Part =>
  path.reduce<Part>((at, name) => (isObject(at[name]) ? at[name] : {}), isObject(value) ? value : {});

/** The objects of a list; none if it is no list. */
export const listIn = (value: unknown): readonly Part[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** A reference to a component. */
export const reference = (kind: string, name: string): { readonly $ref: string } => ({
  $ref: `#/components/${kind}/${name}`,
});

/** The names of the components of a kind that a part refers to. */
export const referredTo = (kind: "headers" | "schemas", part: unknown): ReadonlySet<string> =>
  new Set(
    Array.from(JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g), ([, of, name = ""]) =>
      of === kind ? name : "",
    ),
  );

/** The same members in the order of their names. */
export const sortedByName = <Value>(members: Iterable<readonly [string, Value]>): Readonly<Record<string, Value>> =>
  Object.fromEntries([...members].toSorted(([left], [right]) => (left < right ? -1 : 1)));

/** Copies an object, with each object in it as `change` returns it. */
export const mapMembers = (parts: unknown, change: (part: Part, name: string) => Part): Part =>
  Object.fromEntries(
    Object.entries(objectIn(parts)).map(([name, part]) => [name, isObject(part) ? change(part, name) : part]),
  );

/** These values if the condition holds; none otherwise. */
export const when = <const Value>(condition: boolean, ...values: readonly Value[]): readonly Value[] =>
  condition ? values : [];

/** An operation of a document, and where it is. */
export interface PlacedOperation {
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly operation: Part;
}

/** The operations of a document, in its order. */
export const operationsIn = (document: Part): readonly PlacedOperation[] =>
  Object.entries(objectIn(document, "paths")).flatMap(([path, methods]) =>
    Object.entries(objectIn(methods)).flatMap(([method, operation]) =>
      isObject(operation) ? [{ id: String(operation.operationId), method: method.toUpperCase(), path, operation }] : [],
    ),
  );
