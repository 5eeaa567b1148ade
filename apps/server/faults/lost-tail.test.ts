import { expect, test, vi } from "vitest";
import { replicatedKinds, serversOn } from "./replicated-databases.ts";
import { pause, sceneOf } from "./server-under-fault.ts";
import { isLong, judge, outcomeOf, queryOf, storm } from "./storm.ts";

vi.setConfig({ testTimeout: isLong ? 1_800_000 : 240_000 });

const doneWithinMs = 60_000;

test.for(replicatedKinds)(
  "a primary of $name that is killed, whose asynchronous standby lacks the last reservations of numbers: what is acknowledged after the promotion takes effect once, within a minute",
  async ({ name, forgetsTail, make, urlOf }, context) => {
    const scene = sceneOf(context);
    const { rejoin, loseTail, ...pair } = await make(scene);
    let { primary, standby } = pair;
    const all = await serversOn(scene, urlOf(primary, standby), ["http", "all", "all", "worker"]);
    const rounds = isLong && forgetsTail ? 5 : 1;

    for (let round = 0; round < rounds; round += 1) {
      await loseTail(standby, primary);
      // The standby misses also the numbers that the processes reserve now.
      if (round === 0) await Promise.all(all.slice(1).map((one) => one.start()));
      const urls = all.flatMap(({ url }) => url ?? []);
      const lost = storm(urls, { senders: 8, type: `lost_${round}` });
      await pause(2_000);
      const [there] = await queryOf(urlOf(standby))(
        `SELECT COUNT(*) AS events FROM inbox_event WHERE type = 'lost_${round}'`,
      );
      expect(Number(there?.events)).toBe(0);
      expect(lost.replies.some(({ status }) => status === 200)).toBe(true);
      await primary.kill();
      await standby.promote();
      const promotedAt = performance.now();
      const kept = storm(urls, { senders: 8, prefix: `kept_${round}_` });
      await pause(isLong ? 20_000 : 8_000);
      await lost.end();
      const tally = await kept.end();
      const outcome = await outcomeOf(urlOf(standby), tally.accepted);
      const took = performance.now() - promotedAt;
      expect(outcome.lost).toEqual([]);
      expect(outcome.doubled).toEqual([]);
      judge(
        `${name}: the primary is killed, its asynchronous standby lacks the last reservations`,
        tally,
        { ...outcome, processed: tally.accepted.size },
        `all done ${Math.round(took / 100) / 10} s after the promotion`,
      );
      expect(took - (isLong ? 20_000 : 8_000)).toBeLessThan(doneWithinMs);
      const query = queryOf(urlOf(standby));
      const [left] = await query("SELECT COUNT(*) AS jobs FROM job WHERE state IN (2, 3)");
      expect(Number(left?.jobs)).toBe(0);
      [primary, standby] = [standby, primary];
      if (round < rounds - 1) await rejoin(standby, primary);
    }
    expect(all.map(({ restarts }) => restarts)).toEqual([0, 0, 0, 0]);
  },
);
