import { isAdmin, type Principal, scopeFor } from "../auth/principal.ts";
import { AppError, type ErrorCode } from "../errors/index.ts";
import { equals } from "../ports/condition.ts";
import { allRows, type FieldValue, type ResourceRepository, type Row } from "../ports/resource-repository.ts";
import { pinsRevision, requireMatch } from "../preconditions/preconditions.ts";
import type { Resource } from "../resources/resource.ts";
import { timestampOf } from "../resources/text.ts";
import {
  createSchema,
  enteredState,
  patchSchema,
  readOnlyFields,
  replaceSchema,
  rowSchema,
  writtenValues,
} from "../resources/write.ts";
import { aliasHeaders, findToWrite, idOf, locationOf, requireParent } from "./addressed-row.ts";
import { present, selectFields, selection, versioned } from "./fields-parameter.ts";
import { listOperation } from "./list-operations.ts";
import { type Answer, type Call, defineOperation, type Operation } from "./operation.ts";
import { principalOf } from "./principal-of.ts";
import { readOperation } from "./read-operation.ts";
import { parseBody } from "./validation.ts";

type Values = Readonly<Record<string, unknown>>;

/** Stores a new row and answers it: 201, `Location`, the selected fields. */
export const createRow = async (
  resource: Resource,
  call: Call,
  given: Values,
  filled: Row,
  parameter: string | undefined,
): Promise<Answer> => {
  const { ids, clock } = call.environment.ports;
  const fields = selectFields(resource, call.principal, parameter);
  const now = timestampOf(clock.now());
  const values = writtenValues(resource, given, { admin: isAdmin(call.principal) }, undefined, now);
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
  const id = String(row.id);
  return call.write({ resource: resource.name, id, fields: Object.keys(given) }, async ({ resources }) => {
    await resources.insert(resource, row);
    return {
      status: 201,
      headers: { location: locationOf(resource, call, id) },
      body: present(row, fields),
      shown: { row: { ...row, revision: 1 }, fields },
    };
  });
};

/** A write that keeps meeting newer revisions gives up after this many tries of its own turn. */
const writeTries = 5;

/** The row is not as it was read: nothing of the transaction may stay. */
class RowMoved extends Error {
  override readonly name = "RowMoved";
}

/**
 * Makes a write from the row as it stands, and anew whenever another write came between: then in turns with the others of this process, so that of many who
 * want the same row all get to write it. @throws AppError `unavailable` when other processes keep coming between.
 */
const onFreshRow = async (
  { name }: Resource,
  { environment }: Call,
  id: string,
  write: () => Promise<Answer>,
): Promise<Answer> => {
  const attempt = (): Promise<Answer | undefined> =>
    write().catch((thrown: unknown) => {
      if (thrown instanceof RowMoved) return undefined;
      throw thrown;
    });
  const inTurn = async (): Promise<Answer> => {
    for (let tries = 0; tries < writeTries; tries += 1) {
      const answer = await attempt();
      if (answer !== undefined) return answer;
    }
    throw contended(name);
  };
  return (await attempt()) ?? environment.rowTurns(`${name} ${id}`, inTurn);
};

/**
 * Changes a row: `edit` makes the whole new body from the stored row. The write happens only on the revision that was read; if another write
 * came between, the change is made anew on top of it, or refused where the caller named the revision it is about.
 * @throws AppError `not_found` for what the caller may not see; `forbidden` for what they see but may not change; `precondition_failed`,
 *   `precondition_required`.
 */
