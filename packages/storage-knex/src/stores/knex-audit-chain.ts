import type { AuditChain, AuditSeal, NewAuditSeal } from "@postern/core";
import { checkLimit, type Database } from "../database.ts";
import { changeRows, findRows } from "../query-builder.ts";
import { ConstraintViolation } from "../translate-error.ts";
import { type AuditRow, entryColumns, entryOf } from "./knex-audit-log.ts";

interface SealRow {
  readonly place: number;
  readonly entry_id: number;
  readonly digest: string;
}

/** A seal, and its entry if that is still there. */
type SealedRow = SealRow & Omit<AuditRow, "id"> & { readonly id: number | null };

const sealOf = ({ place, entry_id, digest }: SealRow): NewAuditSeal => ({
  place: Number(place),
  entryId: Number(entry_id),
  digest,
});

/** The seals of the audit log, in `audit_seal`; the last one that was pruned, in `audit_anchor`. */
export const knexAuditChain = (database: Database): AuditChain => {
  const { dialect, read, write } = database;
  const { query } = dialect;
  const notSealed = "NOT EXISTS (SELECT 1 FROM audit_seal AS made WHERE made.entry_id = audit_log.id)";

  return {
    unsealed: async ({ after, upTo, limit }) => {
      checkLimit(limit);
      const found = query("audit_log")
        .leftJoin("audit_seal", "audit_seal.entry_id", "audit_log.id")
        .select(...entryColumns)
        .where("audit_log.id", ">", after)
        .whereRaw(notSealed)
        .orderBy("audit_log.id")
        .limit(limit);
      if (upTo !== undefined) found.where("audit_log.id", "<=", upTo);
      return (await read((session) => findRows<AuditRow>(session, found))).map(entryOf);
    },
    last: async (madeBefore) => {
      const newest = query("audit_seal").select("place", "entry_id", "digest").limit(1);
      if (madeBefore === undefined) newest.orderBy("place", "desc");
      else {
        newest.where("made_at", "<", madeBefore).orderBy([
          { column: "made_at", order: "desc" },
          { column: "place", order: "desc" },
        ]);
      }
      const [row] = await read((session) => findRows<SealRow>(session, newest));
      return row === undefined ? undefined : sealOf(row);
    },
    append: async (seals, now) => {
      checkLimit(seals.length);
      const rows = seals.map(({ place, entryId, digest }) => ({ place, entry_id: entryId, digest, made_at: now }));
      try {
        await write(async (session) => {
          // SQLite takes so many values in a statement.
          for (let from = 0; from < rows.length; from += 200) {
            await changeRows(session, query("audit_seal").insert(rows.slice(from, from + 200)));
          }
        });
        return true;
      } catch (thrown) {
        if (thrown instanceof ConstraintViolation && thrown.kind === "unique") return false;
        throw thrown;
      }
    },
    list: async ({ after, limit }) => {
      checkLimit(limit);
      const found = query("audit_seal")
        .leftJoin("audit_log", "audit_log.id", "audit_seal.entry_id")
        .select(...entryColumns, "audit_seal.entry_id")
        .where("audit_seal.place", ">", after)
        .orderBy("audit_seal.place")
        .limit(limit);
      const rows = await read((session) => findRows<SealedRow>(session, found));
      return rows.map((row) => {
        const { id } = row;
        return id === null ? sealOf(row) : { ...sealOf(row), entry: entryOf({ ...row, id }) };
      });
    },
    anchor: async () => {
      const found = query("audit_anchor").select("place", "digest").limit(1);
      const [row] = await read((session) => findRows<AuditSeal>(session, found));
      return row === undefined ? undefined : { place: Number(row.place), digest: row.digest };
    },
    prune: ({ place, digest }) =>
      write(async (session) => {
        const old = query("audit_seal").select("place", "entry_id").where("place", "<=", place);
        const rows = await findRows<SealRow>(session, old.orderBy("place").limit(1000));
        const places = rows.map((row) => row.place);
        const entries = rows.map((row) => row.entry_id);
        if (rows.length > 0) {
          await changeRows(session, query("audit_log").whereIn("id", entries).delete());
          await changeRows(session, query("audit_seal").whereIn("place", places).delete());
        }
        await changeRows(session, query("audit_anchor").delete());
        await changeRows(session, query("audit_anchor").insert({ id: 1, place, digest }));
        return rows.length;
      }),
  };
};
