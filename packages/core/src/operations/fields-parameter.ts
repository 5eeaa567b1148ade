import { z } from "zod";
import type { Principal } from "../auth/principal.ts";
import { isAdmin } from "../auth/principal.ts";
import { AppError } from "../errors/index.ts";
import type { FieldValue, Row } from "../ports/resource-repository.ts";
import type { Resource } from "../resources/resource.ts";

export const fieldsParameter = z.string().max(2048).optional().meta({
  description: "Comma-separated names of the fields to answer with; `id` always comes. All of them unless given.",
});

/** The fields of a resource that this caller may see. */
const readableFields = (resource: Resource, principal: Principal | undefined): readonly string[] =>
  resource.fieldNames.filter((name) => {
    const audience = resource.fields[name]?.read;
    return audience === "everyone" || (audience === "admin" && isAdmin(principal));
  });

/**
 * The fields to answer with, in the resource's own order.
 * @throws AppError `invalid_fields`, naming each that does not exist or may not be read; also when none is named.
 */
export const selectFields = (
  resource: Resource,
  principal: Principal | undefined,
  parameter: string | undefined,
): readonly string[] => {
  const readable = readableFields(resource, principal);
  if (parameter === undefined) return readable;
  const asked = new Set(parameter.split(","));
  const unknown = [...asked].filter((name) => !readable.includes(name));
  if (unknown.length > 0) {
    const names = unknown.map((name) => `"${name}"`).join(", ");
    throw new AppError("invalid_fields", {
      detail: `A ${resource.name} has no field ${names} to select; it has ${readable.join(", ")}.`,
      faults: [{ parameter: "fields", code: "unknown_field", detail: `no field ${names}` }],
    });
  }
  return readable.filter((name) => name === "id" || asked.has(name));
};

/** A row as it is answered: the selected fields and nothing else, whatever the store returned. */
export const present = (row: Row, fields: readonly string[]): Record<string, FieldValue> => {
  const shown: Record<string, FieldValue> = {};
  for (const name of fields) shown[name] = row[name] ?? null;
  return shown;
};
