import type { Ports } from "@postern/core";
import type { IdleLook, NewRunner } from "@postern/core/ports";

/** This worker's entry in the list of runners, with the lock that says its process lives. */
export interface Registration {
  /** 0 before `begin`. */
  readonly runnerId: number;
  begin(): Promise<void>;
  /**
   * Reports that this runner is alive. If it was declared dead meanwhile, it calls `onDead` and
   * registers again.
   */
  beat(onDead: () => void): Promise<void>;
  /**
   * Looks whether this runner may be idle; see `Runners.rest`. `undefined` if it was declared dead: the
   * next beat registers it again.
   */
  rest(): Promise<IdleLook | undefined>;
  /** Whether the runner has said in its row that it is idle. */
  readonly isIdle: boolean;
  /** Notes that a claim has taken that back. */
  woken(): void;
  /**
   * Tells the others that this runner was asked to stop. If it is killed before it is done, its
   * jobs are not to blame.
   */
  stopping(): Promise<void>;
  /** Removes this runner from the list and releases its lock. */
  end(): Promise<void>;
}

export const createRegistration = (
  { storage, clock, liveness, telemetry }: Pick<Ports, "storage" | "clock" | "liveness" | "telemetry">,
  runner: NewRunner,
): Registration => {
  let runnerId = 0;
  let isIdle = false;
  let hold: { release(): Promise<void> } | undefined;

  /** Whether the row says that the runner is idle must be known here, so these writes take turns. */
  let last: Promise<unknown> = Promise.resolve();
  const oneByOne = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work, work);
    last = result;
    return result;
  };

  const begin = async (): Promise<void> => {
    runnerId = await storage.runners.register(runner, clock.now());
    hold = await liveness.hold(runnerId);
  };

  const orWarn = (done: Promise<void>, warning: string): Promise<void> =>
    done.catch((thrown: unknown) => telemetry.log("warn", warning, { runner: runnerId }, thrown));

  return {
    get runnerId() {
      return runnerId;
    },
    get isIdle() {
      return isIdle;
    },
    begin,
    rest: () =>
      oneByOne(async () => {
        // Until it is known whether the row says so.
        isIdle = true;
        const found = await storage.runners.rest(runnerId, clock.now());
        isIdle = found?.isIdle ?? true;
        return found;
      }),
    woken: () => {
      isIdle = false;
    },
    beat: (onDead) =>
      oneByOne(async () => {
        const isThere = await storage.runners.beat(runnerId, clock.now());
        isIdle = false;
        if (isThere) return;
        telemetry.log("warn", "this runner was taken for dead; it starts anew", { runner: runnerId });
        onDead();
        await hold?.release();
        await begin();
      }),
    stopping: () => orWarn(storage.runners.stopping(runnerId), "the runner could not be marked as stopping"),
    end: async () => {
      await orWarn(storage.runners.retire(runnerId), "the runner could not be taken off the list");
      await hold?.release();
    },
  };
};
