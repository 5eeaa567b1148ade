import { type AccessRule, AppError, allRows, type Resource, type ResourceRepository, type Row } from "@postern/core";
import {
  allowsRow,
  changedRow,
  fieldsOf,
  isForNobody,
  newRow,
  openWritesOf,
  requireAnother,
  type SerialByKey,
  timestampOf,
} from "@postern/core/internal";
import {
  hasSignedInRecently,
  isAdmin,
  type Principal,
  principalOf,
  scopeFor,
  signInTooOld,
} from "../access/principal.ts";
import type { EngineCall, OperationAnswer } from "../operations/operation.ts";
import { pinsRevision, requireMatch } from "../preconditions/preconditions.ts";
import { spoken } from "./resource-words.ts";
import { aliasHeaders, findToWrite, idOf, locationOf } from "./row-in-path.ts";
import { present, selectFields, versioned } from "./shape-parameters.ts";
import { requireReferred, type WrittenReferences } from "./written-references.ts";

type Values = Readonly<Record<string, unknown>>;

interface NewRow {
  /** The caller's values, checked by the schema of the body. */
  readonly given: Values;
  /** The values that the operation sets: parent, owner, a hashed password. */
  readonly filled: Row;
  /** Its id, if the caller has made one. */
  readonly id?: string;
  /** The `fields` parameter: which fields the answer shows. */
  readonly shown: string | undefined;
  /** The references that callers write, made by `writtenReferencesOf`. Default: none. */
  readonly references?: WrittenReferences;
  /** All resources, for what the access rule leads to. Without it, the operation has rules of its own. */
  readonly resources?: ReadonlyMap<string, Resource>;
}

/**
 * Asks an access rule about a row as it becomes. What the rule leads to is read in the transaction of
 * the write.
 * @throws AppError `forbidden`.
 */
const requireAllowed = async (
  resources: ResourceRepository,
  call: EngineCall,
  all: ReadonlyMap<string, Resource>,
  { rule, row, detail }: { readonly rule: AccessRule; readonly row: Row; readonly detail: string },
): Promise<void> => {
  const { principal } = call;
  if (principal === undefined) return;
  const find = async (name: string, id: string): Promise<Row | undefined> => {
    const target = all.get(name);
    return target && resources.find(target, id, allRows("what an access rule looks at"));
  };
  // As `scopeFor`: what is for nobody is not for administrators either.
  const isAllowed = isAdmin(principal)
    ? !isForNobody(rule)
    : principal.kind === "user" && (await allowsRow(rule, principal, row, find));
  if (!isAllowed) throw new AppError("forbidden", { detail });
};

/** Stores a new row and answers 201 with `Location` and the selected fields. */
export const createRow = async (
  resource: Resource,
  call: EngineCall,
  { given, filled, shown, id = call.newId(), references = [], resources: all }: NewRow,
): Promise<OperationAnswer> => {
  const fields = selectFields(resource, call.principal, shown);
  const now = timestampOf(call.now());
  const writer = { admin: isAdmin(call.principal) };
  const made = newRow(resource, { id, given, filled, writer, now });
  const { update, create: rule = update } = resource.access;
  const detail = `You may not create such a ${spoken(resource.name)}.`;
  const about = { resource: resource.name, id, fields: Object.keys(given) };
  return call.write(about, async (stores) => {
    const { resources } = stores;
    const { row, more } = await openWritesOf(stores).ask(resource, { row: made.row });
    if (all !== undefined) await requireAllowed(resources, call, all, { rule, row, detail });
    if (references.length > 0) {
      await requireReferred(resources, principalOf(call), references, { values: Object.assign({}, made.values, more) });
    }
    await call.quotas.hold(resources, resource, row);
    await resources.insert(resource, row, { isAsked: true });
    await call.quotas.check(resources, resource, row);
    return {
      status: 201,
      headers: { location: locationOf(resource, call, id) },
      body: present(row, fields),
      shown: { row: Object.assign({}, row, { revision: 1 }), fields },
    };
  });
};

/**
 * The user to whom a new row belongs.
 * @throws AppError `forbidden` if nobody is signed in who could own it.
 */
export const ownerId = (principal: Principal): string => {
  if (principal.kind === "user") return principal.userId;
  throw new AppError("forbidden", { detail: "This needs a signed-in user who will own it." });
};

/** A write gives up if other writes came first this many times. */
const writeTries = 5;

/** The row has changed since it was read, so the transaction must leave nothing behind. */
class RowMoved extends Error {
  override readonly name = "RowMoved";
}

