import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { keptAlive, sceneOf } from "./server-under-fault.ts";
import { deliver, isLong, judge, outcomeOf, queryOf } from "./storm.ts";

vi.setConfig({ testTimeout: isLong ? 3_600_000 : 120_000 });

const copies = 10_000;

test("10,000 copies of one event at once, on two processes", async (context) => {
  const { temporaryDirectory, server, afterwards } = sceneOf(context);
  const directory = temporaryDirectory();
  const database = `sqlite:${join(directory, "data/postern.db")}`;
  const one = await server(directory, { DATABASE_URL: database });
  await one.start();
  const two = await server(directory, { DATABASE_URL: database });
  await two.start();
  // Below the bound on connections from one address.
  const agent = keptAlive(90);
  afterwards(() => agent.destroy());
  // All requests begin before one is answered. Those that need a connection wait in this process.
  const replies = await Promise.all(
    Array.from({ length: copies }, (_, n) => deliver(n % 2 === 0 ? one.url : two.url, "evt_1", { agent })),
  );
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  const accepted = new Set(["evt_1"]);
  const outcome = await outcomeOf(database, accepted);
  judge(
    "SQLite: 10,000 copies of one event at once",
    { sent: copies, accepted, refused: 0 },
    outcome,
    "180 connections, two processes",
  );
  const [row] = await queryOf(database)("SELECT COUNT(*) AS events, SUM(repeats) AS repeats FROM inbox_event");
  expect(row).toEqual({ events: 1, repeats: copies - 1 });
});
