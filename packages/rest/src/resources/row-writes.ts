import {
  AppError,
  allRows,
  equals,
  type FieldValue,
  type Resource,
  type ResourceRepository,
  type Row,
} from "@postern/core";
import { timestampOf } from "@postern/core/parts";
import { isAdmin, scopeFor } from "../access/principal.ts";
import { principalOf } from "../access/principal-of.ts";
import type { Call, OperationAnswer } from "../operations/operation.ts";
import { pinsRevision, requireMatch } from "../preconditions/preconditions.ts";
import { present, selectFields, versioned } from "./fields-parameter.ts";
import { aliasHeaders, findToWrite, idOf, locationOf } from "./row-in-path.ts";
import type { SerialByKey } from "./serial-by-key.ts";
import { enteredState, writtenValues } from "./write.ts";

type Values = Readonly<Record<string, unknown>>;

/** What a new row is made of. */
interface NewRow {
  /** What the caller gave; checked by the schema of the body. */
  readonly given: Values;
  /** What the operation fills in: parent, owner, a hashed password. */
  readonly filled: Row;
  /** The `fields` parameter: which fields the answer shows. */
  readonly shown: string | undefined;
}

/** Stores a new row and answers it: 201, `Location`, the selected fields. */
export const createRow = async (
  resource: Resource,
  call: Call,
  { given, filled, shown }: NewRow,
): Promise<OperationAnswer> => {
  const fields = selectFields(resource, call.principal, shown);
  const now = timestampOf(call.now());
  const values = writtenValues(resource, given, { admin: isAdmin(call.principal) }, undefined, now);
  const blank: Record<string, FieldValue> = {};
  for (const [name, field] of Object.entries(resource.fields)) blank[name] = field.default ?? null;
  const row: Row = {
    ...blank,
    ...values,
    ...filled,
    ...enteredState(resource.lifecycle, values, undefined, now),
    id: call.newId(),
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
 * Makes a write from the row as it stands, and again whenever another write came between. From the second
 * try on the writes of one row wait for each other, so that of many who want the same row each gets to
 * write it. @throws AppError `unavailable` when other processes keep coming between.
 */
const onFreshRow = async (
  serially: SerialByKey,
  { name }: Resource,
  id: string,
  write: () => Promise<OperationAnswer>,
): Promise<OperationAnswer> => {
  const attempt = (): Promise<OperationAnswer | undefined> =>
    write().catch((thrown: unknown) => {
      if (thrown instanceof RowMoved) return undefined;
      throw thrown;
    });
  const inTurn = async (): Promise<OperationAnswer> => {
    for (let tries = 0; tries < writeTries; tries += 1) {
      const answer = await attempt();
      if (answer !== undefined) return answer;
    }
    throw contended(name);
  };
  return (await attempt()) ?? serially(`${name} ${id}`, inTurn);
};

interface RowChange {
  /** Makes the whole new body from the stored row. */
  readonly edit: (stored: Row) => Values;
  /** The `fields` parameter: which fields the answer shows. */
  readonly shown: string | undefined;
}

/**
 * Changes a row: `edit` makes the whole new body from the stored row. The write happens only on the revision that was read; if another write
 * came between, the change is made anew on top of it, or refused where the caller named the revision it is about.
 * @throws AppError `not_found` for what the caller may not see; `forbidden` for what they see but may not change; `precondition_failed`,
 *   `precondition_required`.
 */
export const changeRow = (
  serially: SerialByKey,
  resource: Resource,
  call: Call,
  { edit, shown }: RowChange,
): Promise<OperationAnswer> => {
  const principal = principalOf(call);
  const id = idOf(resource, call, "id");
  const fields = selectFields(resource, principal, shown);
  return onFreshRow(serially, resource, id, async () => {
    const stored = await findToWrite(resource, call, id, "update");
    requireMatch(call.preconditions, stored);
    const now = timestampOf(call.now());
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
export const deleteRow = (serially: SerialByKey, resource: Resource, call: Call): Promise<OperationAnswer> => {
  const { keepsOne } = resource;
  const principal = principalOf(call);
  const id = idOf(resource, call, "id");
  return onFreshRow(serially, resource, id, async () => {
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
