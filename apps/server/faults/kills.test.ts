import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { eventually, pause, sceneOf } from "./server-under-fault.ts";
import { deliver, isLong, judge, outcomeOf, queryOf, sqliteUrl, storm } from "./storm.ts";

vi.setConfig({ testTimeout: isLong ? 3_600_000 : 120_000 });

test("kill -9 under load, again and again", async (context) => {
  const { temporaryDirectory, server } = sceneOf(context);
  const directory = temporaryDirectory();
  const database = sqliteUrl(join(directory, "data/postern.db"));
  const one = await server(directory, { DATABASE_URL: database });
  await one.start();
  const load = storm([one.url]);
  const back: number[] = [];
  for (let cycle = 0; cycle < (isLong ? 60 : 3); cycle += 1) {
    await pause(300 + ((cycle * 137) % 500));
    await one.end("SIGKILL");
    const from = performance.now();
    await one.start();
    await eventually("it accepts again", async () => (await deliver(one.url, `probe_${cycle}`)).status === 200, 10_000);
    back.push(performance.now() - from);
  }
  const tally = await load.end();
  const accepted = new Set([...tally.accepted, ...back.map((_, cycle) => `probe_${cycle}`)]);
  const outcome = await outcomeOf(database, accepted);
  const slowest = Math.round(Math.max(...back));
  const sent = tally.sent + back.length;
  judge(
    "SQLite: kill -9 under load",
    { ...tally, sent, accepted },
    outcome,
    `${back.length} kills; accepts again after ${slowest} ms at the latest`,
  );
  const [integrity] = await queryOf(database)("PRAGMA integrity_check");
  expect(integrity).toEqual({ integrity_check: "ok" });
});
