import type { FieldValue, Resource, Row } from "@postern/core";
import { type FieldKind, inNfc, jsonFault } from "@postern/core/parts";
import { fieldOf } from "../condition-to-sql.ts";
import type { Value } from "../database.ts";

/** A row as the driver returns it. */
export type StoredRow = Record<string, FieldValue>;

/**
 * The value of a field as its column stores it.
 * @throws TypeError for a value that no field can have, such as `undefined`, or that would not come
 *   back from JSON as it is, such as a `Date` inside an object.
 */
export const toColumn = (resource: Resource, name: string, value: FieldValue | undefined): Value => {
  if (typeof value === "string") return inNfc(fieldOf(resource, name), value);
  if (value === null || typeof value === "number") return value;
  if (typeof value === "boolean" && fieldOf(resource, name)?.kind === "boolean") return Number(value);
  if (typeof value === "object" && fieldOf(resource, name)?.kind === "json") {
    const fault = jsonFault(value, name);
    if (fault !== undefined) throw new TypeError(`resource "${resource.name}": ${fault}`);
    return JSON.stringify(value);
  }
  throw new TypeError(
    `resource "${resource.name}": ${value === undefined ? "no value" : `a ${typeof value}`} for "${name}"`,
  );
};

/**
 * How the value of a column becomes that of its field, for kinds in which they differ. All others
 * already have the form of the API.
 */
const readers: Partial<Readonly<Record<FieldKind, (value: FieldValue) => FieldValue>>> = {
  json: (value) => JSON.parse(String(value)),
  boolean: (value) => value === 1,
};

/** Makes rows of the API from stored ones that have these fields, in place. */
export const fromColumns = (resource: Resource, fields: readonly string[]) => {
  const read = fields.flatMap((name) => {
    const reader = readers[fieldOf(resource, name)?.kind ?? "text"];
    return reader === undefined ? [] : [{ name, reader }];
  });
  return (row: StoredRow): Row => {
    for (const { name, reader } of read) {
      const value = row[name] ?? null;
      if (value !== null) row[name] = reader(value);
    }
    return row;
  };
};
