import type { AuditActor, AuditFilter, AuditLog, StoredAuditEntry } from "@postern/core";
import { checkLimit, type Database } from "../database.ts";
import { countRows, findRows, paged } from "../query-builder.ts";

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
  "audit_seal.place",
  "audit_seal.digest",
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
  ...(row.place === null || row.digest === null ? {} : { seal: { place: Number(row.place), digest: row.digest } }),
});

/** Nothing here changes or removes a row. */
export const knexAuditLog = (database: Database): AuditLog => ({
  append: (entry) =>
    // Not by the builder: it is a part of every write that is audited, and goes in with the rows of others.
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
    const page = narrowed(database, query).select(...entryColumns);
    const listed = paged(page.leftJoin("audit_seal", "audit_seal.entry_id", "audit_log.id"), query);
    const rows = await database.read((session) => findRows<AuditRow>(session, listed));
    return rows.map(entryOf);
  },
  count: (filter, atMost) => database.read((session) => countRows(session, narrowed(database, filter), atMost)),
});

const narrowed = ({ dialect }: Database, filter: AuditFilter) => {
  const { actorId, action, resource, resourceId, since, until } = filter;
  const entries = dialect.query("audit_log");
  const exact = { actor_id: actorId, action, resource, resource_id: resourceId };
  for (const [column, value] of Object.entries(exact)) if (value !== undefined) entries.where(column, value);
  if (since !== undefined) entries.where("at", ">=", since);
  if (until !== undefined) entries.where("at", "<", until);
  return entries;
};
