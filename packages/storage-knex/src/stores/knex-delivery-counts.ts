import type { DeliveryCount, DeliveryCounts, DeliverySum } from "@postern/core/parts";
import { checkLimit, type Database, inOrderOf } from "../database.ts";
import { changeQuery, readQuery } from "../query-builder.ts";

const keyOf = ({ minute, provider, result, reason }: Omit<DeliveryCount, "deliveries">) => [
  minute,
  provider,
  result,
  reason,
];

interface SumRow extends Omit<DeliverySum, "firstMinute" | "lastMinute"> {
  readonly first_minute: number;
  readonly last_minute: number;
}

/** Counts of deliveries. Every process on the database adds to them. */
export const knexDeliveryCounts = (database: Database): DeliveryCounts => {
  const { query } = database.dialect;
  const columns = ["minute", "provider", "result", "reason", "deliveries"];
  const insert = database.dialect.insertUnlessTaken("delivery_count", columns, "minute");

  return {
    add: async (counts) => {
      if (counts.length === 0) return;
      await database.write(async (session) => {
        for (const count of inOrderOf(counts, (each) => keyOf(each).join(" "))) {
          await session.run(insert, [...keyOf(count), 0]);
          await session.run(
            `UPDATE delivery_count SET deliveries = deliveries + ?
              WHERE minute = ? AND provider = ? AND result = ? AND reason = ?`,
            [count.deliveries, ...keyOf(count)],
          );
        }
      });
    },
    sums: async ({ since, limit }) => {
      checkLimit(limit);
      const sums = query("delivery_count")
        .select("provider", "result", "reason")
        .sum({ deliveries: "deliveries" })
        .min({ first_minute: "minute" })
        .max({ last_minute: "minute" })
        .where("minute", ">=", since)
        .groupBy("provider", "result", "reason")
        .orderBy([{ column: "deliveries", order: "desc" }, "provider", "result", "reason"])
        .limit(limit);
      const rows = await readQuery<SumRow>(database, sums);
      return rows.map(({ first_minute: firstMinute, last_minute: lastMinute, ...sum }) => ({
        ...sum,
        // MySQL returns a sum as a decimal number in text.
        deliveries: Number(sum.deliveries),
        firstMinute,
        lastMinute,
      }));
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
