import {
  type AccessScope,
  AppError,
  type ChangeOptions,
  type Condition,
  type FieldKind,
  type FieldValue,
  type Resource,
  type ResourceRepository,
  type Row,
  type Selection,
  type WriteResult,
} from "@postern/core";
import {
  allOf,
  columnOf,
  conditionToSql,
  conjunction,
  fieldOf,
  looksElsewhere,
  type Resources,
  type Source,
} from "../condition-to-sql.ts";
import {
  checkLimit,
  chunksOf,
  type Database,
  placeholders,
  quoted,
  type Session,
  type Statement,
  type Value,
} from "../database.ts";
import { belowToSql, pageToSql } from "../list-order.ts";
import { ConstraintViolation } from "../translate-error.ts";

type StoredRow = Record<string, FieldValue>;

/** A field's value as its column holds it. @throws TypeError for one that no field has, e.g. `undefined`. */
const toColumn = (resource: Resource, name: string, value: FieldValue | undefined): Value => {
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  if (typeof value === "boolean" && fieldOf(resource, name)?.kind === "boolean") return Number(value);
  if (typeof value === "object" && fieldOf(resource, name)?.kind === "json") return JSON.stringify(value);
  throw new TypeError(
    `resource "${resource.name}": ${value === undefined ? "no value" : `a ${typeof value}`} for "${name}"`,
  );
};

/** How a column's value becomes the field's where they differ; all others are in the form of the API already. */
const readers: Partial<Readonly<Record<FieldKind, (value: FieldValue) => FieldValue>>> = {
  json: (value) => JSON.parse(String(value)),
  boolean: (value) => value === 1,
};

const fromColumns = (resource: Resource, fields: readonly string[]) => {
  const read = fields.flatMap((name) => {
    const reader = readers[fieldOf(resource, name)?.kind ?? "text"];
    return reader === undefined ? [] : [{ name, reader }];
  });
  return (row: StoredRow): Row => {
    for (const { name, reader } of read) {
      const value = row[name] ?? null;
      if (value !== null) row[name] = reader(value);
    }
    return row;
  };
};

const taken = (column: string, cause: unknown): AppError =>
  new AppError("conflict", {
    detail: `This ${column} is taken.`,
    faults: [{ pointer: `/${column}`, code: "taken", detail: "already in use" }],
    cause,
  });

export const knexResourceRepository = (database: Database, resources: Resources): ResourceRepository => {
  const { dialect } = database;
  const sourceOf = (resource: Resource): Source => ({ resource, alias: resource.table });
  const compile = (resource: Resource, condition: Condition): Statement =>
    conditionToSql(condition, sourceOf(resource), { resources, dialect });
  const selected = (resource: Resource, { scope, where }: Selection): Statement =>
    compile(resource, conjunction(where === undefined ? [scope.where] : [scope.where, where]));

  /** The row with this id, if the scope holds it. */
  const inScope = (resource: Resource, id: string, { where }: AccessScope): Statement =>
    allOf([{ sql: `${columnOf(sourceOf(resource), "id")} = ?`, values: [id] }, compile(resource, where)]);

  const selectOf = (resource: Resource, fields: readonly string[]): string =>
    `SELECT ${fields.map((name) => columnOf(sourceOf(resource), name)).join(", ")} FROM \`${resource.table}\``;

  /** What a refused write means to the caller. */
  const explain = async (session: Session, resource: Resource, row: Row, thrown: unknown): Promise<unknown> => {
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

  const guarded = async (session: Session, resource: Resource, row: Row, { sql, values }: Statement): Promise<void> => {
    try {
      await session.run(sql, values);
    } catch (thrown) {
      throw await explain(session, resource, row, thrown);
    }
  };

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
      const columns = [...resource.fieldNames, "revision"];
      const values = [...resource.fieldNames.map((name) => toColumn(resource, name, row[name])), 1];
      const sql = `INSERT INTO \`${resource.table}\` (${quoted(columns)}) VALUES ${placeholders(1, columns.length)}`;
      await database.write((session) => guarded(session, resource, row, { sql, values }));
    },
    find: async (resource, id, scope, fields = [...resource.fieldNames, "revision"]) => {
      const { sql, values } = inScope(resource, id, scope);
      const text = `${selectOf(resource, fields)} WHERE ${sql}`;
      const [row] = await database.select<StoredRow>({ sql: text, values }, fields);
      return row === undefined ? undefined : fromColumns(resource, fields)(row);
    },
    list: async (
      resource,
      { order, after, before, limit, fields = [...resource.fieldNames, "revision"], ...selection },
    ) => {
      checkLimit(limit);
      const statement = pageToSql(
        { source: sourceOf(resource), fields, where: selected(resource, selection), order, limit },
        { ...(after && { after }), ...(before && { before }) },
      );
      const rows = await database.select<StoredRow>(statement, fields);
      const read = rows.map(fromColumns(resource, fields));
      return before === undefined ? read : read.reverse();
    },
    findEach: async (resource, ids, scope, fields = [...resource.fieldNames, "revision"]) => {
      if (ids.length === 0) return [];
      const where = allOf([dialect.anyTextOf(columnOf(sourceOf(resource), "id"), ids), compile(resource, scope.where)]);
      const text = `${selectOf(resource, fields)} WHERE ${where.sql}`;
      const rows = await database.select<StoredRow>({ sql: text, values: where.values }, fields);
      return rows.map(fromColumns(resource, fields));
    },
    listBelow: async (
      resource,
      { parents, order, limit, fields = [...resource.fieldNames, "revision"], ...selection },
    ) => {
      checkLimit(limit);
      if (parents.ids.length === 0) return [];
      const statement = belowToSql(
        { source: sourceOf(resource), fields, where: selected(resource, selection), order, limit },
        parents,
      );
      const rows = await database.select<StoredRow>(statement, fields);
      return rows.map(fromColumns(resource, fields));
    },
    count: async (resource, selection, atMost) => {
      if (!(Number.isSafeInteger(atMost) && atMost >= 1))
        throw new TypeError(`counting stops at a whole number, not ${atMost}`);
      const { sql, values } = selected(resource, selection);
      const text = `SELECT COUNT(*) AS counted FROM (SELECT 1 FROM \`${resource.table}\` WHERE ${sql} LIMIT ${atMost}) AS found`;
      const [row] = await database.select<{ counted: number }>({ sql: text, values }, ["counted"]);
      return row?.counted ?? 0;
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
        guarded(session, resource, changes, { sql, values: [...values, id] }),
      );
    },
    delete: (resource, id, scope, options = {}) =>
      whileUnchanged(resource, id, scope, options, async (session) => {
        await session.run(`DELETE FROM \`${resource.table}\` WHERE id = ?`, [id]);
      }),
    deleteWhere: async (resource, scope, where) => {
      const condition: Condition = { all: [scope.where, where] };
      const { sql, values } = compile(resource, condition);
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
