import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { deadly, eventually, type Server, sceneOf } from "./server-under-fault.ts";
import { deliver, isLong, judge, outcomeOf, queryOf, sqliteUrl } from "./storm.ts";

vi.setConfig({ testTimeout: isLong ? 3_600_000 : 120_000 });

const send = async (one: Server, id: string, type = "push"): Promise<void> => {
  await eventually(`${id} is accepted`, async () => (await deliver(one.url, id, { type })).status === 200);
};

const idsOf = (what: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `${what}_${n}`);

/** The events whose jobs were given up, in order. */
const givenUp = async (database: string): Promise<readonly unknown[]> => {
  const rows = await queryOf(database)(
    "SELECT e.event_id AS id FROM job j JOIN inbox_event e ON e.id = j.event_ref WHERE j.state = 5 ORDER BY e.event_id",
  );
  return rows.map(({ id }) => id);
};

// These tests mostly wait for clocks and restarts. Side by side they take as long as one of them.
describe.concurrent("handlers", () => {
  test("that hang or leak harm nobody else", async (context) => {
    const { temporaryDirectory, server } = sceneOf(context);
    const directory = temporaryDirectory();
    const database = sqliteUrl(join(directory, "data/postern.db"));
    const one = await server(directory, { DATABASE_URL: database });
    await one.start();
    const good = [...idsOf("good", 100), ...idsOf("leak", isLong ? 300 : 20)];
    // The long form has more of these jobs than slots, so each slot must be free again in time.
    const hung = idsOf("hang", isLong ? 25 : 5);
    for (const id of hung) await send(one, id, "hang");
    for (const id of good) await send(one, id, id.startsWith("leak") ? "leak" : "push");
    await eventually(
      "those that hang are given up",
      async () => (await givenUp(database)).length === hung.length,
      90_000,
    );
    expect(await givenUp(database)).toEqual(hung.toSorted());
    const accepted = new Set(good);
    const outcome = await outcomeOf(database, accepted);
    const tally = { sent: good.length, accepted, refused: 0 };
    judge("SQLite: handlers that hang or leak", tally, outcome, `${hung.length} hung and were given up`);
  });

  test.for(isLong ? [...deadly] : (["throw", "memory"] as const))(
    "that end their process (%s) are given up after three times, and take nobody with them",
    async (type, context) => {
      const { temporaryDirectory, server } = sceneOf(context);
      const directory = temporaryDirectory();
      mkdirSync(join(directory, "data"));
      const database = sqliteUrl(join(directory, "data/postern.db"));
      const nodeOptions = ["--max-old-space-size=128"];
      const one = await server(directory, { DATABASE_URL: database }, { nodeOptions });
      await one.start();
      const good = idsOf("good", 100);
      await Promise.all(good.slice(0, 50).map((id) => send(one, id)));
      await send(one, type, type);
      await Promise.all(good.slice(50).map((id) => send(one, id)));
      await eventually("they are given up", async () => (await givenUp(database)).length === 1, 90_000);
      expect(await givenUp(database)).toEqual([type]);
      const accepted = new Set(good);
      const outcome = await outcomeOf(database, accepted);
      const tally = { sent: good.length, accepted, refused: 0 };
      judge(`SQLite: handlers that end their process (${type})`, tally, outcome, `it died ${one.restarts} times`);
      expect(one.restarts).toBe(3);
    },
  );
});
