import { expect, test, vi } from "vitest";
import { replicatedKinds } from "./replicated-databases.ts";
import { eventually, pause, type Server, sceneOf } from "./server-under-fault.ts";
import { isLong, judge, outcomeOf, queryOf, storm } from "./storm.ts";

vi.setConfig({ testTimeout: isLong ? 1_800_000 : 240_000 });

const rounds = isLong ? 5 : 1;
const doneWithinMs = 60_000;

test.for(replicatedKinds.filter(({ name }) => name === "PostgreSQL"))(
  "a primary of $name that is killed, whose asynchronous standby lacks the last reservations of numbers: what is acknowledged after the promotion takes effect once, within a minute",
  async ({ name, make, urlOf }, context) => {
    const scene = sceneOf(context);
    const { rejoin, ...pair } = await make(scene);
    let { primary, standby } = pair;
    const directory = scene.temporaryDirectory();
    const environment = {
      POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
      DATABASE_URL: urlOf(primary, standby),
    };
    const all: Server[] = [];
    for (const role of ["http", "all", "all", "worker"]) {
      all.push(await scene.server(directory, { ...environment, POSTERN_ROLE: role }));
    }
    // The first process makes the tables, and the standby gets them.
    await all[0]?.start();

    for (let round = 0; round < rounds; round += 1) {
      const onPrimary = queryOf(urlOf(primary));
      await onPrimary("ALTER SYSTEM SET synchronous_standby_names = ''");
      await onPrimary("SELECT pg_reload_conf()");
      await eventually("the standby is asynchronous and has everything", async () => {
        const [row] = await onPrimary(
          "SELECT pid FROM pg_stat_replication WHERE sync_state = 'async' AND replay_lsn >= pg_current_wal_lsn()",
        );
        return row !== undefined;
      });
      const [sender] = await onPrimary("SELECT pid FROM pg_stat_replication");
      process.kill(Number(sender?.pid), "SIGSTOP");
      // From here on the standby misses all: also the numbers that the processes reserve now.
      if (round === 0) await Promise.all(all.slice(1).map((one) => one.start()));
      const urls = all.flatMap(({ url }) => url ?? []);
      const lost = storm(urls, { senders: 8, type: `lost_${round}` });
      await pause(2_000);
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
