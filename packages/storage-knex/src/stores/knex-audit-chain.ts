import type { AuditChain, AuditSeal, NewAuditSeal } from "@postern/core/ports";
import { checkLimit, chunksOf, type Database, placeholders, type Session } from "../engine/database.ts";
import { changeQuery, changeRows, findRows, readQuery } from "../engine/query-builder.ts";
import { isTaken } from "../engine/translate-error.ts";
import { type AuditRow, entryColumns, entryOf, saltedOf } from "./knex-audit-log.ts";

interface SealRow {
  readonly place: number;
  readonly entry_id: number;
  readonly digest: string;
  readonly salt: string | null;
}

/** A seal, and its entry if that is still there. */
type SealedRow = SealRow & Omit<AuditRow, "id"> & { readonly id: number | null };

const sealOf = (row: SealRow): NewAuditSeal => ({ ...saltedOf(row), entryId: Number(row.entry_id) });

/** The origins of sealed entries, and how they are erased with an account. */
const auditOrigins = (database: Database): Pick<AuditChain, "withOrigin" | "eraseOrigins"> => ({
  withOrigin: async ({ after, limit, ...concerned }) => {
    checkLimit(limit);
    const found = database.dialect
      .query("sealed_entry")
      .join("audit_log", "audit_log.id", "sealed_entry.entry_id")
      .select(...entryColumns)
      .where("sealed_entry.entry_id", ">", after)
      .whereNotNull("sealed_entry.salt")
      .orderBy("sealed_entry.entry_id")
      .limit(limit);
    if ("actorId" in concerned) {
      found.where("sealed_entry.actor_id", concerned.actorId);
      found.where({ "audit_log.actor_id": concerned.actorId, actor_kind: "user" });
    } else {
      found.whereIn("sealed_entry.resource_id", concerned.resourceIds);
      found.where({ resource: concerned.resource, actor_kind: "anonymous" });
    }
    return (await readQuery<AuditRow>(database, found)).map(entryOf);
  },
  eraseOrigins: (origins) =>
    database.write(async (session) => {
      checkLimit(origins.length);
      const { query } = database.dialect;
      const ids = origins.map(({ entryId }) => entryId);
      for (const { entryId, address, requestId } of origins) {
        const changes = { address, request_id: requestId };
        await changeRows(session, query("audit_log").where("id", entryId).update(changes));
      }
      await changeRows(session, query("sealed_entry").whereIn("entry_id", ids).update("salt", null));
    }),
});

/** The progress of tasks that go along the chain. */
const auditProgress = (database: Database): Pick<AuditChain, "progress" | "keepProgress"> => {
  const rows = () => database.dialect.query("audit_progress");
  return {
    progress: async (task) =>
      (await readQuery<{ progress: string }>(database, rows().select("progress").where({ task })))[0]?.progress,
    keepProgress: async (task, text) => {
      await changeQuery(database, rows().insert({ task, progress: text }).onConflict("task").merge());
    },
  };
};

type Query = Database["dialect"]["query"];

/** Inserts seals, with the columns by which lists of the log are filtered. */
const appendSome = async (
  query: Query,
  session: Session,
  seals: readonly NewAuditSeal[],
  now: number,
): Promise<void> => {
  const sealed = query("audit_log")
    .select("id", "actor_id", "resource_id")
    .whereIn(
      "id",
      seals.map(({ entryId }) => entryId),
    );
  const found = await findRows<Pick<AuditRow, "id" | "actor_id" | "resource_id">>(session, sealed);
  const entries = new Map(found.map((row) => [row.id, row]));
  const values = seals.flatMap(({ place, entryId, digest, salt = null }) => {
    const entry = entries.get(entryId);
    return [place, entryId, digest, salt, now, entry?.actor_id ?? null, entry?.resource_id ?? null];
  });
  // Written by hand: every audited write makes a row, and the builder takes 6 kB for each.
  await session.run(
    `INSERT INTO sealed_entry (${sealColumns.join(", ")}) VALUES ${placeholders(seals.length, sealColumns.length)}`,
    values,
  );
};

const sealColumns = ["place", "entry_id", "digest", "salt", "made_at", "actor_id", "resource_id"];

const notSealed = "NOT EXISTS (SELECT 1 FROM sealed_entry AS made WHERE made.entry_id = audit_log.id)";

