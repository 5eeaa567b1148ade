import { createTable, type Migration } from "./migration.ts";

/** The seals of the audit log, and the last seal that was pruned. */
export const createAuditChain: Migration = {
  name: "0028-create-audit-chain",
  part: "always",
  tables: ["audit_seal", "audit_anchor"],
  up: (types) => {
    const { bigint, ascii } = types;
    return [
      ...createTable(
        types,
        "audit_seal",
        [
          `place ${bigint} NOT NULL PRIMARY KEY`,
          `entry_id ${bigint} NOT NULL`,
          `digest ${ascii(64)} NOT NULL`,
          `made_at ${bigint} NOT NULL`,
        ],
        [
          { name: "by_entry", columns: "entry_id", unique: true },
          { name: "by_time", columns: "made_at, place" },
        ],
      ),
      ...createTable(types, "audit_anchor", [
        `id ${bigint} NOT NULL PRIMARY KEY`,
        `place ${bigint} NOT NULL`,
        `digest ${ascii(64)} NOT NULL`,
      ]),
    ];
  },
  down: () => ["audit_anchor", "audit_seal"].map((table) => `DROP TABLE IF EXISTS \`${table}\``),
};
