import { isObject } from "@postern/core/parts";

/** A part of an OpenAPI document. */
export type Part = Readonly<Record<string, unknown>>;

/** The object to which some members lead, one inside the other; an empty one if there is none. */
export const objectIn = (value: unknown, ...path: readonly string[]): Part =>
  path.reduce<Part>((at, name) => (isObject(at[name]) ? at[name] : {}), isObject(value) ? value : {});

/** The objects of a list; none if it is no list. */
export const listIn = (value: unknown): readonly Part[] => (Array.isArray(value) ? value.filter(isObject) : []);

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
