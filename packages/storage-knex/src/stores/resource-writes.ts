import {
  AppError,
  type ChangeOptions,
  type Condition,
  type Resource,
  type ResourceRepository,
  type Row,
  type WriteResult,
} from "@postern/core";
import { looksElsewhere, type Resources } from "../condition-to-sql.ts";
import {
  checkLimit,
  chunksOf,
  type Database,
  placeholders,
  quoted,
  type Session,
  type Statement,
} from "../database.ts";
import { type DeletingSession, hasFewBelow, markDeleted, type ResourceGraph } from "../deleted-rows.ts";
import { writeRow } from "./refused-write.ts";
import { toColumn } from "./resource-rows.ts";
import { allFields, resourceStatements, selectOf } from "./resource-statements.ts";

/**
 * A row with more rows below it than this is only marked, and the rows are deleted in portions
 * later.
 */
const deletedAtOnce = 500;

type Writes = Pick<ResourceRepository, "insert" | "hold" | "update" | "delete" | "deleteWhere">;

/** What the steps of a write share. */
interface WriteParts {
  readonly database: Database;
  readonly resources: Resources;
  readonly graph: ResourceGraph;
  readonly statements: ReturnType<typeof resourceStatements>;
}

export const resourceWrites = (database: Database, resources: Resources, graph: ResourceGraph): Writes => {
  const parts = { database, resources, graph, statements: resourceStatements(database.dialect, resources, graph) };
  return { ...rowWrites(parts), hold: holdRows(parts), ...rowDeletions(parts) };
};

const deleting = ({ database, graph }: WriteParts, { rows, run }: Session): DeletingSession => ({
  rows,
  run,
  dialect: database.dialect,
  graph,
});

/** Inserts and changes rows. */
const rowWrites = (parts: WriteParts): Pick<Writes, "insert" | "update"> => {
  const { database, resources, statements } = parts;
  return {
    insert: async (resource, row) => {
      const strange = Object.keys(row).find((name) => !resource.fieldNames.includes(name));
      if (strange !== undefined) throw new TypeError(`resource "${resource.name}" has no field "${strange}"`);
      const statement = insertOf(resource, row);
      const id = String(row.id);
      await database.write(async (session) => {
        await writeRow(deleting(parts, session), { resource, id, row, resources }, statement);
        await requireThere(parts, session, resource, id);
      });
    },
    update: async (resource, { id, scope }, changes, options = {}) => {
      const statement = updateOf(resource, id, changes);
      const refers = Object.keys(changes).some((name) => resource.fields[name]?.references !== undefined);
      return whileUnchanged(
        parts,
        resource,
        { ...statements.inScope(resource, id, scope), ...options },
        async (session) => {
          await writeRow(deleting(parts, session), { resource, id, row: changes, resources }, statement);
          if (refers) await requireThere(parts, session, resource, id);
        },
      );
    },
  };
};

const insertOf = (resource: Resource, row: Row): Statement => {
  const columns = allFields(resource);
  return {
    sql: `INSERT INTO \`${resource.table}\` (${quoted(columns)}) VALUES ${placeholders(1, columns.length)}`,
    values: [...resource.fieldNames.map((name) => toColumn(resource, name, row[name])), 1],
  };
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
 * Refuses a row that refers to a deleted one, because it would be deleted with that one.
 * @throws AppError `not_found`
 */
const requireThere = async ({ graph }: WriteParts, session: Session, resource: Resource, id: string): Promise<void> => {
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
  { database }: WriteParts,
  resource: Resource,
  { sql, values, expectedRevision }: Statement & ChangeOptions,
  change: (session: Session) => Promise<void>,
): Promise<WriteResult> =>
  database.write(async (session) => {
    const [row] = await session.rows<{ revision: number }>(
      `${selectOf(resource, ["revision"])} WHERE ${sql}${database.dialect.forUpdate}`,
      values,
    );
    if (row === undefined) return "missing";
    if (expectedRevision !== undefined && expectedRevision !== row.revision) return "stale";
    await change(session);
    return "done";
  });

const holdRows =
  ({ database, statements }: WriteParts): Writes["hold"] =>
  async (resource, selection, limit) => {
    checkLimit(limit);
    const { sql, values } = statements.selected(resource, selection);
    const text = `${selectOf(resource, ["id"])} WHERE ${sql} ORDER BY id LIMIT ?${database.dialect.forUpdate}`;
    const rows = await database.read((session) => session.rows<{ id: string }>(text, [...values, limit]));
    return rows.map(({ id }) => id);
  };

const rowDeletions = (parts: WriteParts): Pick<Writes, "delete" | "deleteWhere"> => {
  const { database, graph, statements } = parts;
  return {
    delete: (resource, id, scope, options = {}) =>
      whileUnchanged(parts, resource, { ...statements.inScope(resource, id, scope), ...options }, async (session) => {
        const isSmall =
          !graph.canMark(resource) || (await hasFewBelow(deleting(parts, session), resource, id, deletedAtOnce));
        if (isSmall) await session.run(`DELETE FROM \`${resource.table}\` WHERE id = ?`, [id]);
        else await markDeleted(session, resource, id);
      }),
    deleteWhere: async (resource, scope, more) => {
      const condition: Condition = { all: [scope.where, more] };
      const found = statements.where(resource, condition);
      if (looksElsewhere(condition)) {
        return database.write((session) => deleteFound(session, resource, found, database.dialect.forUpdate));
      }
      const { sql, values } = found;
      return database.write(
        async (session) => (await session.run(`DELETE FROM \`${resource.table}\` WHERE ${sql}`, values)).changed,
      );
    },
  };
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
    const ids = chunk.map(({ id }) => id);
    await session.run(`DELETE FROM \`${resource.table}\` WHERE id IN (${ids.map(() => "?").join(", ")})`, ids);
  }
  return found.length;
};
