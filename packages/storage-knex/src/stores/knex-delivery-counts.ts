import type { DeliveryCounts, DeliverySum } from "@postern/core/ports";
import { checkLimit, type Database, inOrderOf } from "../engine/database.ts";
import { changeQuery, changeRows, readQuery } from "../engine/query-builder.ts";

const key = ["minute", "provider", "result", "reason"] as const;

/** Counts of deliveries. Every process on the database adds to them. */
export const knexDeliveryCounts = (database: Database): DeliveryCounts => {
  const { query } = database.dialect;
  return {
    add: async (counts) => {
      if (counts.length === 0) return;
      await database.write(async (session) => {
        for (const count of inOrderOf(counts, (each) => key.map((name) => each[name]).join(" "))) {
          const deliveries = query.raw("delivery_count.deliveries + ?", [count.deliveries]);
          const added = query("delivery_count").insert(count).onConflict(key).merge({ deliveries });
          await changeRows(session, added);
        }
      });
    },
    sums: async ({ since, limit }) => {
      checkLimit(limit);
      const sums = query("delivery_count")
        .select("provider", "result", "reason")
        .sum({ deliveries: "deliveries" })
        .min({ firstMinute: "minute" })
        .max({ lastMinute: "minute" })
        .where("minute", ">=", since)
        .groupBy("provider", "result", "reason")
        .orderBy([{ column: "deliveries", order: "desc" }, "provider", "result", "reason"])
        .limit(limit);
      const rows = await readQuery<DeliverySum>(database, sums);
      // MySQL returns a sum as a decimal number in text.
      return rows.map((sum) => ({ ...sum, deliveries: Number(sum.deliveries) }));
    },
    prune: async (before, limit) => {
      checkLimit(limit);
      const old = query("delivery_count").select("minute").where("minute", "<", before).orderBy("minute").limit(limit);
      const last = (await readQuery<{ minute: number }>(database, old)).at(-1);
      if (last === undefined) return 0;
      // The rows of the last minute may be more than were asked for. They are few.
      return changeQuery(database, query("delivery_count").where("minute", "<=", last.minute).delete());
    },
  };
};
