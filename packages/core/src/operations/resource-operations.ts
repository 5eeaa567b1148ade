import { z } from "zod";
import { isAdmin, type Principal, scopeFor } from "../auth/principal.ts";
import { AppError } from "../errors/index.ts";
import type { FieldValue, Row } from "../ports/resource-repository.ts";
import type { Resource, ResourceParent } from "../resources/resource.ts";
import { timestampOf, uuidPattern } from "../resources/text.ts";
import {
  createSchema,
  enteredState,
  mergePatch,
  readOnlyFields,
  replaceSchema,
  rowSchema,
  writtenValues,
} from "../resources/write.ts";
import { fieldsParameter, present, selectFields } from "./fields-parameter.ts";
import { answerList, cursorFor, defaultLimit, listOf, pageParameters, placeIn } from "./lists.ts";
import { type Answer, type Call, defineOperation, type Operation } from "./operation.ts";
import { principalOf } from "./principal-of.ts";
import { parseBody } from "./validation.ts";

type Values = Readonly<Record<string, unknown>>;

const notFound = (resource: Resource): AppError =>
  new AppError("not_found", { detail: `There is no such ${resource.name}.` });

/** The id in the path; `me` is the caller's own user. An id in another spelling names nothing. */
export const idOf = (resource: Resource, call: Call, parameter: string): string => {
  const text = call.params[parameter] ?? "";
  const principal = call.principal;
  if (text === "me" && resource.owner === "id" && principal?.kind === "user") return principal.userId;
  if (!uuidPattern.test(text)) throw notFound(resource);
  return text;
};

const locationOf = (resource: Resource, call: Call, id: string): string =>
  `${call.request.base}/${resource.plural}/${id}`;

/** Through `/users/me` the answer says whose it is. */
const aliasHeaders = (resource: Resource, call: Call, id: string): Readonly<Record<string, string>> =>
  call.params.id === "me" ? { "content-location": locationOf(resource, call, id) } : {};

const selection = z.strictObject({ fields: fieldsParameter });

/** Stores a new row and answers it: 201, `Location`, the selected fields. */
export const createRow = async (
  resource: Resource,
  call: Call,
  given: Values,
  filled: Row,
  parameter: string | undefined,
): Promise<Answer> => {
  const { ids, clock, storage } = call.environment.ports;
  const fields = selectFields(resource, call.principal, parameter);
  const now = timestampOf(clock.now());
  const values = writtenValues(resource, given, { admin: isAdmin(call.principal) }, undefined);
  const blank: Record<string, FieldValue> = {};
  for (const [name, field] of Object.entries(resource.fields)) blank[name] = field.default ?? null;
  const row: Row = {
    ...blank,
    ...values,
    ...filled,
    ...enteredState(resource.lifecycle, values, undefined, now),
    id: ids.uuid(),
    created_at: now,
    updated_at: now,
  };
  await storage.resources.insert(resource, row);
  return { status: 201, headers: { location: locationOf(resource, call, String(row.id)) }, body: present(row, fields) };
};

/** A write that keeps meeting newer revisions gives up after this many tries. */
const writeTries = 5;

/**
 * Changes a row: `edit` makes the whole new body from the stored row. The write happens only on the revision that was read; if another write
 * came between, the change is made anew on top of it.
 * @throws AppError `not_found` for what the caller may not see; `forbidden` for what they see but may not change.
 */
const changeRow = async (
  resource: Resource,
  call: Call,
  edit: (stored: Row) => Values,
  parameter: string | undefined,
): Promise<Answer> => {
  const principal = principalOf(call);
  const { clock, storage } = call.environment.ports;
  const id = idOf(resource, call, "id");
  const fields = selectFields(resource, principal, parameter);
  for (let tries = 0; tries < writeTries; tries += 1) {
    const stored = await storage.resources.find(resource, id, scopeFor(principal, resource.access.read));
    if (stored === undefined) throw notFound(resource);
    const now = timestampOf(clock.now());
    const values = writtenValues(resource, edit(stored), { admin: isAdmin(principal) }, stored);
    const next = { ...stored, ...values };
    const changes = { ...values, ...enteredState(resource.lifecycle, next, stored, now), updated_at: now };
    const result = await storage.resources.update(resource, id, scopeFor(principal, resource.access.update), changes, {
      expectedRevision: Number(stored.revision),
    });
    if (result === "missing")
      throw new AppError("forbidden", { detail: `You may read this ${resource.name}, not change it.` });
    if (result === "done") {
      return { status: 200, headers: aliasHeaders(resource, call, id), body: present({ ...next, ...changes }, fields) };
    }
  }
  throw new AppError("unavailable", {
    detail: `This ${resource.name} is being changed by others at the moment.`,
    headers: { "retry-after": "1" },
  });
};