const lastEntryBefore =
  "(SELECT entry_id FROM sealed_entry WHERE made_at < ? ORDER BY made_at DESC, place DESC LIMIT 1)";

const unsealedEntries = ({ dialect }: Pick<Database, "dialect">) =>
  dialect
    .query("audit_log")
    .leftJoin("sealed_entry", "sealed_entry.entry_id", "audit_log.id")
    .select(...entryColumns)
    .whereRaw(notSealed)
    .orderBy("audit_log.id");

/** The entries that have no seal yet, and how they get one. */
const auditSealing = (database: Database): Pick<AuditChain, "unsealed" | "oldestUnsealed" | "last" | "append"> => ({
  unsealed: async ({ after, upTo, limit }) => {
    checkLimit(limit);
    const found = unsealedEntries(database).where("audit_log.id", ">", after).limit(limit);
    if (upTo !== undefined) found.where("audit_log.id", "<=", upTo);
    return (await readQuery<AuditRow>(database, found)).map(entryOf);
  },
  oldestUnsealed: async (madeBefore) => {
    const found = unsealedEntries(database)
      .whereRaw(`audit_log.id > COALESCE(${lastEntryBefore}, 0)`, [madeBefore])
      .limit(1);
    return (await readQuery<AuditRow>(database, found)).map(entryOf)[0];
  },
  last: async (madeBefore) => {
    const newest = database.dialect.query("sealed_entry").select("place", "entry_id", "digest", "salt").limit(1);
    if (madeBefore !== undefined) newest.where("made_at", "<", madeBefore).orderBy("made_at", "desc");
    const [row] = await readQuery<SealRow>(database, newest.orderBy("place", "desc"));
    return row === undefined ? undefined : sealOf(row);
  },
  append: async (seals, now) => {
    checkLimit(seals.length);
    try {
      await database.write(async (session) => {
        // A statement of SQLite takes a limited number of values.
        for (const some of chunksOf(seals, 140)) await appendSome(database.dialect.query, session, some, now);
      });
      return true;
    } catch (thrown) {
      if (isTaken(thrown)) return false;
      throw thrown;
    }
  },
});

/** Reads the chain, and removes its oldest seals together with their entries. */
const sealedEntries = (database: Database): Pick<AuditChain, "list" | "anchor" | "prune"> => ({
  list: async ({ after, limit }) => {
    checkLimit(limit);
    const found = database.dialect
      .query("sealed_entry")
      .leftJoin("audit_log", "audit_log.id", "sealed_entry.entry_id")
      .select(...entryColumns, "sealed_entry.entry_id")
      .where("sealed_entry.place", ">", after)
      .orderBy("sealed_entry.place")
      .limit(limit);
    return (await readQuery<SealedRow>(database, found)).map((row) => {
      const { id } = row;
      return id === null ? sealOf(row) : { ...sealOf(row), entry: entryOf({ ...row, id }) };
    });
  },
  anchor: async () => {
    const found = database.dialect.query("audit_anchor").select("place", "digest").limit(1);
    const [row] = await readQuery<AuditSeal>(database, found);
    return row === undefined ? undefined : { place: Number(row.place), digest: row.digest };
  },
  prune: ({ place, digest }) =>
    database.write(async (session) => {
      const { query } = database.dialect;
      const old = query("sealed_entry").select("place", "entry_id").where("place", "<=", place);
      const rows = await findRows<SealRow>(session, old.orderBy("place").limit(1000));
      if (rows.length > 0) {
        const entries = rows.map((row) => row.entry_id);
        await changeRows(session, query("audit_log").whereIn("id", entries).delete());
        await changeRows(session, query("sealed_entry").whereIn("entry_id", entries).delete());
      }
      await changeRows(session, query("audit_anchor").insert({ id: 1, place, digest }).onConflict("id").merge());
      return rows.length;
    }),
});

/**
 * The seals of the audit log, in `sealed_entry`; the last seal that was pruned, in `audit_anchor`;
 * the progress of tasks that go along the chain, in `audit_progress`.
 */
export const knexAuditChain = (database: Database): AuditChain => ({
  ...auditSealing(database),
  ...sealedEntries(database),
  ...auditOrigins(database),
  ...auditProgress(database),
});
