import type { EventQuery } from "@postern/core";
import { newEvent } from "@postern/core/testing";
import { expect, test } from "vitest";
import { mysqlDialect } from "../src/mysql/dialect.ts";
import { pageOfEvents } from "../src/stores/event-lists.ts";
import { mariadb, onMariadb, withKnex } from "./databases.ts";

const total = 1_500;
const limit = 26;

onMariadb("a page of events", () => {
  test("reads its own rows alone, however many lie in front of it", { timeout: 60_000 }, async () => {
    const opened = await mariadb.fresh();
    const ids: number[] = [];
    for (let from = 0; from < total; from += 100) {
      const events = Array.from({ length: 100 }, (_, at) =>
        // The rows of a disposition lie side by side, so that the page's own are all that is read.
        newEvent(`evt_${from + at}`, { disposition: from < total / 2 ? "quarantined" : "accepted" }),
      );
      for (const { id } of await opened.storage.events.accept(events)) ids.push(id);
    }
    const at = (place: number): number => ids[Math.floor(place * total)] ?? 0;
    const read: Record<string, number> = {};
    await withKnex(mariadb, mariadb.urlOf(opened), async (db) => {
      await db.raw("ANALYZE TABLE inbox_event");
      const handled = async (): Promise<number> => {
        const [rows] = await db.raw("SHOW SESSION STATUS LIKE 'Handler_read%'");
        return rows.reduce((sum: number, { Value }: { Value: string }) => sum + Number(Value), 0);
      };
      for (const filter of [{ provider: "stripe" }, { state: "quarantined" }] as const) {
        for (const place of [{}, { before: at(0.4) }, { before: at(0.1) }, { after: at(0.1) }, { after: 0 }]) {
          const query: EventQuery = { ...filter, ...place, limit };
          const { sql, bindings } = pageOfEvents({ dialect: mysqlDialect }, query).select("id").toSQL().toNative();
          const before = await handled();
          const [rows] = await db.raw(sql, bindings);
          read[JSON.stringify(query)] = (await handled()) - before;
          const found: readonly number[] = rows.map(({ id }: { id: number }) => id);
          const listed = await opened.storage.events.list(query);
          expect(found).toEqual(listed.map(({ id }) => id));
          expect(found.length).toBe(limit);
        }
      }
    });
    const far = Object.entries(read).filter(([, count]) => count > 2 * limit);
    expect(far).toEqual([]);
  });
});
