import type { Fault } from "@postern/core";
import { AppError, type Resource, type ResourceRepository, type Row } from "@postern/core";
import { type Principal, scopeFor } from "../access/principal.ts";

/** A field that callers write, and the resource that it refers to. */
interface WrittenReference {
  readonly field: string;
  readonly target: Resource;
}

export type WrittenReferences = readonly WrittenReference[];

/**
 * The references of a resource that callers write. References that the server sets are checked
 * where it sets them.
 */
export const writtenReferencesOf = (resource: Resource, resources: ReadonlyMap<string, Resource>): WrittenReferences =>
  Object.entries(resource.fields).flatMap(([field, { references, write }]) => {
    const target = references === undefined || write === "nobody" ? undefined : resources.get(references.resource);
    return target === undefined ? [] : [{ field, target }];
  });

/**
 * Looks up each row that a write refers to and the stored row did not. An unchanged reference needs
 * no right, so that a caller can send back a row as they read it.
 * @throws AppError `not_found` for a row that the caller may not read, as for an id that does not
 *   exist.
 */
export const requireReferred = async (
  repository: ResourceRepository,
  principal: Principal,
  references: WrittenReferences,
  { values, stored }: { readonly values: Row; readonly stored?: Row },
): Promise<void> => {
  const faults: Fault[] = [];
  const missing = new Set<string>();
  for (const { field, target } of references) {
    const id = values[field];
    if (typeof id !== "string" || id === stored?.[field]) continue;
    const found = await repository.find(target, id, scopeFor(principal, target.access.read), ["id"]);
    if (found !== undefined) continue;
    missing.add(target.name);
    faults.push({ pointer: `/${field}`, code: "not_found", detail: `there is no such ${target.name}` });
  }
  if (faults.length > 0) {
    throw new AppError("not_found", { detail: `There is no such ${[...missing].join(" and no such ")}.`, faults });
  }
};