const readOperation = (resource: Resource): Operation =>
  defineOperation({
    id: `${resource.plural}.read`,
    method: "GET",
    path: `/${resource.plural}/{id}`,
    access: "user",
    summary: `Read a ${resource.name}`,
    tag: resource.plural,
    query: selection,
    success: { status: 200, description: `The ${resource.name}.`, body: rowSchema(resource) },
    errors: ["invalid_fields", "not_found"],
    handle: async (call) => {
      const principal = principalOf(call);
      const fields = selectFields(resource, principal, call.query.fields);
      const id = idOf(resource, call, "id");
      const scope = scopeFor(principal, resource.access.read);
      const row = await call.environment.ports.storage.resources.find(resource, id, scope, fields);
      if (row === undefined) throw notFound(resource);
      return { status: 200, headers: aliasHeaders(resource, call, id), body: present(row, fields) };
    },
  });

const replaceOperation = (resource: Resource): Operation =>
  defineOperation({
    id: `${resource.plural}.replace`,
    method: "PUT",
    path: `/${resource.plural}/{id}`,
    access: "user",
    summary: `Replace a ${resource.name}`,
    tag: resource.plural,
    query: selection,
    body: replaceSchema(resource),
    readOnlyFields: readOnlyFields(resource),
    success: { status: 200, description: `The ${resource.name} as it is now.`, body: rowSchema(resource) },
    errors: ["invalid_fields", "not_found", "forbidden", "conflict", "state_conflict", "field_read_only"],
    handle: (call) => changeRow(resource, call, () => call.body, call.query.fields),
  });

const patchOperation = (resource: Resource): Operation => {
  const whole = replaceSchema(resource);
  const writable = Object.keys(createSchema(resource).shape);
  return defineOperation({
    id: `${resource.plural}.update`,
    method: "PATCH",
    path: `/${resource.plural}/{id}`,
    access: "user",
    summary: `Change some members of a ${resource.name} (JSON merge patch, RFC 7396)`,
    tag: resource.plural,
    query: selection,
    body: z.record(z.string(), z.unknown()),
    success: { status: 200, description: `The ${resource.name} as it is now.`, body: rowSchema(resource) },
    errors: ["invalid_fields", "not_found", "forbidden", "conflict", "state_conflict", "field_read_only"],
    handle: (call) =>
      changeRow(
        resource,
        call,
        (stored) => {
          const current = Object.fromEntries(writable.map((name) => [name, stored[name] ?? null]));
          // Removing a member that the caller cannot write is an attempt to write it, not "leave it as it is".
          const removed = Object.entries(call.body).filter(
            ([name, value]) => value === null && resource.fields[name]?.write !== "everyone",
          );
          const merged = { ...mergePatch(current, call.body), ...Object.fromEntries(removed) };
          return parseBody(whole, merged, undefined);
        },
        call.query.fields,
      ),
  });
};

const deleteOperation = (resource: Resource): Operation =>
  defineOperation({
    id: `${resource.plural}.delete`,
    method: "DELETE",
    path: `/${resource.plural}/{id}`,
    access: "user",
    summary: `Delete a ${resource.name} and all that belongs to it`,
    tag: resource.plural,
    success: { status: 204, description: "It is gone." },
    errors: ["not_found", "forbidden"],
    handle: async (call) => {
      const principal = principalOf(call);
      const { resources } = call.environment.ports.storage;
      const id = idOf(resource, call, "id");
      const result = await resources.delete(resource, id, scopeFor(principal, resource.access.delete));
      if (result === "done") return { status: 204 };
      const visible = await resources.find(resource, id, scopeFor(principal, resource.access.read), ["id"]);
      if (visible === undefined) throw notFound(resource);
      throw new AppError("forbidden", { detail: `You may read this ${resource.name}, not delete it.` });
    },
  });

const listParameters = z.strictObject({ ...pageParameters, fields: fieldsParameter });

