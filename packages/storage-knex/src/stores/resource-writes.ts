import {
  type AccessScope,
  AppError,
  type Condition,
  type Resource,
  type ResourceRepository,
  type Row,
} from "@postern/core";
import type { Selection, WriteResult } from "@postern/core/ports";
import { looksElsewhere } from "../engine/condition-to-sql.ts";
import { checkLimit, chunksOf, idsOf, type Session, type Statement, type Value } from "../engine/database.ts";
import { hasFewBelow, markDeleted, tellBelow } from "./deleted-rows.ts";
import { writeRow } from "./refused-write.ts";
import { type InRepository, type RepositoryParts, selectOf, toColumn } from "./resource-statements.ts";

type RowInScope = Parameters<ResourceRepository["update"]>[1];
type ChangeOptions = NonNullable<Parameters<ResourceRepository["update"]>[3]>;
type DeleteOptions = NonNullable<Parameters<ResourceRepository["delete"]>[3]>;

/**
 * A row with more rows below it than this is only marked, and the rows are deleted in portions
 * later.
 */
const deletedAtOnce = 500;

export const insertRow = async ({ database, parts }: InRepository, resource: Resource, row: Row): Promise<void> => {
  for (const name of Object.keys(row)) {
    if (!Object.hasOwn(resource.fields, name)) {
      throw new TypeError(`resource "${resource.name}" has no field "${name}"`);
    }
  }
  const { sql, isChecked } = parts.insertOf(resource);
  const values: Value[] = resource.fieldNames.map((name) => toColumn(resource, name, row[name]));
  values.push(1);
  const id = String(row.id);
  await database.write(async (session) => {
    await writeRow(session, parts, { resource, id, row }, { sql, values });
    if (!isChecked) await requireThere(parts, session, resource, id);
  });
};

export const updateRow = async (
  writing: InRepository,
  resource: Resource,
  { id, scope }: RowInScope,
  changes: Row,
  options: ChangeOptions = {},
): Promise<WriteResult> => {
  const { parts } = writing;
  const statement = updateOf(resource, id, changes);
  const refers = Object.keys(changes).some((name) => resource.fields[name]?.references !== undefined);
  const found = { ...parts.inScope(resource, id, scope), ...options };
  return whileUnchanged(writing, resource, found, async (session) => {
    await writeRow(session, parts, { resource, id, row: changes }, statement);
    if (refers) await requireThere(parts, session, resource, id);
  });
};

/** @throws TypeError for a field that does not exist or cannot be changed. */
const updateOf = (resource: Resource, id: string, changes: Row): Statement => {
  const names = Object.keys(changes);
  for (const name of names) {
    if (name === "id" || name === "revision" || !resource.fieldNames.includes(name)) {
      throw new TypeError(`resource "${resource.name}": "${name}" cannot be changed`);
    }
  }
  return {
    sql: `UPDATE \`${resource.table}\` SET ${names.map((name) => `\`${name}\` = ?, `).join("")}revision = revision + 1 WHERE id = ?`,
    values: [...names.map((name) => toColumn(resource, name, changes[name])), id],
  };
};

/**
 * Refuses a stored row that refers to a deleted one, because it would be deleted with that one.
 * @throws AppError `not_found`
 */
const requireThere = async (
  { graph }: RepositoryParts,
  session: Session,
  resource: Resource,
  id: string,
): Promise<void> => {
  const isThere = graph.isThere(resource);
  if (isThere === undefined || graph.above(resource).length === 0) return;
  const text = `SELECT 1 FROM \`${resource.table}\` WHERE id = ? AND ${isThere}`;
  if ((await session.rows(text, [id])).length > 0) return;
  throw new AppError("not_found", { detail: "Something it refers to does not exist." });
};

/**
 * Locks the row that the statement selects and runs `change`, if the row exists and has the
 * expected revision.
 */
const whileUnchanged = (
  { database, parts }: InRepository,
  resource: Resource,
  { sql, values, expectedRevision }: Statement & ChangeOptions,
  change: (session: Session) => Promise<void>,
): Promise<WriteResult> =>
  database.write(async (session) => {
    const [row] = await session.rows<{ revision: number }>(
      `${selectOf(resource, ["revision"])} WHERE ${sql}${parts.dialect.forUpdate}`,
      values,
    );
    if (row === undefined) return "missing";
    if (expectedRevision !== undefined && expectedRevision !== row.revision) return "stale";
    await change(session);
    return "done";
  });

export const holdRows = async (
  { database, parts }: InRepository,
  resource: Resource,
  selection: Selection,
  limit: number,
): Promise<readonly string[]> => {
  checkLimit(limit);
  const { sql, values } = parts.selected(resource, selection);
  const text = `${selectOf(resource, ["id"])} WHERE ${sql} ORDER BY id LIMIT ?${parts.dialect.forUpdate}`;
  const rows = await database.read((session) => session.rows<{ id: string }>(text, [...values, limit]));
  return idsOf(rows);
};

export const deleteRow = (
  writing: InRepository,
  resource: Resource,
  id: string,
  scope: AccessScope,
  { cascade, ...options }: DeleteOptions = {},
): Promise<WriteResult> => {
  const { parts } = writing;
  const found = { ...parts.inScope(resource, id, scope), ...options };
  return whileUnchanged(writing, resource, found, async (session) => {
    const deleting = { session, ...parts };
    const isSmall = !parts.graph.canMark(resource) || (await hasFewBelow(deleting, resource, id, deletedAtOnce));
    if (!isSmall) {
      await markDeleted(session, resource, id);
      return cascade?.left();
    }
    if (cascade !== undefined) await tellBelow(deleting, { resource, ids: [id] }, cascade);
    await session.run(`DELETE FROM \`${resource.table}\` WHERE id = ?`, [id]);
  });
};

export const deleteRowsWhere = async (
  { database, parts }: InRepository,
  resource: Resource,
  scope: AccessScope,
  more: Condition,
): Promise<number> => {
  const condition: Condition = { all: [scope.where, more] };
  const found = parts.where(resource, condition);
  if (looksElsewhere(condition)) {
    return database.write((session) => deleteFound(session, resource, found, parts.dialect.forUpdate));
  }
  const { sql, values } = found;
  return database.write(
    async (session) => (await session.run(`DELETE FROM \`${resource.table}\` WHERE ${sql}`, values)).changed,
  );
};

/** Selects and locks the rows, then deletes them by their ids. Returns how many there were. */
const deleteFound = async (
  session: Session,
  resource: Resource,
  { sql, values }: Statement,
  lock: string,
): Promise<number> => {
  const found = await session.rows<{ id: string }>(`${selectOf(resource, ["id"])} WHERE ${sql}${lock}`, values);
  for (const chunk of chunksOf(found, 500)) {
    const ids = idsOf(chunk);
    await session.run(`DELETE FROM \`${resource.table}\` WHERE id IN (${ids.map(() => "?").join(", ")})`, ids);
  }
  return found.length;
};
