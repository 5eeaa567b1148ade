import { expect, test, vi } from "vitest";
import { random } from "./private-databases.ts";
import { replicatedKinds, serversOn } from "./replicated-databases.ts";
import { eventually, pause, sceneOf } from "./server-under-fault.ts";
import { deliver, isLong, judge, outcomeOf, queryOf, storm } from "./storm.ts";

vi.setConfig({ testTimeout: isLong ? 3_600_000 : 180_000 });

const rounds = isLong ? 10 : 1;
/**
 * Deliveries are answered 200 again within this time of the promotion, and jobs run again within the
 * other. How long one job waits for those in front of it depends on the load.
 */
const answeredWithinMs = 5_000;
const runWithinMs = 10_000;

/** How many jobs have run so far. */
const countRun = async (url: string): Promise<number> => {
  const [row] = await queryOf(url)("SELECT COUNT(*) AS run FROM job WHERE kind = 'effect'");
  return Number(row?.run);
};

test.for(replicatedKinds)(
  "a primary of $name that is killed under load, whose synchronous standby takes over, loses and doubles nothing",
  async ({ fault, make, urlOf }, context) => {
    const scene = sceneOf(context);
    const { rejoin, ...pair } = await make(scene);
    let { primary, standby } = pair;
    const all = await serversOn(scene, urlOf(primary, standby), ["http", "http", "worker", "worker"]);
    await Promise.all(all.slice(1).map((one) => one.start()));
    const load = storm(all.flatMap(({ url }) => url ?? []));
    const seed = Number(process.env.POSTERN_FAULTS_SEED ?? Math.floor(Math.random() * 1_000_000));
    const draw = random(seed);
    let [slowestAnswer, slowestJob] = [0, 0];

    for (let round = 0; round < rounds; round += 1) {
      await pause(1_000 + draw() * 2_000);
      await primary.kill();
      await standby.promote();
      const promotedAt = performance.now();
      const url = urlOf(standby);
      const before = await countRun(url);
      await eventually(
        "a delivery is answered",
        async () => (await deliver(all[0]?.url, `after_${round}`)).status === 200,
        answeredWithinMs,
      );
      slowestAnswer = Math.max(slowestAnswer, performance.now() - promotedAt);
      await eventually("jobs run", async () => (await countRun(url)) > before, runWithinMs);
      slowestJob = Math.max(slowestJob, performance.now() - promotedAt);
      [primary, standby] = [standby, primary];
      if (round < rounds - 1) await rejoin(standby, primary);
    }

    const tally = await load.end();
    const own = new Set(Array.from({ length: rounds }, (_, round) => `after_${round}`));
    const accepted = new Set([...tally.accepted, ...own]);
    const outcome = await outcomeOf(urlOf(primary), accepted);
    const times = `${rounds} promotions, an answer after ${Math.round(slowestAnswer)} ms, a job after ${Math.round(slowestJob)} ms, seed ${seed}`;
    judge(fault, { ...tally, accepted }, outcome, times);
    expect(all.map(({ restarts }) => restarts)).toEqual([0, 0, 0, 0]);
  },
);