const changeRow = (
  resource: Resource,
  call: Call,
  edit: (stored: Row) => Values,
  parameter: string | undefined,
): Promise<Answer> => {
  const principal = principalOf(call);
  const { clock } = call.environment.ports;
  const id = idOf(resource, call, "id");
  const fields = selectFields(resource, principal, parameter);
  return onFreshRow(resource, call, id, async () => {
    const stored = await findToWrite(resource, call, id, "update");
    requireMatch(call.preconditions, stored);
    const now = timestampOf(clock.now());
    const values = writtenValues(resource, edit(stored), { admin: isAdmin(principal) }, stored, now);
    const next = { ...stored, ...values };
    const changes: Row = { ...values, ...enteredState(resource.lifecycle, next, stored, now), updated_at: now };
    const row: Row = { ...next, ...changes, revision: Number(stored.revision) + 1 };
    const changed = Object.keys(changes).filter(
      (name) => name !== "updated_at" && JSON.stringify(changes[name]) !== JSON.stringify(stored[name]),
    );
    return call.write({ resource: resource.name, id, fields: changed }, async ({ resources }) => {
      const scope = scopeFor(principal, resource.access.update);
      const expectedRevision = Number(stored.revision);
      await requireAnother(resource, resources, stored, row);
      if ((await resources.update(resource, id, scope, changes, { expectedRevision })) !== "done") throw new RowMoved();
      return {
        status: 200,
        headers: aliasHeaders(resource, call, id),
        body: present(row, fields),
        shown: { row, fields },
      };
    });
  });
};

/**
 * Deletes a row and what belongs to it; where the caller named the revision it is about, only that one.
 * @throws AppError as `changeRow`.
 */
const deleteRow = (resource: Resource, call: Call): Promise<Answer> => {
  const { keepsOne } = resource;
  const principal = principalOf(call);
  const id = idOf(resource, call, "id");
  return onFreshRow(resource, call, id, async () => {
    const stored = await findToWrite(
      resource,
      call,
      id,
      "delete",
      versioned(keepsOne === undefined ? [] : [keepsOne.field]),
    );
    requireMatch(call.preconditions, stored);
    const options = pinsRevision(call.preconditions) ? { expectedRevision: Number(stored.revision) } : {};
    return call.write({ resource: resource.name, id }, async ({ resources }) => {
      const scope = scopeFor(principal, resource.access.delete);
      await requireAnother(resource, resources, stored, undefined);
      if ((await resources.delete(resource, id, scope, options)) !== "done") throw new RowMoved();
      return { status: 204, headers: aliasHeaders(resource, call, id) };
    });
  });
};

/**
 * Of the rows that a resource must never be without, another one stays when this one goes or changes: it is held, so that of two callers who take away the
 * last two one is refused.
 * @throws AppError `state_conflict`.
 */
const requireAnother = async (
  resource: Resource,
  resources: ResourceRepository,
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

const contended = (what: string): AppError =>
  new AppError("unavailable", {
    detail: `This ${what} is being changed by others at the moment.`,
    headers: { "retry-after": "1" },
  });

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

const replaceOperation = (resource: Resource): Operation =>
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
      changeRow(resource, call, (stored) => call.applyTo(shownMembers(resource, stored)), call.query.fields),
  });

const patchOperation = (resource: Resource): Operation => {
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
      changeRow(
        resource,
        call,
        (stored) => {
          const current = shownMembers(resource, stored);
          const merged = call.applyTo(current);
          // Removing a member that the caller cannot write is an attempt to write it, not "leave it as it is".
          const removed = Object.keys(current).filter(
            (name) => resource.fields[name]?.write !== "everyone" && !Object.hasOwn(merged, name),
          );
          return parseBody(whole, { ...merged, ...Object.fromEntries(removed.map((name) => [name, null])) }, undefined);
        },
        call.query.fields,
      ),
    reach: async (call) => {
      await findToWrite(resource, call, idOf(resource, call, "id"), "update", ["id"]);
    },
  });
};

const deleteOperation = (resource: Resource): Operation =>
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
    handle: (call) => deleteRow(resource, call),
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
      return createRow(resource, call, call.body, filled, call.query.fields);
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
  const made: Record<StandardOperation, () => Operation | undefined> = {
    list: () => listOperation(resource, parent, resources),
    // Who are their own owners sign up in a way of their own.
    create: () => (parent === undefined && resource.owner === "id" ? undefined : createOperation(resource, parent)),
    read: () => readOperation(resource, resources),
    replace: () => replaceOperation(resource),
    update: () => patchOperation(resource),
    delete: () => deleteOperation(resource),
  };
  return Object.entries(made)
    .filter(([name]) => !without.some((left) => left === name))
    .flatMap(([, make]) => make() ?? []);
};
