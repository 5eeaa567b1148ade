import type { AccessScope, ChangeOptions, Condition, Resource, ResourceRepository, WriteResult } from "@postern/core";
import { looksElsewhere, type Resources } from "../condition-to-sql.ts";
import { checkLimit, chunksOf, type Database, placeholders, quoted, type Session } from "../database.ts";
import { writeRow } from "./refused-write.ts";
import { toColumn } from "./resource-rows.ts";
import { allFields, resourceStatements, selectOf } from "./resource-statements.ts";

type Writes = Pick<ResourceRepository, "insert" | "hold" | "update" | "delete" | "deleteWhere">;

export const resourceWrites = (database: Database, resources: Resources): Writes => {
  const { dialect } = database;
  const { where, selected, inScope } = resourceStatements(dialect, resources);

  /** Runs `change` while the row is locked, if it is in the scope and has the expected revision. */
  const whileUnchanged = (
    resource: Resource,
    id: string,
    scope: AccessScope,
    { expectedRevision }: ChangeOptions,
    change: (session: Session) => Promise<void>,
  ): Promise<WriteResult> => {
    const { sql, values } = inScope(resource, id, scope);
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
      await database.write((session) => writeRow(session, { resource, row, resources }, { sql, values }));
    },
    hold: async (resource, selection, limit) => {
      checkLimit(limit);
      const { sql, values } = selected(resource, selection);
      const text = `${selectOf(resource, ["id"])} WHERE ${sql} ORDER BY id LIMIT ?${dialect.forUpdate}`;
      const rows = await database.read((session) => session.rows<{ id: string }>(text, [...values, limit]));
      return rows.map(({ id }) => id);
    },
    update: async (resource, id, scope, changes, options = {}) => {
      const names = Object.keys(changes);
      for (const name of names) {
        if (name === "id" || name === "revision" || !resource.fieldNames.includes(name)) {
          throw new TypeError(`resource "${resource.name}": "${name}" cannot be changed`);
        }
      }
      const values = names.map((name) => toColumn(resource, name, changes[name]));
      const sql = `UPDATE \`${resource.table}\` SET ${names.map((name) => `\`${name}\` = ?, `).join("")}revision = revision + 1 WHERE id = ?`;
      return whileUnchanged(resource, id, scope, options, (session) =>
        writeRow(session, { resource, row: changes, resources }, { sql, values: [...values, id] }),
      );
    },
    delete: (resource, id, scope, options = {}) =>
      whileUnchanged(resource, id, scope, options, async (session) => {
        await session.run(`DELETE FROM \`${resource.table}\` WHERE id = ?`, [id]);
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
