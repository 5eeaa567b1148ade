import type { ErrorCode, FieldValue, Resource, Row } from "@postern/core";
import { allows, createSerialByKey, parseBody, type SerialByKey } from "@postern/core/internal";
import { z } from "zod";
import { principalOf } from "../access/principal.ts";
import { type Operation, tableEntry } from "../operations/operation.ts";
import { listOperation } from "./list-operations.ts";
import { readOperation } from "./read-operation.ts";
import { oneSpoken, spoken } from "./resource-words.ts";
import { findToWrite, idOf, requireParent } from "./row-in-path.ts";
import { changeRow, createRow, deleteRow, ownerId } from "./row-writes.ts";
import { selection } from "./shape-parameters.ts";
import { createAtPath, createOwn, isToBeMade, type UpsertParts } from "./upsert.ts";
import {
  completed,
  createOwnSchema,
  createSchema,
  patchSchema,
  readOnlyFields,
  replaceSchema,
  rowSchema,
} from "./write.ts";
import { writtenReferencesOf } from "./written-references.ts";

const writeErrors = [
  "not_found",
  "forbidden",
  "malformed_header",
  "precondition_failed",
  "precondition_required",
] as const satisfies readonly ErrorCode[];

interface Parts extends UpsertParts {
  readonly serially: SerialByKey;
  /** True if callers create rows: by POST, and by PUT with an id of their own. */
  readonly creates: boolean;
}

const rowErrors = [
  "invalid_fields",
  "conflict",
  "state_conflict",
  "quota_exceeded",
  "field_read_only",
] as const satisfies readonly ErrorCode[];

/** What the operations have in common that answer the row they have written. */
const writing = (resource: Resource, status: 200 | 201) =>
  ({
    access: "user",
    tag: resource.plural,
    query: selection,
    minimal: true,
    success: {
      status,
      description: status === 201 ? `The new ${spoken(resource.name)}.` : `The ${spoken(resource.name)} as it is now.`,
      body: z.lazy(() => rowSchema(resource)),
    },
  }) as const;

/** What a change of some fields requires in addition to the right to change them. */
const signInErrors = ({ fields }: Resource): readonly ErrorCode[] =>
  Object.values(fields).some(({ recentSignIn }) => recentSignIn === true) ? ["sign_in_too_old"] : [];

/**
 * The members of a row that this caller can read. A caller cannot send back members that they
 * cannot read.
 */
const shownMembers = (resource: Resource, row: Row, writer: { readonly admin: boolean }): Row =>
  Object.fromEntries(
    Object.entries(resource.fields).flatMap(([name, { read }]) =>
      allows(read, writer.admin) ? [[name, row[name] ?? null]] : [],
    ),
  );

/**
 * A patched row. Null in a member that cannot be null becomes the member's default, if there is
 * one.
 */
const withDefaults = (
  { fields }: Resource,
  merged: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(merged).map(([name, value]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      const removed = value === null && field?.nullable === false && field.write === "everyone";
      return [name, removed ? (field.default ?? null) : value];
    }),
  );

const replaceOperation = ({ serially, ...parts }: Parts): Operation => {
  const { resource, references, resources, creates } = parts;
  return tableEntry({
    ...writing(resource, 200),
    id: `${resource.plural}.replace`,
    method: "PUT",
    path: `/${resource.plural}/{id}`,
    requiresIfMatch: true,
    ...(creates
      ? { creates: `The new ${spoken(resource.name)}: nothing was there, as \`If-None-Match: *\` demands.` }
      : {}),
    summary: creates
      ? `Replace ${oneSpoken(resource.name)}, or create it under an id of your own`
      : `Replace ${oneSpoken(resource.name)}`,
    body: z.lazy(() => replaceSchema(resource)),
    readOnlyFields: readOnlyFields(resource),
    errors: [
      ...writeErrors,
      ...signInErrors(resource),
      ...rowErrors,
      ...(creates ? (["invalid_parameter"] as const) : []),
    ],
    // The id of a new row is a UUIDv7, and the body names its parent.
    ...(creates ? { checkedAfterSchema: ["invalid_format", "invalid_parameter", "required"] } : {}),
    handle: async (call) =>
      creates && (await isToBeMade(resource, call))
        ? createAtPath(parts, call, call.query.fields)
        : changeRow(serially, resource, call, {
            edit: (stored, writer) => completed(resource, call.applyTo(shownMembers(resource, stored, writer)), writer),
            shown: call.query.fields,
            references,
            resources,
          }),
  });
};

