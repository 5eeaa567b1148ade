import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { keptAlive, pause, sceneOf } from "./server-under-fault.ts";
import { deliver, isLong, judge, outcomeOf, queryOf, sqliteUrl } from "./storm.ts";

vi.setConfig({ testTimeout: isLong ? 3_600_000 : 120_000 });

const copies = 10_000;

test("10,000 copies of one event at once, on two processes", async (context) => {
  const { temporaryDirectory, server, afterwards } = sceneOf(context);
  const directory = temporaryDirectory();
  const database = sqliteUrl(join(directory, "data/postern.db"));
  const one = await server(directory, { DATABASE_URL: database });
  await one.start();
  const two = await server(directory, { DATABASE_URL: database });
  await two.start();
  // Below the bound on connections from one address.
  const agent = keptAlive(90);
  afterwards(() => agent.destroy());
  // All requests begin before one is answered. Those that need a connection wait in this process.
  // A machine that is busy may be too late for some: they are sent again, as real senders do.
  let refused = 0;
  const sendUntilAccepted = async (n: number): Promise<void> => {
    for (let tries = n; ; tries += 1) {
      const { status } = await deliver(tries % 2 === 0 ? one.url : two.url, "evt_1", { agent });
      if (status === 200) return;
      if (status !== 503) throw new Error(`a copy was answered ${status}`);
      refused += 1;
      await pause(50);
    }
  };
  await Promise.all(Array.from({ length: copies }, (_, n) => sendUntilAccepted(n)));
  const accepted = new Set(["evt_1"]);
  const outcome = await outcomeOf(database, accepted);
  judge(
    "SQLite: 10,000 copies of one event at once",
    { sent: copies + refused, accepted, refused },
    outcome,
    "180 connections, two processes",
  );
  const [row] = await queryOf(database)("SELECT COUNT(*) AS events, SUM(repeats) AS repeats FROM inbox_event");
  expect(row?.events).toBe(1);
  // One that waited for too long may be stored after it was refused.
  expect(Number(row?.repeats)).toBeGreaterThanOrEqual(copies - 1);
  expect(Number(row?.repeats)).toBeLessThanOrEqual(copies - 1 + refused);
});
