import { saltAuditSeals } from "./0031-salt-audit-seals.ts";
import { addIndexes, createTable, dropIndexes, type Index, type Migration, sqlOf } from "./migration.ts";

const indexes: readonly Index[] = [
  { name: "by_actor", columns: "actor_id, id" },
  { name: "by_resource", columns: "resource_id, id" },
];
const kept = "place, entry_id, digest, salt, made_at";

/**
 * Lists of the audit log by actor and by resource use the seals (ADR 33), so that a write puts its
 * entry into only one tree. The table of seals gets another name, so that a process of an older
 * version cannot add seals that these lists do not find.
 */
export const listSealedEntries: Migration = {
  name: "0034-list-sealed-entries",
  part: "always",
  tables: ["sealed_entry", "entry_seal"],
  up: (types) => {
    const { bigint, ascii, text } = types;
    const [emptyBefore = ""] = saltAuditSeals.up(types);
    return [
      ...createTable(
        types,
        "sealed_entry",
        [
          `place ${bigint} NOT NULL PRIMARY KEY`,
          `entry_id ${bigint} NOT NULL`,
          `digest ${ascii(64)} NOT NULL`,
          `salt ${ascii(64)} NULL`,
          `made_at ${bigint} NOT NULL`,
          `actor_id ${text(128)} NULL`,
          `resource_id ${ascii(64)} NULL`,
        ],
        [
          { name: "by_entry", columns: "entry_id", unique: true },
          { name: "by_time", columns: "made_at, place" },
          { name: "by_actor", columns: "actor_id, entry_id" },
          { name: "by_resource", columns: "resource_id, entry_id" },
        ],
      ),
      // If the step runs again after a kill, the former table may be gone.
      emptyBefore,
      `INSERT INTO sealed_entry (${kept}, actor_id, resource_id)
         SELECT ${kept}, audit_log.actor_id, audit_log.resource_id
         FROM entry_seal LEFT JOIN audit_log ON audit_log.id = entry_seal.entry_id
         WHERE place NOT IN (SELECT place FROM sealed_entry) ORDER BY place`,
      "DROP TABLE IF EXISTS entry_seal",
      ...dropIndexes(
        types,
        "audit_log",
        indexes.map(({ name }) => name),
      ),
    ];
  },
  down: (types) => [
    ...saltAuditSeals
      .up(types)
      .map(sqlOf)
      .filter((sql) => sql.includes("`entry_seal`")),
    `INSERT INTO entry_seal (${kept}) SELECT ${kept} FROM sealed_entry
       WHERE place NOT IN (SELECT place FROM entry_seal) ORDER BY place`,
    "DROP TABLE IF EXISTS `sealed_entry`",
    ...addIndexes(types, "audit_log", indexes),
  ],
};
