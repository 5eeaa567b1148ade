import type { AuditActor, AuditFilter, AuditLog, SaltedSeal, StoredAuditEntry } from "@postern/core/ports";
import type { Knex } from "knex";
import { checkLimit, type Database } from "../engine/database.ts";
import { countRows, findRows, paged } from "../engine/query-builder.ts";

/** A row of the log, with its seal if it has one. */
export interface AuditRow {
  readonly id: number;
  readonly at: number;
  readonly actor_kind: AuditActor["kind"];
  readonly actor_id: string | null;
  readonly credential: string | null;
  readonly action: string;
  readonly resource: string | null;
  readonly resource_id: string | null;
  readonly result: string;
  readonly request_id: string;
  readonly address: string;
  readonly fields: string;
  readonly place: number | null;
  readonly digest: string | null;
  readonly salt: string | null;
}

const columns = [
  "at",
  "actor_kind",
  "actor_id",
  "credential",
  "action",
  "resource",
  "resource_id",
  "result",
  "request_id",
  "address",
  "fields",
];

/** The columns of a log that is joined with its seals. */
export const entryColumns: readonly string[] = [
  "audit_log.id",
  ...columns.map((column) => `audit_log.${column}`),
  "sealed_entry.place",
  "sealed_entry.digest",
  "sealed_entry.salt",
];

export const entryOf = (row: AuditRow): StoredAuditEntry => ({
  id: row.id,
  at: row.at,
  actor: row.actor_kind === "anonymous" ? { kind: row.actor_kind } : { kind: row.actor_kind, id: row.actor_id ?? "" },
  ...(row.credential === null ? {} : { credential: row.credential }),
  action: row.action,
  ...(row.resource === null ? {} : { resource: row.resource }),
  ...(row.resource_id === null ? {} : { resourceId: row.resource_id }),
  result: row.result,
  requestId: row.request_id,
  address: row.address,
  fields: row.fields === "" ? [] : row.fields.split(","),
  ...(row.place === null || row.digest === null
    ? {}
    : { seal: saltedOf({ place: row.place, digest: row.digest, salt: row.salt }) }),
});

export const saltedOf = ({ place, digest, salt }: SealColumns): SaltedSeal => ({
  place: Number(place),
  digest,
  ...(salt === null ? {} : { salt }),
});

/** The columns of a seal in a row. */
interface SealColumns {
  readonly place: number;
  readonly digest: string;
  readonly salt: string | null;
}

/** Nothing here changes or removes a row. The audit chain erases origins and prunes. */
export const knexAuditLog = (database: Database): AuditLog => ({
  append: (entry) =>
    // Do not use the builder here: this is a part of every audited write, and is inserted together
    // with rows of others.
    database.write((session) =>
      session.append({
        table: "audit_log",
        columns,
        values: [
          entry.at,
          entry.actor.kind,
          entry.actor.kind === "anonymous" ? null : entry.actor.id,
          entry.credential ?? null,
          entry.action,
          entry.resource ?? null,
          entry.resourceId ?? null,
          entry.result,
          entry.requestId,
          entry.address,
          entry.fields.join(","),
        ],
      }),
    ),
  list: async (query) => {
    checkLimit(query.limit);
    const { unsealed, sealed } = entriesOf(database, query);
    const rows = await database.read(async (session) => {
      const found = (entries: Knex.QueryBuilder) =>
        findRows<AuditRow>(session, paged(entries.select(...entryColumns), query));
      // Keep this order: an entry that is sealed in between is then found twice, not missed.
      const first = unsealed === undefined ? [] : await found(unsealed);
      return [...first, ...(await found(sealed))];
    });
    const entries = new Map(rows.map((row) => [row.id, entryOf(row)]));
    const oldestFirst = [...entries.values()].toSorted((left, right) => left.id - right.id);
    return (query.after === undefined ? oldestFirst.toReversed() : oldestFirst).slice(0, query.limit);
  },
  count: (filter, atMost) =>
    database.read((session) => {
      const { unsealed, sealed } = entriesOf(database, filter);
      return countRows(session, unsealed === undefined ? [sealed] : [sealed, unsealed], atMost);
    }),
});

/**
 * An entry without a seal may have been written this long before the newest seal: see
 * `sealAuditLog`.
 */
const settleMs = 10 * 60_000;

/**
 * All entries up to this id have seals. The seal with this entry is older than any transaction that
 * is still under way.
 */
const settled = `COALESCE((SELECT entry_id FROM sealed_entry
  WHERE made_at < (SELECT MAX(made_at) FROM sealed_entry) - ${settleMs}
  ORDER BY made_at DESC, place DESC LIMIT 1), 0)`;

/**
 * The entries that match a filter. Those of one actor or one resource are found by their seals,
 * because an index of the log itself would cost each write one more tree (ADR 31). The entries of
 * about the last minute have no seal yet, and are checked one by one.
 */
export const entriesOf = (
  { dialect: { query } }: Pick<Database, "dialect">,
  filter: AuditFilter,
): { readonly sealed: Knex.QueryBuilder; readonly unsealed?: Knex.QueryBuilder } => {
  const { actorId, action, otherThan, resource, resourceId, since, until } = filter;
  const exact = { actor_id: actorId, action, resource, resource_id: resourceId };
  const those = (entries: Knex.QueryBuilder): Knex.QueryBuilder => {
    for (const [column, value] of Object.entries(exact)) {
      if (value !== undefined) entries.where(`audit_log.${column}`, value);
    }
    if (otherThan !== undefined) entries.whereNotIn("audit_log.action", otherThan);
    if (since !== undefined) entries.where("at", ">=", since);
    if (until !== undefined) entries.where("at", "<", until);
    return entries;
  };
  const all = () => those(query("audit_log").leftJoin("sealed_entry", "sealed_entry.entry_id", "audit_log.id"));
  if (actorId === undefined && resourceId === undefined) return { sealed: all() };
  const sealed = those(query("sealed_entry").join("audit_log", "audit_log.id", "sealed_entry.entry_id"));
  return {
    // Search by the resource first: few entries are about one, but one actor may have made a
    // million.
    sealed:
      resourceId === undefined
        ? sealed.where("sealed_entry.actor_id", actorId)
        : sealed.where("sealed_entry.resource_id", resourceId),
    unsealed: all().whereRaw(`audit_log.id > ${settled}`).whereNull("sealed_entry.place"),
  };
};
