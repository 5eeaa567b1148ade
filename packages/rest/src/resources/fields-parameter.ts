import type { FieldValue, Resource, Row } from "@postern/core";
import { AppError } from "@postern/core";
import { allows, didYouMean, quotedNames } from "@postern/core/parts";
import { z } from "zod";
import { isAdmin, type Principal } from "../access/principal.ts";

export const fieldsParameter = z.string().max(2048).optional().meta({
  description: "The names of the fields to answer with, separated by commas. Default: all fields.",
});

/** The query of an operation that answers one row. */
export const selection = z.strictObject({ fields: fieldsParameter });

/** The fields of a resource that users and that administrators may see: always the very same arrays. */
const readableFields = { users: new WeakMap<Resource, string[]>(), admins: new WeakMap<Resource, string[]>() };

/**
 * The fields to answer with, in the resource's own order.
 * @throws AppError `invalid_fields`, naming each field that does not exist or may not be read; also
 *   if none is named.
 */
export const selectFields = (
  resource: Resource,
  principal: Principal | undefined,
  value: string | undefined,
  parameter = "fields",
): readonly string[] => {
  const admin = isAdmin(principal);
  const readable = readableFields[admin ? "admins" : "users"];
  const allowed =
    readable.get(resource) ?? resource.fieldNames.filter((name) => allows(resource.fields[name]?.read, admin));
  readable.set(resource, allowed);
  if (value === undefined) return allowed;
  const asked = new Set(value.split(","));
  const unknown = [...asked].filter((name) => !allowed.includes(name));
  if (unknown.length > 0) {
    const names = quotedNames(unknown);
    throw new AppError("invalid_fields", {
      detail: `A ${resource.name} has no field ${names} to select; it has ${quotedNames(allowed)}.`,
      faults: [{ parameter, code: "unknown_field", detail: `no field ${names}${didYouMean(unknown, allowed)}` }],
    });
  }
  return allowed.filter((name) => asked.has(name));
};

const versionedFields = new WeakMap<readonly string[], readonly string[]>();

/**
 * The fields to read so that a changed row can be distinguished from an unchanged one. Always the
 * very same array for the same array.
 */
export const versioned = (fields: readonly string[]): readonly string[] => {
  const made = versionedFields.get(fields) ?? [...new Set([...fields, "id", "revision", "created_at", "updated_at"])];
  versionedFields.set(fields, made);
  return made;
};

/** A row as it is answered: the selected fields and nothing else, whatever the store returned. */
export const present = (row: Row, fields: readonly string[]): Record<string, FieldValue> => {
  const shown: Record<string, FieldValue> = {};
  for (const name of fields) shown[name] = row[name] ?? null;
  return shown;
};
