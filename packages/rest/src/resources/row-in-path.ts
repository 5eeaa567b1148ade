import type { AccessRule, AccessScope, Resource, Row } from "@postern/core";
import { AppError, equals } from "@postern/core";
import { uuidPattern } from "@postern/core/internal";
import { type Principal, principalOf, scopeFor } from "../access/principal.ts";
import type { EngineCall } from "../operations/operation.ts";
import { spoken } from "./resource-words.ts";

/**
 * For a row that the caller may not see, the answer is the same as for an id that does not exist.
 */
export const notFound = (resource: Resource): AppError =>
  new AppError("not_found", { detail: `There is no such ${spoken(resource.name)}.` });

/** The id in the path; `me` is the caller's own user. An id in any other spelling is not found. */
export const idOf = (resource: Resource, call: EngineCall, parameter: string): string => {
  const text = call.params[parameter] ?? "";
  const principal = call.principal;
  if (text === "me" && resource.owner === "id" && principal?.kind === "user") return principal.userId;
  if (!uuidPattern.test(text)) throw notFound(resource);
  return text;
};

export const locationOf = (resource: Resource, call: EngineCall, id: string): string =>
  `${call.request.base}/${resource.plural}/${id}`;

/** Through `/users/me`, the answer names the real address. */
export const aliasHeaders = (resource: Resource, call: EngineCall, id: string): Readonly<Record<string, string>> =>
  call.params.id === "me" ? { "content-location": locationOf(resource, call, id) } : {};

/**
 * Whether this row is the caller's own user, and the scope holds it. Then it need not be read:
 * authentication has just found it (docs/performance/rest.md).
 */
const isOwnUser = (principal: Principal, { owner }: Resource, id: string, { where }: AccessScope): boolean =>
  owner === "id" &&
  principal.kind === "user" &&
  principal.userId === id &&
  "op" in where &&
  where.field === "id" &&
  where.op === "eq" &&
  where.value === id;

/** Whether an access rule lets the caller reach a row. */
const isReachable = async (call: EngineCall, resource: Resource, id: string, rule: AccessRule): Promise<boolean> => {
  const principal = principalOf(call);
  const scope = scopeFor(principal, rule);
  if (isOwnUser(principal, resource, id, scope)) return true;
  return (await call.rows.find(resource, id, scope, ["id"])) !== undefined;
};

/**
 * @throws AppError `not_found` when the caller may not read the parent; `forbidden` when they may
 *   read it but not do this.
 */
export const requireParent = async (
  call: EngineCall,
  parent: Resource,
  id: string,
  need: "read" | "update",
): Promise<void> => {
  if (await isReachable(call, parent, id, parent.access[need])) return;
  if (need === "read" || !(await isReachable(call, parent, id, parent.access.read))) throw notFound(parent);
  throw new AppError("forbidden", { detail: `You may not add to this ${spoken(parent.name)}.` });
};

/**
 * For a list: a parent that the caller may not read exists for them if they may read rows below it.
 * @throws AppError `not_found` if there are no such rows, as for a parent that does not exist.
 */
export const requireParentOrBelow = async (
  call: EngineCall,
  parent: Resource,
  id: string,
  below: Resource,
): Promise<void> => {
  if (await isReachable(call, parent, id, parent.access.read)) return;
  const rows = await call.rows.list(below, {
    scope: scopeFor(principalOf(call), below.access.read),
    where: equals(below.parent?.field ?? "id", id),
    order: [{ field: "id", direction: "asc" }],
    limit: 1,
    fields: ["id"],
  });
  if (rows.length === 0) throw notFound(parent);
};

/**
 * Finds the row of the id in the path, which the caller wants to change or delete.
 * @throws AppError `not_found` if the caller may not see it; `forbidden` if they may see it but not
 *   write it.
 */
export const findToWrite = async (
  resource: Resource,
  call: EngineCall,
  need: "update" | "delete",
  fields?: readonly string[],
): Promise<Row> => {
  const { rows: resources } = call;
  const id = idOf(resource, call, "id");
  const principal = principalOf(call);
  const visible = scopeFor(principal, resource.access.read);
  const writable = scopeFor(principal, resource.access[need]);
  const row = await resources.find(resource, id, bothOf(visible, writable), fields);
  if (row !== undefined) return row;
  if ((await resources.find(resource, id, visible, ["id"])) === undefined) throw notFound(resource);
  const verb = need === "update" ? "change" : "delete";
  throw new AppError("forbidden", { detail: `You may read this ${spoken(resource.name)}, not ${verb} it.` });
};

const bothOf = (one: AccessScope, other: AccessScope): AccessScope => ({
  ...one,
  where: { all: [one.where, other.where] },
});
