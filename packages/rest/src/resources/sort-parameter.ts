import type { Resource } from "@postern/core";
import { AppError } from "@postern/core";
import { allows, didYouMean, quotedNames } from "@postern/core/internal";
import type { SortKey } from "@postern/core/ports";
import { z } from "zod";
import type { Principal } from "../access/principal.ts";
import { isAdmin } from "../access/principal.ts";
import { namesMark } from "../operations/page.ts";

const maxKeys = 3;

const sortable = (resource: Resource, include: (name: string) => boolean): readonly string[] =>
  resource.fieldNames.filter((name) => resource.fields[name]?.sort !== "nobody" && include(name));

export const sortParameter = (resource: Resource) =>
  z
    .string()
    .max(512)
    .optional()
    .meta({
      description: `Up to ${maxKeys} fields to order by, comma-separated, with \`-\` in front for descending. Default: \`id\`, oldest first. Text is ordered by code point; what has no value comes last. Fields: ${sortable(resource, () => true).join(", ")}.`,
      [namesMark]: sortable(resource, () => true),
    });

const byId: readonly SortKey[] = [{ field: "id", direction: "asc" }];

/**
 * The order of a list. It ends in `id`, so that it is total.
 * @throws AppError `invalid_sort`, naming fields that cannot be sorted by.
 */
export const sortOrder = (
  resource: Resource,
  principal: Principal | undefined,
  parameter: string | undefined,
): readonly SortKey[] => {
  if (parameter === undefined) return byId;
  const keys = parameter
    .split(",")
    .map(
      (key): SortKey =>
        key.startsWith("-") ? { field: key.slice(1), direction: "desc" } : { field: key, direction: "asc" },
    );
  const allowed = sortable(resource, (name) => allows(resource.fields[name]?.sort, isAdmin(principal)));
  const unknown = keys.filter(({ field }) => !allowed.includes(field));
  if (unknown.length > 0) {
    const fields = unknown.map(({ field }) => field);
    const [names, possible] = [quotedNames(fields), quotedNames(allowed)];
    throw invalidSort(
      `The ${resource.plural} cannot be sorted by ${names}, only by ${possible}.`,
      `not ${names}${didYouMean(fields, allowed) || `; there are ${possible}`}`,
    );
  }
  if (keys.length > maxKeys)
    throw invalidSort(`A list can be sorted by ${maxKeys} fields at the most.`, `at most ${maxKeys}`);
  if (new Set(keys.map(({ field }) => field)).size < keys.length) {
    throw invalidSort("A list is sorted by a field once.", "each field once");
  }
  const end = keys.findIndex(({ field }) => field === "id");
  // After `id`, no two rows are equal. It goes in the direction of the key before it, so that an
  // index can be read in one direction.
  return end === -1 ? [...keys, { field: "id", direction: keys.at(-1)?.direction ?? "asc" }] : keys.slice(0, end + 1);
};

const invalidSort = (detail: string, fault: string): AppError =>
  new AppError("invalid_sort", { detail, faults: [{ parameter: "sort", code: "invalid_sort", detail: fault }] });