const patchOperation = ({ serially, resource, references, resources }: Parts): Operation => {
  const whole = z.lazy(() => replaceSchema(resource));
  return tableEntry({
    ...writing(resource, 200),
    id: `${resource.plural}.update`,
    method: "PATCH",
    path: `/${resource.plural}/{id}`,
    requiresIfMatch: true,
    summary: `Change some members of ${oneSpoken(resource.name)} (JSON merge patch, RFC 7396)`,
    body: z.lazy(() => patchSchema(resource)),
    errors: [...writeErrors, ...signInErrors(resource), ...rowErrors],
    handle: (call) =>
      changeRow(serially, resource, call, {
        edit: (stored, writer) => {
          const current = shownMembers(resource, stored, writer);
          const merged = call.applyTo(current);
          // A caller who removes a member that they cannot write tries to write it. It does not
          // mean "leave it as it is".
          const removed = Object.keys(current).filter(
            (name) => resource.fields[name]?.write !== "everyone" && !Object.hasOwn(merged, name),
          );
          const given = {
            ...withDefaults(resource, merged),
            ...Object.fromEntries(removed.map((name) => [name, null])),
          };
          return completed(resource, parseBody(whole, given, undefined), writer);
        },
        shown: call.query.fields,
        references,
        resources,
      }),
    reach: async (call) => {
      await findToWrite(resource, call, "update", ["id"]);
    },
  });
};

const deleteOperation = ({ serially, resource }: Parts): Operation =>
  tableEntry({
    id: `${resource.plural}.delete`,
    method: "DELETE",
    path: `/${resource.plural}/{id}`,
    access: "user",
    requiresIfMatch: true,
    summary: `Delete ${oneSpoken(resource.name)} and all that belongs to it`,
    confirm: `Delete the ${spoken(resource.name)} {id} and all that belongs to it? This cannot be undone.`,
    tag: resource.plural,
    success: { status: 204, description: "It is gone." },
    errors: resource.keepsOne === undefined ? writeErrors : [...writeErrors, "state_conflict"],
    handle: (call) => deleteRow(serially, resource, call),
  });

const createOperation = ({ resource, parent, references, resources }: Parts): Operation => {
  const place = resource.parent;
  const unfilled = requiredButUnwritten(resource);
  if (unfilled !== undefined) {
    throw new TypeError(
      `resource "${resource.name}": nobody can write "${unfilled}", which every row needs; give it a default`,
    );
  }
  return tableEntry({
    ...writing(resource, 201),
    id: `${resource.plural}.create`,
    method: "POST",
    path: parent === undefined ? `/${resource.plural}` : `/${parent.plural}/{id}/${resource.plural}`,
    summary: `Create ${oneSpoken(resource.name)}`,
    body: z.lazy(() => createSchema(resource)),
    readOnlyFields: readOnlyFields(resource),
    errors: [
      ...rowErrors,
      ...(parent === undefined && references.length === 0 ? [] : (["not_found"] as const)),
      ...(mayBeRefused(resource) ? (["forbidden"] as const) : []),
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
      return createRow(resource, call, { given: call.body, filled, shown: call.query.fields, references, resources });
    },
  });
};

/** Whether the rule about new rows can refuse one of the caller's own. */
const mayBeRefused = ({ access, owner }: Resource): boolean => {
  const rule = access.create ?? access.update;
  return rule.rule !== "owned" || rule.field !== owner;
};

const createOwnOperation = (parts: Parts): Operation => {
  const { resource } = parts;
  return tableEntry({
    ...writing(resource, 201),
    id: `${resource.plural}.create-own`,
    method: "POST",
    path: `/${resource.plural}`,
    summary: `Create ${oneSpoken(resource.name)} of your own`,
    body: z.lazy(() => createOwnSchema(resource)),
    readOnlyFields: readOnlyFields(resource),
    errors: [...rowErrors, "not_found", "forbidden"],
    handle: (call) => createOwn(parts, call),
  });
};

/**
 * A field that every new row needs but that nothing supplies: not the caller, nor the parent, the
 * owner or the lifecycle.
 */
const requiredButUnwritten = ({ fields, owner, parent }: Resource): string | undefined => {
  const given = new Set(["id", "created_at", "updated_at", owner, parent?.field]);
  return Object.entries(fields).find(
    ([name, field]) => field.write !== "everyone" && !field.nullable && field.default === undefined && !given.has(name),
  )?.[0];
};

export type StandardOperation =
  | "list"
  | "list-all"
  | "create"
  | "create-own"
  | "read"
  | "replace"
  | "update"
  | "delete";

/**
 * Makes the standard operations of a resource from its declaration. `without` leaves out those that
 * the resource replaces by its own.
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
  const parts: Parts = {
    resource,
    parent,
    references: writtenReferencesOf(resource, resources),
    resources,
    serially: createSerialByKey(),
    // Rows that own themselves (users) are created by a sign-up of their own.
    creates: !without.includes("create") && (parent !== undefined || resource.owner !== "id"),
  };
  const made: Record<StandardOperation, () => Operation | undefined> = {
    list: () => listOperation(resource, parent, resources),
    "list-all": () => (place?.listAll === true ? listOperation(resource, undefined, resources) : undefined),
    create: () => (parts.creates ? createOperation(parts) : undefined),
    // A row below its owner can also be created without naming the owner.
    "create-own": () => (parts.creates && place?.field === resource.owner ? createOwnOperation(parts) : undefined),
    read: () => readOperation(resource, resources),
    replace: () => replaceOperation(parts),
    update: () => patchOperation(parts),
    delete: () => deleteOperation(parts),
  };
  return Object.entries(made)
    .filter(([name]) => !without.some((left) => left === name))
    .flatMap(([, make]) => make() ?? []);
};
