import type { Ports } from "@postern/core";
import type { RunnerRecord } from "@postern/core/ports";
import type { Losses } from "./losses.ts";

export interface Recovery {
  /**
   * Looks at all other runners once. Returns how many jobs were taken back from dead ones, and how
   * many runners live beside this one.
   */
  look(ownId: number): Promise<{ readonly jobs: number; readonly others: number }>;
  /** The same for an idle runner, from what it has read: no runner has a job, so beats alone tell. */
  lookAt(live: readonly RunnerRecord[], ownId: number): Promise<{ readonly others: number }>;
}

interface Observation {
  readonly beat: number;
  /**
   * When this beat was first seen, by our own monotonic clock. Wall clocks of two processes are
   * never compared.
   */
  readonly since: number;
  /** When the lock was first seen free with this beat. */
  readonly freeSince: number | undefined;
}

/** A lock must be seen free twice, this far apart, with no beat in between. */
const freeForMs = 1000;
/**
 * A runner that does not beat for this long is dead even if its lock says otherwise: locks cannot
 * tell on some storages, and a half-open connection may still hold one.
 */
const silentForMs = 30_000;
/** The same for a runner that says it is idle, which beats every half minute. */
const idleForMs = 90_000;
/**
 * After the storage was away, every runner has this much time to take its lock again before it can
 * be declared dead.
 */
const graceMs = 10_000;
type RecoveryPorts = Pick<Ports, "storage" | "clock" | "liveness" | "telemetry">;

/**
 * Finds runners whose process is gone, and takes their jobs back. Any number of processes may look
 * at once; only one of them takes over each dead runner.
 */
export const createRecovery = (ports: RecoveryPorts, losses: Losses): Recovery => {
  const { storage, clock, liveness, telemetry } = ports;
  const seen = new Map<number, Observation>();
  let judgeFrom = 0;

  const observe = async (
    { id, beat, isIdle }: RunnerRecord,
    isHeld: (id: number) => Promise<boolean | undefined>,
  ): Promise<"alive" | "dead"> => {
    const held = await isHeld(id);
    const now = clock.monotonic();
    const before = seen.get(id);
    const known = before !== undefined && before.beat === beat ? before : { beat, since: now, freeSince: undefined };
    const freeSince = held === false ? (known.freeSince ?? now) : undefined;
    seen.set(id, { ...known, freeSince });
    const freed = freeSince !== undefined && now - freeSince >= freeForMs;
    return now >= judgeFrom && (freed || now - known.since >= (isIdle ? idleForMs : silentForMs)) ? "dead" : "alive";
  };

  const recover = async (id: number): Promise<number> => {
    seen.delete(id);
    const result = await storage.runners.recover(id, losses.policy());
    if (result === undefined) return 0;
    telemetry.count("runners_recovered");
    telemetry.log("warn", "a runner died; its jobs run again", {
      runner: id,
      jobs: result.recovered,
      dead: result.dead.length,
    });
    losses.report(`${id}`, result);
    return result.recovered;
  };

  const lookAt = async (
    live: readonly RunnerRecord[],
    ownId: number,
    isHeld: (id: number) => Promise<boolean | undefined>,
  ): Promise<{ jobs: number; others: number }> => {
    let jobs = 0;
    let alive = 0;
    const others = live.filter(({ id }) => id !== ownId);
    for (const known of seen.keys()) if (!others.some(({ id }) => id === known)) seen.delete(known);
    for (const other of others) {
      if ((await observe(other, isHeld)) === "dead") jobs += await recover(other.id);
      else alive += 1;
    }
    return { jobs, others: alive };
  };

  return {
    look: async (ownId) => {
      try {
        return await lookAt(await storage.runners.live(), ownId, liveness.isHeld);
      } catch (thrown) {
        // Their locks and beats may have been lost with the storage, so earlier observations no
        // longer count.
        seen.clear();
        judgeFrom = clock.monotonic() + graceMs;
        throw thrown;
      }
    },
    lookAt: (live, ownId) => lookAt(live, ownId, async () => undefined),
  };
};
