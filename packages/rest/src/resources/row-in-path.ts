import type { AccessScope, Resource, Row } from "@postern/core";
import { AppError } from "@postern/core";
import { uuidPattern } from "@postern/core/parts";
import { scopeFor } from "../access/principal.ts";
import { principalOf } from "../access/principal-of.ts";
import type { Call } from "../operations/operation.ts";

/** What the caller may not see does not exist for them: the same answer as for an id that names nothing. */
export const notFound = (resource: Resource): AppError =>
  new AppError("not_found", { detail: `There is no such ${resource.name}.` });

/** The id in the path; `me` is the caller's own user. An id in another spelling names nothing. */
export const idOf = (resource: Resource, call: Call, parameter: string): string => {
  const text = call.params[parameter] ?? "";
  const principal = call.principal;
  if (text === "me" && resource.owner === "id" && principal?.kind === "user") return principal.userId;
  if (!uuidPattern.test(text)) throw notFound(resource);
  return text;
};

export const locationOf = (resource: Resource, call: Call, id: string): string =>
  `${call.request.base}/${resource.plural}/${id}`;

/** Through `/users/me` the answer says whose it is. */
export const aliasHeaders = (resource: Resource, call: Call, id: string): Readonly<Record<string, string>> =>
  call.params.id === "me" ? { "content-location": locationOf(resource, call, id) } : {};

/** @throws AppError `not_found` when the caller may not read the parent; `forbidden` when they may read it but not do this. */
export const requireParent = async (
  call: Call,
  parent: Resource,
  id: string,
  need: "read" | "update",
): Promise<void> => {
  const { rows: resources } = call;
  const principal = principalOf(call);
  const allowed = await resources.find(parent, id, scopeFor(principal, parent.access[need]), ["id"]);
  if (allowed !== undefined) return;
  const visible =
    need === "read" ? undefined : await resources.find(parent, id, scopeFor(principal, parent.access.read), ["id"]);
  throw visible === undefined
    ? notFound(parent)
    : new AppError("forbidden", { detail: `You may not add to this ${parent.name}.` });
};

/**
 * A row that the caller is about to change or delete, if it is theirs to.
 * @throws AppError `not_found` for what the caller may not see; `forbidden` for what they see but may not write.
 */
export const findToWrite = async (
  resource: Resource,
  call: Call,
  id: string,
  need: "update" | "delete",
  fields?: readonly string[],
): Promise<Row> => {
  const { rows: resources } = call;
  const principal = principalOf(call);
  const visible = scopeFor(principal, resource.access.read);
  const writable = scopeFor(principal, resource.access[need]);
  const row = await resources.find(resource, id, bothOf(visible, writable), fields);
  if (row !== undefined) return row;
  if ((await resources.find(resource, id, visible, ["id"])) === undefined) throw notFound(resource);
  const verb = need === "update" ? "change" : "delete";
  throw new AppError("forbidden", { detail: `You may read this ${resource.name}, not ${verb} it.` });
};

const bothOf = (one: AccessScope, other: AccessScope): AccessScope => ({
  ...one,
  where: { all: [one.where, other.where] },
});
