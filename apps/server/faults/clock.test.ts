import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { pause, sceneOf } from "./server-under-fault.ts";
import { isLong, judge, outcomeOf, sqliteUrl, storm } from "./storm.ts";

vi.setConfig({ testTimeout: isLong ? 3_600_000 : 120_000 });

const preload = fileURLToPath(new URL("./preload-clock.mjs", import.meta.url));
const day = 24 * 3_600_000;
/** In milliseconds, forward and back. Their sum is 0. */
const jumps = [day, -day, 1_000, -3_000, 30 * day, -30 * day, 2_000];

test("a wall clock that jumps forward and back", async (context) => {
  const { temporaryDirectory, server } = sceneOf(context);
  const directory = temporaryDirectory();
  const database = sqliteUrl(join(directory, "data/postern.db"));
  const one = await server(directory, { DATABASE_URL: database }, { nodeOptions: ["--import", preload] });
  await one.start();
  const load = storm([one.url], { senders: 8 });
  const rounds = isLong ? 10 : 1;
  for (let round = 0; round < rounds; round += 1) {
    for (const ms of jumps) {
      await pause(isLong ? 500 : 250);
      one.jump(ms);
    }
  }
  const tally = await load.end();
  const outcome = await outcomeOf(database, tally.accepted);
  judge("SQLite: clock jumps", tally, outcome, `${rounds * jumps.length} jumps, up to 30 days each way`);
  expect(tally.refused).toBe(0);
});
