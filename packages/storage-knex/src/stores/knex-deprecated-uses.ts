import type { DeprecatedUse, DeprecatedUseStore } from "@postern/core/ports";
import { checkLimit, type Database, inOrderOf, keyBytes, keyText, type Value } from "../engine/database.ts";
import { changeQuery, changeRows, readQuery } from "../engine/query-builder.ts";

type KeyColumn = "deprecation" | "client" | "agent";
type SumRow = Omit<DeprecatedUse, KeyColumn | "day"> & Readonly<Record<KeyColumn, string | Uint8Array>>;

const keyOf = ({ deprecation, client, agent, operation, kind, day }: DeprecatedUse): readonly Value[] => [
  keyBytes(deprecation),
  keyBytes(client),
  keyBytes(agent),
  operation,
  kind,
  day,
];

/**
 * The row that says since when uses are counted: `first_at`. As a day, its word comes after every day,
 * so it is never forgotten.
 */
const watch = { client: "", agent: "", operation: "", kind: "watched", day: "watched" } as const;

/** Uses of deprecated things. Every process on the database adds to them. */
export const knexDeprecatedUses = (database: Database): DeprecatedUseStore => {
  const { query } = database.dialect;
  const columns = ["deprecation", "client", "agent", "operation", "kind", "day", "calls", "first_at", "last_at"];
  const insert = database.dialect.insertUnlessTaken("deprecated_call", columns, "day");

  return {
    watch: async (deprecations, now) => {
      const read = async (): Promise<ReadonlyMap<string, number>> => {
        const rows = query("deprecated_call").select("deprecation", "first_at").where("day", watch.day);
        const found = await readQuery<{ deprecation: string | Uint8Array; first_at: number }>(database, rows);
        return new Map(found.map((row) => [keyText(row.deprecation), Number(row.first_at)]));
      };
      const before = await read();
      const missing = deprecations.filter((id) => !before.has(id));
      if (missing.length === 0) return before;
      await database.write(async (session) => {
        for (const id of missing) {
          const { client, agent, operation, kind, day } = watch;
          await session.run(insert, [
            keyBytes(id),
            keyBytes(client),
            keyBytes(agent),
            operation,
            kind,
            day,
            0,
            now,
            now,
          ]);
        }
      });
      // Another process may have been first.
      return read();
    },
    add: async (uses) => {
      if (uses.length === 0) return;
      await database.write(async (session) => {
        for (const use of inOrderOf(uses, (each) => keyOf(each).join("\0"))) {
          await session.run(insert, [...keyOf(use), 0, use.firstAt, use.lastAt]);
          await session.run(
            `UPDATE deprecated_call SET calls = calls + ?,
               first_at = CASE WHEN first_at > ? THEN ? ELSE first_at END,
               last_at = CASE WHEN last_at < ? THEN ? ELSE last_at END
             WHERE deprecation = ? AND client = ? AND agent = ? AND operation = ? AND kind = ? AND day = ?`,
            [use.calls, use.firstAt, use.firstAt, use.lastAt, use.lastAt, ...keyOf(use)],
          );
        }
      });
    },
    sums: async ({ since, deprecation, limit }) => {
      checkLimit(limit);
      const sums = query("deprecated_call")
        .select("deprecation", "client", "agent", "operation", "kind")
        .sum({ calls: "calls" })
        .min({ firstAt: "first_at" })
        .max({ lastAt: "last_at" })
        .where("day", ">=", since)
        .whereNot("day", watch.day)
        .groupBy("deprecation", "client", "agent", "operation", "kind")
        .orderBy([{ column: "calls", order: "desc" }, "deprecation", "client", "agent", "operation", "kind"])
        .limit(limit);
      if (deprecation !== undefined) sums.where("deprecation", keyBytes(deprecation));
      const rows = await readQuery<SumRow>(database, sums);
      return rows.map(({ deprecation, client, agent, ...row }) => ({
        ...row,
        deprecation: keyText(deprecation),
        client: keyText(client),
        agent: keyText(agent),
        // MySQL returns a sum as a decimal number in text.
        calls: Number(row.calls),
      }));
    },
    forget: async (before) => {
      await changeQuery(database, query("deprecated_call").where("day", "<", before).delete());
    },
    forgetClient: async (client) => {
      // Search first, without locks, because the table is in the order of the deprecations.
      const used = query("deprecated_call").distinct("deprecation").where("client", keyBytes(client));
      const found = await readQuery<Pick<SumRow, "deprecation">>(database, used);
      if (found.length === 0) return;
      await database.write(async (session) => {
        for (const { deprecation } of found) {
          const rows = { deprecation: keyBytes(keyText(deprecation)), client: keyBytes(client) };
          await changeRows(session, query("deprecated_call").where(rows).delete());
        }
      });
    },
  };
};
