import { AppError, type ErrorCode, type FieldValue, type Resource, type Row } from "@postern/core";
import type { Principal } from "../access/principal.ts";
import { principalOf } from "../access/principal-of.ts";
import { defineOperation, type Operation } from "../operations/operation.ts";
import { parseBody } from "../operations/validation.ts";
import { selection } from "./fields-parameter.ts";
import { listOperation } from "./list-operations.ts";
import { readOperation } from "./read-operation.ts";
import { findToWrite, idOf, requireParent } from "./row-in-path.ts";
import { changeRow, createRow, deleteRow } from "./row-writes.ts";
import { createSerialByKey, type SerialByKey } from "./serial-by-key.ts";
import { createSchema, patchSchema, readOnlyFields, replaceSchema, rowSchema } from "./write.ts";

const writeErrors = [
  "not_found",
  "forbidden",
  "malformed_header",
  "precondition_failed",
  "precondition_required",
] as const satisfies readonly ErrorCode[];

/** A row as far as a body can speak of it. */
const shownMembers = (resource: Resource, row: Row): Row =>
  Object.fromEntries(
    Object.entries(resource.fields).flatMap(([name, { read }]) =>
      read === "nobody" ? [] : [[name, row[name] ?? null]],
    ),
  );

const replaceOperation = (serially: SerialByKey, resource: Resource): Operation =>
  defineOperation({
    id: `${resource.plural}.replace`,
    method: "PUT",
    path: `/${resource.plural}/{id}`,
    access: "user",
    requiresIfMatch: true,
    summary: `Replace a ${resource.name}`,
    tag: resource.plural,
    query: selection,
    body: replaceSchema(resource),
    readOnlyFields: readOnlyFields(resource),
    minimal: true,
    success: { status: 200, description: `The ${resource.name} as it is now.`, body: rowSchema(resource) },
    errors: [...writeErrors, "invalid_fields", "conflict", "state_conflict", "field_read_only"],
    handle: (call) =>
      changeRow(serially, resource, call, {
        edit: (stored) => call.applyTo(shownMembers(resource, stored)),
        shown: call.query.fields,
      }),
  });

const patchOperation = (serially: SerialByKey, resource: Resource): Operation => {
  const whole = replaceSchema(resource);
  return defineOperation({
    id: `${resource.plural}.update`,
    method: "PATCH",
    path: `/${resource.plural}/{id}`,
    access: "user",
    requiresIfMatch: true,
    summary: `Change some members of a ${resource.name} (JSON merge patch, RFC 7396)`,
    tag: resource.plural,
    query: selection,
    body: patchSchema(resource),
    minimal: true,
    success: { status: 200, description: `The ${resource.name} as it is now.`, body: rowSchema(resource) },
    errors: [...writeErrors, "invalid_fields", "conflict", "state_conflict", "field_read_only"],
    handle: (call) =>
      changeRow(serially, resource, call, {
        edit: (stored) => {
          const current = shownMembers(resource, stored);
          const merged = call.applyTo(current);
          // Removing a member that the caller cannot write is an attempt to write it, not "leave it as it is".
          const removed = Object.keys(current).filter(
            (name) => resource.fields[name]?.write !== "everyone" && !Object.hasOwn(merged, name),
          );
          return parseBody(whole, { ...merged, ...Object.fromEntries(removed.map((name) => [name, null])) }, undefined);
        },
        shown: call.query.fields,
      }),
    reach: async (call) => {
      await findToWrite(resource, call, idOf(resource, call, "id"), "update", ["id"]);
    },
  });
};

const deleteOperation = (serially: SerialByKey, resource: Resource): Operation =>
  defineOperation({
    id: `${resource.plural}.delete`,
    method: "DELETE",
    path: `/${resource.plural}/{id}`,
    access: "user",
    requiresIfMatch: true,
    summary: `Delete a ${resource.name} and all that belongs to it`,
    tag: resource.plural,
    success: { status: 204, description: "It is gone." },
    errors: resource.keepsOne === undefined ? writeErrors : [...writeErrors, "state_conflict"],
    handle: (call) => deleteRow(serially, resource, call),
  });

const createOperation = (resource: Resource, parent: Resource | undefined): Operation => {
  const place = resource.parent;
  const unfilled = requiredButUnwritten(resource);
  if (unfilled !== undefined) {
    throw new TypeError(
      `resource "${resource.name}": nobody can write "${unfilled}", which every row needs; give it a default`,
    );
  }
  return defineOperation({
    id: `${resource.plural}.create`,
    method: "POST",
    path: parent === undefined ? `/${resource.plural}` : `/${parent.plural}/{id}/${resource.plural}`,
    access: "user",
    summary: `Create a ${resource.name}`,
    tag: resource.plural,
    query: selection,
    body: createSchema(resource),
    readOnlyFields: readOnlyFields(resource),
    minimal: true,
    success: { status: 201, description: `The new ${resource.name}.`, body: rowSchema(resource) },
    errors: [
      "invalid_fields",
      "conflict",
      "state_conflict",
      "field_read_only",
      ...(parent === undefined ? [] : (["not_found"] as const)),
    ],
    reach: async (call) => {
      if (parent === undefined || place === undefined) return;
      await requireParent(call, parent, idOf(parent, call, "id"), place.createRequires);
    },
    handle: async (call) => {
      const principal = principalOf(call);
      const filled: Record<string, FieldValue> = {};
      if (parent !== undefined && place !== undefined) {
        const parentId = idOf(parent, call, "id");
        await requireParent(call, parent, parentId, place.createRequires);
        filled[place.field] = parentId;
      }
      if (resource.owner !== place?.field) filled[resource.owner] = ownerId(principal);
      return createRow(resource, call, { given: call.body, filled, shown: call.query.fields });
    },
  });
};

/** A field that a new row cannot do without and that neither its writer nor its place, owner or lifecycle gives. */
const requiredButUnwritten = ({ fields, owner, parent }: Resource): string | undefined => {
  const given = new Set(["id", "created_at", "updated_at", owner, parent?.field]);
  return Object.entries(fields).find(
    ([name, field]) => field.write !== "everyone" && !field.nullable && field.default === undefined && !given.has(name),
  )?.[0];
};

const ownerId = (principal: Principal): string => {
  if (principal.kind === "user") return principal.userId;
  throw new AppError("forbidden", { detail: "This needs a signed-in user who will own it." });
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
  const serially = createSerialByKey();
  const made: Record<StandardOperation, () => Operation | undefined> = {
    list: () => listOperation(resource, parent, resources),
    // Who are their own owners sign up in a way of their own.
    create: () => (parent === undefined && resource.owner === "id" ? undefined : createOperation(resource, parent)),
    read: () => readOperation(resource, resources),
    replace: () => replaceOperation(serially, resource),
    update: () => patchOperation(serially, resource),
    delete: () => deleteOperation(serially, resource),
  };
  return Object.entries(made)
    .filter(([name]) => !without.some((left) => left === name))
    .flatMap(([, make]) => make() ?? []);
};
