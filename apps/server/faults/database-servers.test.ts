import { expect, test, vi } from "vitest";
import { kinds, type PrivateDatabase, random } from "./private-databases.ts";
import { call, eventually, pause, type Scene, type Server, sceneOf } from "./server-under-fault.ts";
import { deliver, isLong, judge, outcomeOf, storm } from "./storm.ts";

vi.setConfig({ testTimeout: isLong ? 3_600_000 : 120_000 });

const shared = { POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64") };
const isReady = async (one: Server | undefined): Promise<boolean> =>
  (await call(`${one?.url}/health/ready`)).status === 200;

/** Starts a process for each of these roles on one database. */
const nodes = async (scene: Scene, database: PrivateDatabase, roles: readonly ("http" | "worker")[]) => {
  const directory = scene.temporaryDirectory();
  const all: { readonly role: "http" | "worker"; readonly process: Server }[] = [];
  for (const role of roles) {
    const environment = { ...shared, DATABASE_URL: database.url, POSTERN_ROLE: role };
    all.push({ role, process: await scene.server(directory, environment) });
  }
  // The first process makes the tables.
  await all[0]?.process.start();
  await Promise.all(all.slice(1).map(({ process }) => process.start()));
  return all;
};

test.concurrent.for(kinds)(
  "$name that hangs, is killed, turns read-only and comes back, while servers and workers are killed",
  async ({ name, make, readOnly }, context) => {
    const scene = sceneOf(context);
    const database = await make(scene);
    await database.start();
    const all = await nodes(scene, database, ["http", "http", "worker"]);
    const one = all[0]?.process;
    const load = storm(all.flatMap(({ process }) => process.url ?? []));
    let slowestBack = 0;

    for (let cycle = 0; cycle < (isLong ? 6 : 1); cycle += 1) {
      await pause(500);
      const killed = async ({ process }: (typeof all)[number], n: number): Promise<void> => {
        await pause(400 * n);
        await process.end("SIGKILL");
        await process.start();
      };
      await Promise.all(all.map(killed));
      await pause(200);

      const before = load.replies.length;
      database.signal("SIGSTOP");
      await pause(isLong ? 30_000 : 4_000);
      expect((await call(`${one?.url}/health/live`)).status).toBe(200);
      await eventually("it says that it is not ready", async () => !(await isReady(one)), 5_000);
      expect(load.replies.slice(before).some(({ status }) => status === 503)).toBe(true);
      database.signal("SIGCONT");
      slowestBack = Math.max(slowestBack, await eventually("it is ready", () => isReady(one), 5_000));

      await pause(500);
      await database.end("SIGKILL");
      await pause(1_000);
      expect(await isReady(one)).toBe(false);
      await database.start();
      slowestBack = Math.max(slowestBack, await eventually("it is ready", () => isReady(one), 5_000));

      // This is how a former primary behaves.
      await pause(300);
      await database.command(...readOnly(true));
      await eventually("it says that it is not ready", async () => !(await isReady(one)), 5_000);
      expect((await deliver(one?.url, `refused_${cycle}`)).status).toBe(503);
      expect((await call(`${one?.url}/api`)).status).toBe(200);
      await pause(isLong ? 5_000 : 0);
      await database.command(...readOnly(false));
      slowestBack = Math.max(slowestBack, await eventually("it is ready", () => isReady(one), 5_000));
    }

    const tally = await load.end();
    const outcome = await outcomeOf(database.url, tally.accepted);
    const times = `ready again after ${Math.round(slowestBack)} ms, an answer after ${Math.round(tally.slowestMs)} ms at the latest`;
    judge(`${name}: hangs, is killed, is read-only; all processes are killed`, tally, outcome, times);
    expect(tally.slowestMs).toBeLessThan(5_000);
  },
);

test.for(isLong ? kinds : [])(
  "two servers and three workers, any of which is killed at any time, and $name too",
  async ({ name, make }, context) => {
    const scene = sceneOf(context);
    const database = await make(scene);
    await database.start();
    const all = await nodes(scene, database, ["http", "http", "worker", "worker", "worker"]);
    const load = storm(all.flatMap(({ process }) => process.url ?? []));
    const seed = Number(process.env.POSTERN_FAULTS_SEED ?? Math.floor(Math.random() * 1_000_000));
    const draw = random(seed);
    const until = performance.now() + 60_000;
    let kills = 0;
    let restarts = 0;
    const unrest = async (): Promise<void> => {
      while (performance.now() < until) {
        const { process } = all[Math.floor(draw() * all.length)] ?? {};
        await pause(draw() * 800);
        await process?.end("SIGKILL");
        kills += 1;
        await pause(draw() * 500);
        await process?.start();
      }
    };
    const outages = async (): Promise<void> => {
      while (performance.now() < until) {
        await pause(6_000 + draw() * 8_000);
        await database.end(draw() < 0.5 ? "SIGKILL" : "SIGTERM");
        restarts += 1;
        await pause(draw() * 3_000);
        await database.start();
      }
    };
    await Promise.all([unrest(), outages()]);
    const tally = await load.end();
    const outcome = await outcomeOf(database.url, tally.accepted);
    judge(
      `${name}: two servers, three workers, kills at random for a minute`,
      tally,
      outcome,
      `${kills} kills, ${restarts} restarts of the database, seed ${seed}`,
    );
  },
);
