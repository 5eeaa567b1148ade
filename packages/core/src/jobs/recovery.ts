import type { Environment } from "../environment.ts";

export interface Recovery {
  /** One look at all other runners; how many jobs were taken back from dead ones. */
  look(ownId: number): Promise<number>;
}

interface Observation {
  readonly beat: number;
  /** When this beat was first seen, on our own monotonic clock: no two wall clocks are compared. */
  readonly since: number;
  /** When the lock was first seen free with this beat. */
  readonly freeSince: number | undefined;
}

/** A lock must be seen free twice, this far apart, with no beat in between. */
const freeForMs = 1000;
/** Where locks cannot tell, or a half-open connection still holds one. */
const silentForMs = 30_000;
const maxLosses = 3;

const delayAfterLossMs = (losses: number): number => 1000 * losses * losses;

/** Finds runners whose process is gone, and takes their jobs back. Any number of processes may look at once; one wins each runner. */
export const createRecovery = ({ ports }: Environment): Recovery => {
  const { storage, clock, liveness, telemetry, alerts, wakeup } = ports;
  const seen = new Map<number, Observation>();

  const observe = async (id: number, beat: number): Promise<"alive" | "dead"> => {
    const now = clock.monotonic();
    const before = seen.get(id);
    const known = before !== undefined && before.beat === beat ? before : { beat, since: now, freeSince: undefined };
    const held = await liveness.isHeld(id);
    const freeSince = held === false ? (known.freeSince ?? now) : undefined;
    seen.set(id, { ...known, freeSince });
    const freed = freeSince !== undefined && now - freeSince >= freeForMs;
    return freed || now - known.since >= silentForMs ? "dead" : "alive";
  };

  const recover = async (id: number): Promise<number> => {
    seen.delete(id);
    const result = await storage.jobs.recoverRunner(id, { now: clock.now(), maxLosses, delayMs: delayAfterLossMs });
    if (result === undefined) return 0;
    telemetry.count("runners_recovered");
    telemetry.log("warn", "a runner died; its jobs run again", {
      runner: id,
      jobs: result.recovered,
      dead: result.dead,
    });
    if (result.dead > 0) {
      alerts.raise({
        kind: "job.dead",
        text: `${result.dead} jobs were given up: their runner died ${maxLosses} times while it ran them.`,
        details: { runner: id, jobs: result.dead },
      });
    }
    wakeup.notify();
    return result.recovered;
  };

  return {
    look: async (ownId) => {
      let jobs = 0;
      const others = (await storage.jobs.liveRunners()).filter(({ id }) => id !== ownId);
      for (const known of seen.keys()) if (!others.some(({ id }) => id === known)) seen.delete(known);
      for (const { id, beat } of others) if ((await observe(id, beat)) === "dead") jobs += await recover(id);
      return jobs;
    },
  };
};
