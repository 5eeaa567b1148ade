import { randomInt, randomUUID } from "node:crypto";
import { AppError, type Field, type Resource, type Row } from "@postern/core";
import { inNfc } from "@postern/core/internal";
import { refusable, type Session, type Statement } from "../engine/database.ts";
import { ConstraintViolation } from "../engine/translate-error.ts";
import { type Deleting, deleteRows } from "./deleted-rows.ts";
import { type RepositoryParts, toColumn } from "./resource-statements.ts";

const taken = (column: string, cause: unknown): AppError =>
  new AppError("conflict", {
    detail: `This ${column} is taken.`,
    faults: [{ pointer: `/${column}`, code: "taken", detail: "already in use" }],
    cause,
  });

interface RowWrite {
  readonly resource: Resource;
  readonly id: string;
  /** The values to write. */
  readonly row: Row;
}

/** What it takes to find out why a write was refused. */
interface Refused extends Deleting, Pick<RepositoryParts, "resources"> {}

/**
 * The first field of the resource whose unique value another row has. The databases report a field
 * by the order of their indexes, which differs.
 */
const takenField = async (
  { session, dialect, graph }: Deleting,
  { resource, id, row }: RowWrite,
): Promise<string | undefined> => {
  const isThere = graph.isThere(resource);
  for (const [name, field] of Object.entries(resource.fields)) {
    const value = inNfc(field, row[name]);
    if (!field.unique || (typeof value !== "string" && typeof value !== "number")) continue;
    // With its own id, a new row finds another row, but a changed row finds itself.
    const others = name === "id" ? "" : " AND id <> ?";
    const there = isThere === undefined ? "" : ` AND ${isThere}`;
    const found = await session.rows(
      `SELECT 1 FROM \`${resource.table}\` WHERE \`${name}\` = ?${others}${there}${dialect.forUpdate}`,
      name === "id" ? [value] : [value, id],
    );
    if (found.length > 0) return name;
  }
  return undefined;
};

/** Finds the error that a refused write means for the caller. */
const explain = async (refused: Refused, write: RowWrite, thrown: unknown): Promise<unknown> => {
  if (!(thrown instanceof ConstraintViolation)) return thrown;
  const { resource, row } = write;
  const field = await takenField(refused, write);
  if (field !== undefined) return taken(field, thrown);
  if (thrown.kind === "unique") return taken(thrown.column ?? "id", thrown);
  for (const [name, { references }] of Object.entries(resource.fields)) {
    const target = references === undefined ? undefined : refused.resources.get(references.resource);
    const value = row[name];
    if (target === undefined || typeof value !== "string") continue;
    const found = await refused.session.rows(`SELECT 1 FROM \`${target.table}\` WHERE id = ?`, [value]);
    if (found.length === 0)
      return new AppError("not_found", { detail: `There is no such ${target.name}.`, cause: thrown });
  }
  return new AppError("not_found", { detail: "Something it refers to does not exist.", cause: thrown });
};

/**
 * Runs a statement that writes a row.
 * @throws AppError `conflict` for a unique value that is taken, `not_found` for a reference to a
 * row that does not exist.
 */
export const writeRow = async (
  session: Session,
  parts: RepositoryParts,
  write: RowWrite,
  statement: Statement,
): Promise<void> => {
  try {
    await session.run(statement.sql, statement.values, refusable);
  } catch (thrown) {
    await writeRefused({ session, ...parts }, write, statement, thrown);
  }
};

/** Runs a statement again that was refused for a value of a deleted row, once for each such value. */
const writeRefused = async (
  refused: Refused,
  write: RowWrite,
  statement: Statement,
  refusal: unknown,
): Promise<void> => {
  const freed = new Set<string>();
  let thrown = refusal;
  for (;;) {
    const column = thrown instanceof ConstraintViolation && thrown.kind === "unique" ? thrown.column : undefined;
    const again = column !== undefined && !freed.has(column) && (await freeValue(refused, write, column));
    if (!again) throw await explain(refused, write, thrown);
    freed.add(column);
    try {
      await refused.session.run(statement.sql, statement.values, refusable);
      return;
    } catch (next) {
      thrown = next;
    }
  }
};

/**
 * A value that a deleted row gets instead of a unique value; `undefined` if no other value is
 * possible.
 */
const otherValue = ({ kind, nullable, maxLength = 36 }: Field): string | number | null | undefined => {
  if (nullable) return null;
  if (kind === "text") return `~${randomUUID()}`.slice(0, maxLength);
  return kind === "integer" ? -randomInt(2 ** 47) : undefined;
};

/**
 * Takes a unique value from the row that has it, if that row is marked as deleted and only waits
 * for its removal. Returns whether it did.
 */
const freeValue = async (deleting: Deleting, { resource, row }: RowWrite, column: string): Promise<boolean> => {
  const { session, graph } = deleting;
  const field = Object.hasOwn(resource.fields, column) ? resource.fields[column] : undefined;
  const value = row[column];
  const isThere = graph.isThere(resource);
  if (field === undefined || isThere === undefined || value === null || value === undefined) return false;
  const [holder] = await session.rows<{ id: string }>(
    `SELECT id FROM \`${resource.table}\` WHERE \`${column}\` = ? AND NOT ${isThere}`,
    [toColumn(resource, column, value)],
  );
  if (holder === undefined) return false;
  const other = otherValue(field);
  if (other === undefined) await deleteRows(deleting, { resource, ids: [holder.id] });
  else await session.run(`UPDATE \`${resource.table}\` SET \`${column}\` = ? WHERE id = ?`, [other, holder.id]);
  return true;
};
