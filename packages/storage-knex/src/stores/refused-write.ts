import { AppError, type Resource, type Row } from "@postern/core";
import type { Resources } from "../condition-to-sql.ts";
import type { Session, Statement } from "../database.ts";
import { ConstraintViolation } from "../translate-error.ts";

const taken = (column: string, cause: unknown): AppError =>
  new AppError("conflict", {
    detail: `This ${column} is taken.`,
    faults: [{ pointer: `/${column}`, code: "taken", detail: "already in use" }],
    cause,
  });

interface RowWrite {
  readonly resource: Resource;
  /** What was to be written. */
  readonly row: Row;
  readonly resources: Resources;
}

/** What a refused write means to the caller. */
const explain = async (session: Session, { resource, row, resources }: RowWrite, thrown: unknown): Promise<unknown> => {
  if (!(thrown instanceof ConstraintViolation)) return thrown;
  if (thrown.kind === "unique") return taken(thrown.column ?? "id", thrown);
  for (const [name, { references }] of Object.entries(resource.fields)) {
    const target = references === undefined ? undefined : resources.get(references.resource);
    const value = row[name];
    if (target === undefined || typeof value !== "string") continue;
    const found = await session.rows(`SELECT 1 FROM \`${target.table}\` WHERE id = ?`, [value]);
    if (found.length === 0)
      return new AppError("not_found", { detail: `There is no such ${target.name}.`, cause: thrown });
  }
  return new AppError("not_found", { detail: "Something it refers to does not exist.", cause: thrown });
};

/**
 * Runs a statement that writes a row.
 * @throws AppError `conflict` for a unique value that is taken, `not_found` for a reference to a row that does not exist.
 */
export const writeRow = async (session: Session, write: RowWrite, { sql, values }: Statement): Promise<void> => {
  try {
    await session.run(sql, values);
  } catch (thrown) {
    throw await explain(session, write, thrown);
  }
};
