import {
  AppError,
  type ChangeOptions,
  type Condition,
  type Resource,
  type ResourceRepository,
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

export const resourceWrites = (database: Database, resources: Resources, graph: ResourceGraph): Writes => {
  const { dialect } = database;
  const { where, selected, inScope } = resourceStatements(dialect, resources, graph);

  const deleting = ({ rows, run }: Session): DeletingSession => ({ rows, run, dialect, graph });

  /**
   * Refuses a row that refers to a deleted one, because it would be deleted with that one.
   * @throws AppError `not_found`
   */
  const requireThere = async (session: Session, resource: Resource, id: string): Promise<void> => {
    const isThere = graph.isThere(resource);
    if (isThere === undefined || graph.above(resource).length === 0) return;
    const text = `SELECT 1 FROM \`${resource.table}\` WHERE id = ? AND ${isThere}`;
    if ((await session.rows(text, [id])).length > 0) return;
    throw new AppError("not_found", { detail: "Something it refers to does not exist." });
  };

  /**
   * Locks the row that `found` selects and runs `change`, if the row exists and has the expected
   * revision.
   */
  const whileUnchanged = (
    resource: Resource,
    found: Statement,
    { expectedRevision }: ChangeOptions,
    change: (session: Session) => Promise<void>,
  ): Promise<WriteResult> => {
    const { sql, values } = found;
    return database.write(async (session) => {
      const [row] = await session.rows<{ revision: number }>(
        `${selectOf(resource, ["revision"])} WHERE ${sql}${dialect.forUpdate}`,
        values,
      );
      if (row === undefined) return "missing";
      if (expectedRevision !== undefined && expectedRevision !== row.revision) return "stale";
      await change(session);
      return "done";
    });
  };

  return {
    insert: async (resource, row) => {
      const strange = Object.keys(row).find((name) => !resource.fieldNames.includes(name));
      if (strange !== undefined) throw new TypeError(`resource "${resource.name}" has no field "${strange}"`);
      const columns = allFields(resource);
      const values = [...resource.fieldNames.map((name) => toColumn(resource, name, row[name])), 1];
      const sql = `INSERT INTO \`${resource.table}\` (${quoted(columns)}) VALUES ${placeholders(1, columns.length)}`;
      await database.write(async (session) => {
        await writeRow(deleting(session), { resource, id: String(row.id), row, resources }, { sql, values });
        await requireThere(session, resource, String(row.id));
      });
    },
    hold: async (resource, selection, limit) => {
      checkLimit(limit);
      const { sql, values } = selected(resource, selection);
      const text = `${selectOf(resource, ["id"])} WHERE ${sql} ORDER BY id LIMIT ?${dialect.forUpdate}`;
      const rows = await database.read((session) => session.rows<{ id: string }>(text, [...values, limit]));
      return rows.map(({ id }) => id);
    },
    update: async (resource, { id, scope }, changes, options = {}) => {
      const names = Object.keys(changes);
      for (const name of names) {
        if (name === "id" || name === "revision" || !resource.fieldNames.includes(name)) {
          throw new TypeError(`resource "${resource.name}": "${name}" cannot be changed`);
        }
      }
      const values = names.map((name) => toColumn(resource, name, changes[name]));
      const sql = `UPDATE \`${resource.table}\` SET ${names.map((name) => `\`${name}\` = ?, `).join("")}revision = revision + 1 WHERE id = ?`;
      return whileUnchanged(resource, inScope(resource, id, scope), options, async (session) => {
        await writeRow(deleting(session), { resource, id, row: changes, resources }, { sql, values: [...values, id] });
        if (names.some((name) => resource.fields[name]?.references !== undefined)) {
          await requireThere(session, resource, id);
        }
      });
    },
    delete: (resource, id, scope, options = {}) =>
      whileUnchanged(resource, inScope(resource, id, scope), options, async (session) => {
        const isSmall = !graph.canMark(resource) || (await hasFewBelow(deleting(session), resource, id, deletedAtOnce));
        if (isSmall) await session.run(`DELETE FROM \`${resource.table}\` WHERE id = ?`, [id]);
        else await markDeleted(session, resource, id);
      }),
    deleteWhere: async (resource, scope, more) => {
      const condition: Condition = { all: [scope.where, more] };
      const { sql, values } = where(resource, condition);
      if (!looksElsewhere(condition)) {
        return database.write(
          async (session) => (await session.run(`DELETE FROM \`${resource.table}\` WHERE ${sql}`, values)).changed,
        );
      }
      return database.write(async (session) => {
        const found = await session.rows<{ id: string }>(
          `${selectOf(resource, ["id"])} WHERE ${sql}${dialect.forUpdate}`,
          values,
        );
        for (const chunk of chunksOf(found, 500)) {
          const ids = chunk.map(({ id }) => id);
          await session.run(`DELETE FROM \`${resource.table}\` WHERE id IN (${ids.map(() => "?").join(", ")})`, ids);
        }
        return found.length;
      });
    },
  };
};
