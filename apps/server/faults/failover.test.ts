import pg from "pg";
import { expect, test, vi } from "vitest";
import {
  type PrivatePostgres,
  privatePostgres,
  startsPostgres,
} from "../../../packages/storage-knex/test/private-postgres.ts";
import { random } from "./private-databases.ts";
import { eventually, pause, type Scene, type Server, sceneOf } from "./server-under-fault.ts";
import { deliver, isLong, judge, outcomeOf, storm } from "./storm.ts";

vi.setConfig({ testTimeout: isLong ? 3_600_000 : 180_000 });

const rounds = isLong ? 10 : 1;
/** Deliveries are answered 200 again within this time of the promotion, and jobs have run within the other. */
const answeredWithinMs = 5_000;
const runWithinMs = 10_000;

const urlOf = (...servers: readonly PrivatePostgres[]): string =>
  `postgres://postgres@${servers.map(({ port }) => `127.0.0.1:${port}`).join(",")}/postern`;

/** A server that ends with the test. */
const postgresFor = async (scene: Scene): Promise<PrivatePostgres> => {
  const server = await privatePostgres(scene.temporaryDirectory(), ["-c", "max_connections=200"]);
  scene.afterwards(() => server.end("SIGKILL"));
  return server;
};

/** From now on, each commit of `primary` waits until `standby` has it on its disk. */
const joinSynchronously = async (primary: PrivatePostgres, standby: PrivatePostgres): Promise<void> => {
  await standby.follow(primary);
  await primary.command("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()");
  await eventually("the standby is synchronous", async () => {
    const rows = await primary.command("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
    return rows.length > 0;
  });
};

const hasRun = async (url: string, id: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query("SELECT 1 FROM job WHERE kind = 'effect' AND payload = $1", [
      JSON.stringify(id),
    ]);
    return (rowCount ?? 0) > 0;
  } finally {
    await client.end();
  }
};

test.skipIf(!startsPostgres)(
  "a primary that is killed under load, whose synchronous standby takes over, loses and doubles nothing",
  async (context) => {
    const scene = sceneOf(context);
    let [primary, standby] = await Promise.all([postgresFor(scene), postgresFor(scene)]);
    await primary.start();
    await joinSynchronously(primary, standby);
    const directory = scene.temporaryDirectory();
    const environment = {
      POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
      DATABASE_URL: urlOf(primary, standby),
    };
    const all: Server[] = [];
    for (const role of ["http", "http", "worker", "worker"]) {
      all.push(await scene.server(directory, { ...environment, POSTERN_ROLE: role }));
    }
    // The first process makes the tables.
    await all[0]?.start();
    await Promise.all(all.slice(1).map((one) => one.start()));
    const load = storm(all.flatMap(({ url }) => url ?? []));
    const seed = Number(process.env.POSTERN_FAULTS_SEED ?? Math.floor(Math.random() * 1_000_000));
    const draw = random(seed);
    let [slowestAnswer, slowestJob] = [0, 0];

    for (let round = 0; round < rounds; round += 1) {
      await pause(1_000 + draw() * 2_000);
      await primary.end("SIGKILL");
      await standby.command("SELECT pg_promote()");
      const promotedAt = performance.now();
      await eventually(
        "a delivery is answered",
        async () => (await deliver(all[0]?.url, `after_${round}`)).status === 200,
        answeredWithinMs,
      );
      slowestAnswer = Math.max(slowestAnswer, performance.now() - promotedAt);
      const url = urlOf(standby);
      await eventually("its job has run", () => hasRun(url, `after_${round}`), runWithinMs);
      slowestJob = Math.max(slowestJob, performance.now() - promotedAt);
      [primary, standby] = [standby, primary];
      if (round < rounds - 1) await joinSynchronously(primary, standby);
    }

    const tally = await load.end();
    const own = new Set(Array.from({ length: rounds }, (_, round) => `after_${round}`));
    const accepted = new Set([...tally.accepted, ...own]);
    const outcome = await outcomeOf(urlOf(primary), accepted);
    const times = `${rounds} promotions, an answer after ${Math.round(slowestAnswer)} ms, a job after ${Math.round(slowestJob)} ms, seed ${seed}`;
    judge(
      "PostgreSQL: the primary is killed, its synchronous standby is promoted",
      { ...tally, accepted },
      outcome,
      times,
    );
    expect(all.map(({ restarts }) => restarts)).toEqual([0, 0, 0, 0]);
  },
);
