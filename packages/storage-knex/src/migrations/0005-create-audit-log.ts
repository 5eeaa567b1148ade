import { createTable, type Migration } from "./migration.ts";

/** The audit log. Rows are never changed. Times are milliseconds since the epoch. */
export const createAuditLog: Migration = {
  name: "0005-create-audit-log",
  part: "always",
  tables: ["audit_log"],
  up: (types) => {
    const { serial, bigint, ascii, text, longText } = types;
    return createTable(
      types,
      "audit_log",
      [
        `id ${serial}`,
        `at ${bigint} NOT NULL`,
        `actor_kind ${ascii(16)} NOT NULL`,
        `actor_id ${text(128)} NULL`,
        `credential ${ascii(128)} NULL`,
        `action ${ascii(64)} NOT NULL`,
        `resource ${ascii(64)} NULL`,
        `resource_id ${ascii(64)} NULL`,
        `result ${ascii(64)} NOT NULL`,
        `request_id ${ascii(128)} NOT NULL`,
        `address ${ascii(64)} NOT NULL`,
        `fields ${longText} NOT NULL`,
      ],
      [
        { name: "by_actor", columns: "actor_id, id" },
        { name: "by_resource", columns: "resource_id, id" },
      ],
    );
  },
  down: () => ["DROP TABLE IF EXISTS audit_log"],
};
