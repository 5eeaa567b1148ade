import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { databaseServers } from "../test/database-servers.ts";
import { pause, type Server, sceneOf } from "./server-under-fault.ts";
import { judge, outcomeOf, queryOf, sqliteUrl, storm } from "./storm.ts";

vi.setConfig({ testTimeout: 180_000 });

/** The program of an earlier server: its `dist/main.js`. `scripts/upgrade.mjs` builds it. */
const older = process.env.POSTERN_OLDER_SERVER;
const loadMs = 10_000;

/** Before rows were handed to `commit`, its only argument was what the second one is now. */
const configuration = `export default {
  handlers: [{ name: "push", provider: "*", type: "push", retry: { delaysMs: [500] }, timeoutMs: 60_000, handle: (event, { commit }) =>
    commit((rows, stores = rows) => stores.jobs.enqueue(
      [{ kind: "effect", queue: "effects", maxAttempts: 1, payload: event.eventId }], Date.now())) }],
};`;
const [ofOlder, ofThis] = [{ configuration, ...(older !== undefined && { main: older }) }, { configuration }];

const environment = { POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64") };

/** How many migrations the database has had. */
const migrationsOf = async (url: string): Promise<number> => {
  const [row] = await queryOf(url)("SELECT COUNT(*) AS count FROM schema_migration");
  return Number(row?.count);
};

describe.skipIf(older === undefined)("an upgrade from an earlier server under load loses and doubles nothing", () => {
  // That server knew no PostgreSQL.
  test.for(databaseServers.filter(({ name }) => name !== "PostgreSQL"))(
    "both run on one $name while the new one takes over",
    async (kind, context) => {
      const scene = sceneOf(context);
      const { url, create, drop } = kind.database();
      await create();
      scene.afterwards(drop);
      const pairOf = (options: typeof ofOlder): Promise<readonly Server[]> => {
        const directory = scene.temporaryDirectory();
        return Promise.all(
          ["http", "worker"].map((role) =>
            scene.server(directory, { ...environment, DATABASE_URL: url, POSTERN_ROLE: role }, options),
          ),
        );
      };
      const before = await pairOf(ofOlder);
      const after = await pairOf(ofThis);
      for (const one of before) await one.start();
      const had = await migrationsOf(url);
      // An event that finds one of the two away is sent to the other.
      const load = storm([before[0]?.url, after[0]?.url]);
      await pause(loadMs);
      for (const one of after) await one.start();
      expect(await migrationsOf(url)).toBeGreaterThan(had);
      await pause(loadMs);
      for (const one of before) await one.end("SIGTERM");
      await pause(loadMs);
      const tally = await load.end();
      const outcome = await outcomeOf(url, tally.accepted);
      judge(`${kind.name}: an earlier server and this one side by side`, tally, outcome);
      expect([...before, ...after].map(({ restarts }) => restarts)).toEqual([0, 0, 0, 0]);
    },
  );

  test("the new one follows the old one on SQLite", async (context) => {
    const scene = sceneOf(context);
    const directory = scene.temporaryDirectory();
    const url = sqliteUrl(join(directory, "data/postern.db"));
    const variables = { ...environment, DATABASE_URL: url };
    const before = await scene.server(directory, variables, ofOlder);
    const after = await scene.server(directory, variables, ofThis);
    await before.start();
    const had = await migrationsOf(url);
    const load = storm([before.url, after.url]);
    await pause(loadMs);
    await before.end("SIGTERM");
    await after.start();
    expect(await migrationsOf(url)).toBeGreaterThan(had);
    await pause(loadMs);
    const tally = await load.end();
    const outcome = await outcomeOf(url, tally.accepted);
    judge("SQLite: this server follows an earlier one", tally, outcome);
  });
});
