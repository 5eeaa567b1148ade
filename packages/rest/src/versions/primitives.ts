import type { JsonSchema } from "@postern/core";
import { isObject } from "@postern/core/internal";
import type { z } from "zod";
import { describeSchema, propertiesOf } from "../json-schema/json-schema.ts";
import type { Operation } from "../operations/operation.ts";
import { isOwnOperation, type OwnOperation } from "../own-operations/own-operation.ts";
import type { ListEffect, MemberEffect, OperationEffect } from "./version.ts";

/** What an effect does to a value that is the same in both versions. */
const unchanged = {
  schemaDown: (newer: JsonSchema) => newer,
  down: (value: unknown) => value,
  up: (value: unknown) => value,
  placeDown: (inside: readonly string[]) => inside,
};

/** The newer version calls a member `to`; it was `from`. Nothing else about it has changed. */
export const renameField = (field: {
  readonly resource: string;
  readonly from: string;
  readonly to: string;
}): MemberEffect => ({
  on: "member",
  resource: field.resource,
  older: field.from,
  newer: field.to,
  ...unchanged,
});

/**
 * The newer version has `to` in the place of `from`, in another form. `up` is called only with
 * values that satisfy the older schema. It need not restore everything that `down` removed: a value
 * that a caller sends back unchanged stays as it is stored.
 *
 * The older version filters by its own values. A filter looks for the result of `up` or, if the
 * newer values are a closed set, for each of them that `down` turns into the wanted value. `lt`,
 * `gt` and sorting stay where both forms are numbers, or both are days or moments; `down` must then
 * keep their order. Every other operator but `eq`, `ne`, `in`, `nin` and `null` is refused.
 */
export const replaceField = (field: {
  readonly resource: string;
  readonly from: string;
  /** The same name as `from` if only the form changed. */
  readonly to: string;
  readonly schemaDown: (newer: JsonSchema) => JsonSchema;
  readonly down: (value: unknown) => unknown;
  readonly up: (value: unknown) => unknown;
}): MemberEffect => ({
  on: "member",
  resource: field.resource,
  older: field.from,
  newer: field.to,
  schemaDown: field.schemaDown,
  down: field.down,
  up: field.up,
  converts: true,
  placeDown: () => [],
});

/** The newer version has an object `into`. Its member `as` holds what was the value of `from`. */
export const nestField = (field: {
  readonly resource: string;
  readonly from: string;
  readonly into: string;
  readonly as: string;
}): MemberEffect => ({
  on: "member",
  resource: field.resource,
  older: field.from,
  newer: field.into,
  within: field.as,
  schemaDown: (newer) => {
    const member = propertiesOf(newer).get(field.as);
    if (member === undefined) throw new TypeError(`${field.resource}.${field.into} has no member "${field.as}"`);
    return member;
  },
  down: (value) => (isObject(value) ? value[field.as] : value),
  up: (value) => ({ [field.as]: value }),
  placeDown: ([first, ...rest]) => (first === field.as ? rest : []),
});

/**
 * The newer version does not have this member any more. The older version still answers `value`,
 * and accepts the member without effect.
 */
export const removeField = (field: {
  readonly resource: string;
  readonly field: string;
  readonly schema: z.ZodType;
  readonly value: unknown;
}): MemberEffect => ({
  on: "member",
  resource: field.resource,
  older: field.field,
  ...unchanged,
  schemaDown: () => describeSchema(field.schema, "output").schema,
  down: () => field.value,
});

/**
 * The newer version has a path at another place. Every operation on it has moved, and links to it
 * in answers follow.
 */
export const renameEndpoint = ({ from, to }: { readonly from: string; readonly to: string }): OperationEffect => {
  if (parametersOf(from) !== parametersOf(to)) {
    throw new TypeError(`the paths ${from} and ${to} must have the same parameters`);
  }
  return {
    on: "operations",
    down: (operation) => (operation.path === to ? { ...operation, path: from } : operation),
    path: { older: from, newer: to },
  };
};

const parametersOf = (path: string): string => [...path.matchAll(/\{\w+\}/g)].map(String).toSorted().join();

/**
 * The newer version does not have this operation any more. The older version still answers it, with
 * the `handle` given here, from the data of today.
 */
export const removeEndpoint = (operation: Operation | OwnOperation): OperationEffect =>
  isOwnOperation(operation)
    ? { on: "operations", restoredOwn: [operation] }
    : { on: "operations", restored: [operation as Operation] };

/** The newer version requires a header that the older one only accepts. */
export const requireHeader = (header: "if-match"): OperationEffect => ({
  on: "operations",
  required: header,
  down: ({ requiresIfMatch: _demanded, ...without }) => without,
});

/**
 * The newer version answers every list as `{ data, page }`. The older one answers the bare array,
 * with links to the neighbours in `Link` and the total, if requested, in `X-Total-Count`. Lists
 * that are included in a row are objects in both, because they have no headers to page by.
 */
export const wrapLists = (): ListEffect => ({ on: "lists" });