const listOperation = (resource: Resource, parent: Resource | undefined): Operation =>
  defineOperation({
    id: `${resource.plural}.list`,
    method: "GET",
    path: parent === undefined ? `/${resource.plural}` : `/${parent.plural}/{id}/${resource.plural}`,
    access: "user",
    summary:
      parent === undefined
        ? `List the ${resource.plural} you may read`
        : `List the ${resource.plural} of a ${parent.name} that you may read`,
    tag: resource.plural,
    query: listParameters,
    list: true,
    success: { status: 200, description: "One page, oldest first.", body: listOf(rowSchema(resource)) },
    errors: ["invalid_fields", "invalid_cursor", ...(parent === undefined ? [] : (["not_found"] as const))],
    handle: async (call) => {
      const principal = principalOf(call);
      const { storage, signer } = call.environment.ports;
      const fields = selectFields(resource, principal, call.query.fields);
      const limit = call.query.limit ?? defaultLimit;
      const parentId = parent === undefined ? undefined : idOf(parent, call, "id");
      const list = `${resource.plural}:${parentId ?? ""}`;
      const after =
        call.query.cursor === undefined ? undefined : [placeIn(list, await signer.openCursor(call.query.cursor))];
      if (parent !== undefined) await requireParent(call, parent, parentId ?? "", "read");
      const rows = await storage.resources.list(resource, {
        scope: scopeFor(principal, resource.access.read),
        ...(resource.parent === undefined
          ? {}
          : { where: { field: resource.parent.field, op: "eq", value: parentId ?? "" } }),
        order: [{ field: "id", direction: "asc" }],
        ...(after === undefined ? {} : { after }),
        limit: limit + 1,
        fields,
      });
      return answerList(
        call.request,
        rows,
        limit,
        (row) => present(row, fields),
        (row) => signer.sealCursor(cursorFor(list, String(row.id))),
      );
    },
  });

const createOperation = (resource: Resource, place: ResourceParent, parent: Resource): Operation =>
  defineOperation({
    id: `${resource.plural}.create`,
    method: "POST",
    path: `/${parent.plural}/{id}/${resource.plural}`,
    access: "user",
    summary: `Create a ${resource.name}`,
    tag: resource.plural,
    query: selection,
    body: createSchema(resource),
    readOnlyFields: readOnlyFields(resource),
    success: { status: 201, description: `The new ${resource.name}.`, body: rowSchema(resource) },
    errors: ["invalid_fields", "not_found", "conflict", "state_conflict", "field_read_only"],
    handle: async (call) => {
      const principal = principalOf(call);
      const parentId = idOf(parent, call, "id");
      await requireParent(call, parent, parentId, place.createRequires);
      const filled: Record<string, FieldValue> = { [place.field]: parentId };
      if (resource.owner !== place.field) filled[resource.owner] = ownerId(principal);
      return createRow(resource, call, call.body, filled, call.query.fields);
    },
  });

const ownerId = (principal: Principal): string => {
  if (principal.kind === "user") return principal.userId;
  throw new AppError("forbidden", { detail: "This needs a signed-in user who will own it." });
};

/** @throws AppError `not_found` when the caller may not read the parent; `forbidden` when they may read it but not do this. */
const requireParent = async (call: Call, parent: Resource, id: string, need: "read" | "update"): Promise<void> => {
  const { resources } = call.environment.ports.storage;
  const principal = principalOf(call);
  const allowed = await resources.find(parent, id, scopeFor(principal, parent.access[need]), ["id"]);
  if (allowed !== undefined) return;
  const visible =
    need === "read" ? undefined : await resources.find(parent, id, scopeFor(principal, parent.access.read), ["id"]);
  throw visible === undefined
    ? notFound(parent)
    : new AppError("forbidden", { detail: `You may not add to this ${parent.name}.` });
};

export type StandardOperation = "list" | "create" | "read" | "replace" | "update" | "delete";

/**
 * The standard operations of a resource, made from its declaration. `without` leaves out those that the resource has in a form of its own.
 */
export const resourceOperations = (
  resource: Resource,
  resources: ReadonlyMap<string, Resource>,
  without: readonly StandardOperation[] = [],
): readonly Operation[] => {
  const place = resource.parent;
  const parent = place === undefined ? undefined : resources.get(place.resource);
  if (place !== undefined && parent === undefined) {
    throw new TypeError(`resource "${resource.name}": its parent "${place.resource}" is not declared`);
  }
  const made: Record<StandardOperation, () => Operation | undefined> = {
    list: () => listOperation(resource, parent),
    create: () => (place === undefined || parent === undefined ? undefined : createOperation(resource, place, parent)),
    read: () => readOperation(resource),
    replace: () => replaceOperation(resource),
    update: () => patchOperation(resource),
    delete: () => deleteOperation(resource),
  };
  return Object.entries(made)
    .filter(([name]) => !without.some((left) => left === name))
    .flatMap(([, make]) => make() ?? []);
};