/**
 * Runs a write on the row as it is, and again if another write came between. From the second try
 * on, writes of the same row wait for each other, and new ones behind them, so that each of many
 * callers gets its turn.
 * @throws AppError `unavailable` when other processes keep coming first.
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
  const tryAgain = async (): Promise<OperationAnswer> => {
    for (let tries = 0; tries < writeTries; tries += 1) {
      const answer = await attempt();
      if (answer !== undefined) return answer;
    }
    throw contended(name);
  };
  const key = `${name} ${id}`;
  const answer = serially.isBusy(key) ? undefined : await attempt();
  return answer ?? serially(key, tryAgain);
};

interface RowChange {
  /** Makes the whole new body from the stored row. */
  readonly edit: (stored: Row, writer: { readonly admin: boolean }) => Values;
  /** The `fields` parameter: which fields the answer shows. */
  readonly shown: string | undefined;
  /** The references that callers write, made by `writtenReferencesOf`. */
  readonly references: WrittenReferences;
  /** All resources, for what an access rule leads to. */
  readonly resources: ReadonlyMap<string, Resource>;
}

/**
 * @throws AppError `sign_in_too_old` if one of the changed fields needs a recent sign-in, and the
 *   caller's is older.
 */
const requireRecentSignIn = ({ fields }: Resource, call: EngineCall, changed: readonly string[]): void => {
  if (!changed.some((name) => fields[name]?.recentSignIn === true)) return;
  if (!hasSignedInRecently(principalOf(call), call.now())) throw signInTooOld();
};

/**
 * Changes a row; `edit` makes the whole new body from the stored row. The write happens only on the
 * revision that was read. If another write came between, the change is made again on top of it, or
 * refused if the caller named a revision.
 * @throws AppError `not_found` for a row that the caller may not see, and for a reference to one;
 *   `forbidden` for a row that they may see but not change; `precondition_failed`,
 *   `precondition_required`.
 */
export const changeRow = (
  serially: SerialByKey,
  resource: Resource,
  call: EngineCall,
  { edit, shown, references, resources: all }: RowChange,
): Promise<OperationAnswer> => {
  const principal = principalOf(call);
  const id = idOf(resource, call, "id");
  const fields = selectFields(resource, principal, shown);
  return onFreshRow(serially, resource, id, async () => {
    const stored = await findToWrite(resource, call, "update");
    requireMatch(call.preconditions, stored);
    const now = timestampOf(call.now());
    const writer = { admin: isAdmin(principal) };
    const change = changedRow(resource, edit(stored, writer), { writer, stored, now });
    requireRecentSignIn(resource, call, change.changed);
    const rule = resource.access.update;
    const detail = `You may not change this ${spoken(resource.name)} so that it is beyond your reach.`;
    return call.write({ resource: resource.name, id, fields: change.changed }, async (stores) => {
      const { resources } = stores;
      const { row, more } = await openWritesOf(stores).ask(resource, { stored, row: change.row });
      const scope = scopeFor(principal, resource.access.update);
      const isMoved = fieldsOf(rule).some((name) => row[name] !== stored[name]);
      if (isMoved) await requireAllowed(resources, call, all, { rule, row, detail });
      await requireReferred(resources, principal, references, {
        values: Object.assign({}, change.values, more),
        stored,
      });
      await requireAnother(resource, resources, stored, row);
      await call.quotas.hold(resources, resource, row);
      const changes = Object.assign({}, change.changes, more);
      const known = { expectedRevision: Number(stored.revision), stored, isAsked: true } as const;
      if ((await resources.update(resource, { id, scope }, changes, known)) !== "done") throw new RowMoved();
      await call.quotas.check(resources, resource, row, stored);
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
 * Deletes a row and what belongs to it; if the caller named a revision, only that one.
 * @throws AppError as `changeRow`.
 */
export const deleteRow = (serially: SerialByKey, resource: Resource, call: EngineCall): Promise<OperationAnswer> => {
  const { keepsOne } = resource;
  const principal = principalOf(call);
  const id = idOf(resource, call, "id");
  return onFreshRow(serially, resource, id, async () => {
    const isHeard = call.hears(resource);
    const read = isHeard ? undefined : versioned(keepsOne === undefined ? [] : [keepsOne.field]);
    const stored = await findToWrite(resource, call, "delete", read);
    requireMatch(call.preconditions, stored);
    const expectedRevision = Number(stored.revision);
    const pinned = pinsRevision(call.preconditions) || isHeard ? { expectedRevision } : {};
    const known = isHeard ? { stored, isAsked: true as const } : {};
    return call.write({ resource: resource.name, id }, async (stores) => {
      const { resources } = stores;
      if (isHeard) await openWritesOf(stores).ask(resource, { stored });
      const scope = scopeFor(principal, resource.access.delete);
      await requireAnother(resource, resources, stored, undefined);
      const result = await resources.delete(resource, id, scope, { ...pinned, ...known });
      if (result !== "done") throw new RowMoved();
      return { status: 204, headers: aliasHeaders(resource, call, id) };
    });
  });
};

const contended = (what: string): AppError =>
  new AppError("unavailable", {
    detail: `This ${what} is being changed by others at the moment.`,
    headers: { "retry-after": "1" },
  });
