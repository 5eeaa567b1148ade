import { AppError } from "../errors/app-error.ts";
import type { Resource } from "../model/resource.ts";
import { equals } from "../ports/condition.ts";
import { allRows, type ResourceRepository, type Row } from "../ports/resource-repository.ts";

/**
 * Makes sure that another row remains, for a resource that must always keep one. `next` is the row
 * after the write; `undefined` if it is deleted. The other row is locked, so that if two writers
 * remove the last two rows, one is refused.
 * @throws AppError `state_conflict`.
 */
export const requireAnother = async (
  resource: Resource,
  resources: Pick<ResourceRepository, "hold">,
  stored: Row,
  next: Row | undefined,
): Promise<void> => {
  const { keepsOne } = resource;
  if (keepsOne === undefined) return;
  const { field, value, detail } = keepsOne;
  if (stored[field] !== value || next?.[field] === value) return;
  const held = await resources.hold(resource, { scope: allRows("one must stay"), where: equals(field, value) }, 2);
  if (!held.some((id) => id !== stored.id)) throw new AppError("state_conflict", { detail });
};
