import { createAuditChain } from "./0028-create-audit-chain.ts";
import { createTable, type Migration, sqlOf } from "./migration.ts";

/**
 * Seals with salts (ADR 37), and the progress of tasks that walk the chain. The old seals covered
 * the addresses themselves, so they would still reveal an erased address. They are dropped. The
 * next run of the job seals every entry again, behind the same anchor. The new table has another
 * name, so that a process of an older version cannot add seals without a salt.
 */
export const saltAuditSeals: Migration = {
  name: "0031-salt-audit-seals",
  part: "always",
  tables: ["entry_seal", "audit_progress"],
  up: (types) => {
    const { bigint, ascii, longText } = types;
    return [
      ...createTable(
        types,
        "entry_seal",
        [
          `place ${bigint} NOT NULL PRIMARY KEY`,
          `entry_id ${bigint} NOT NULL`,
          `digest ${ascii(64)} NOT NULL`,
          `salt ${ascii(64)} NULL`,
          `made_at ${bigint} NOT NULL`,
        ],
        [
          { name: "by_entry", columns: "entry_id", unique: true },
          { name: "by_time", columns: "made_at, place" },
        ],
      ),
      ...createTable(types, "audit_progress", [
        `task ${ascii(32)} NOT NULL PRIMARY KEY`,
        `progress ${longText} NOT NULL`,
      ]),
      "DROP TABLE IF EXISTS audit_seal",
    ];
  },
  down: (types) => [
    ...createAuditChain.up(types).map(sqlOf),
    "DROP TABLE IF EXISTS `audit_progress`",
    "DROP TABLE IF EXISTS `entry_seal`",
  ],
};
