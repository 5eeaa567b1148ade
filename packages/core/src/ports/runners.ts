import type { Job, Lease } from "./job.ts";

/** How many jobs a runner runs at once, and how its queues are limited. */
interface RunnerLimits {
  readonly concurrency: number;
  /** The queues that it works, by name, each with its limits. */
  readonly queues: Readonly<Record<string, QueueLimits>>;
}

export interface QueueLimits {
  /** How many of its jobs run at once in this process. Default: as many as there are slots. */
  readonly concurrency?: number;
  /**
   * How many of its jobs run at once over all processes. Every process must be given the same
   * number. Its jobs wait for a claim, and do not start with the commit that stores them.
   */
  readonly globalConcurrency?: number;
  /**
   * How many of its jobs start per second over all processes. Each process takes an equal share.
   */
  readonly perSecond?: number;
}

/**
 * A runner as others see it. `beat` is a counter: watch it with your own monotonic clock, so that
 * no two wall clocks are compared.
 */
export interface RunnerRecord {
  readonly id: number;
  readonly name: string;
  readonly beat: number;
  /** When it last raised its beat (milliseconds since the epoch, by its own clock). For people. */
  readonly beatAt: number;
  /** It beats only every half minute, because there is nothing to do. */
  readonly isIdle: boolean;
  /** The kinds of jobs that it runs. */
  readonly kinds: readonly string[];
  /** Absent for a runner that did not tell. */
  readonly limits: RunnerLimits | undefined;
}

export interface NewRunner {
  /** Shown to operators; cut to 255 characters. */
  readonly name: string;
  /** The kinds of jobs that it runs. */
  readonly kinds: readonly string[];
  /** Shown to operators. */
  readonly limits?: RunnerLimits;
}

/** A job that became dead because its runners died. */
export type GivenUpJob = Pick<Job, "id" | "kind" | "eventId" | "losses">;

interface RunningJob extends Lease {
  /** When somebody asked to cancel the job. */
  readonly cancelAt: number | undefined;
}

export interface RecoveryPolicy {
  readonly now: number;
  /** A job whose runner died this often becomes dead. */
  readonly maxLosses: number;
  /**
   * A job whose runner died this often is a suspect: a claim gets it only with `pick: "suspects"`.
   */
  readonly suspectLosses: number;
  /** How long a job waits after its n-th loss. */
  readonly delayMs: (losses: number) => number;
}

/** What a runner finds that looks whether it may be idle. */
export interface IdleLook {
  /** Whether the runner beat as idle. False while some job is ready, running or blocked. */
  readonly isIdle: boolean;
  /** All runners that were not declared dead. */
  readonly live: readonly RunnerRecord[];
  /** When the next scheduled job is due. */
  readonly dueAt: number | undefined;
  /** See `databaseTime`. */
  readonly databaseTime: number | undefined;
}

/** The processes that run jobs. Driven port; `jobStoreContract` is its definition in code. */
export interface Runners {
  /**
   * A new live runner. Its id is random, and never used again: it is also the token of its lock, its
   * beats and its claims, so that no two runners are taken for each other after a failover that lost
   * commits.
   */
  register(runner: NewRunner, now: number): Promise<number>;
  /**
   * Raises the runner's beat. False if the runner was declared dead: it must stop its jobs and
   * register anew.
   */
  beat(runnerId: number, now: number): Promise<boolean>;
  /**
   * Looks at everything that an idle runner has to know, in one transaction. If no job is ready, running
   * or blocked, the runner beats and says in its row that it is idle; `beat` and a claim with `endsIdle`
   * take that back. A job that waits to run, a stray, and an order key without a turn all have such a
   * job. `undefined` if the runner was declared dead. It also looks whether the database went back in
   * time; see `Storage.past`.
   */
  rest(runnerId: number, now: number): Promise<IdleLook | undefined>;
  /** All runners that were not declared dead. */
  live(): Promise<readonly RunnerRecord[]>;
  /** The jobs that a runner has claimed and not ended, as the store knows them; of `ids` only, if given. */
  running(runnerId: number, ids?: readonly number[]): Promise<readonly RunningJob[]>;
  /**
   * Running jobs that this runner holds, and those whose runner is not on the list of living ones. Those
   * of the runner 0, which holds none, are run by nobody.
   */
  heldOrOrphaned(runnerId: number): Promise<readonly RunningJob[]>;
  /** How often to ask for jobs that nobody runs. */
  readonly strayLookMs: number;
  /**
   * Takes running jobs back from nobody, each only if it still has this lease. Each counts one more
   * loss, as with `recover`.
   */
  takeBack(
    leases: readonly Lease[],
    policy: RecoveryPolicy,
  ): Promise<{ readonly recovered: number; readonly dead: readonly GivenUpJob[] }>;
  /**
   * Declares a runner dead and takes its running jobs back, in one transaction. One caller wins,
   * the others get `undefined`. Each job counts one more loss. It is scheduled again (`recovered`
   * counts these), or is dead after `maxLosses` (`dead`). If the runner had said that it was
   * stopping, only suspects count a loss, because they ran alone. A job that somebody asked to
   * cancel is cancelled. A job that had committed is done.
   */
  recover(
    runnerId: number,
    policy: RecoveryPolicy,
  ): Promise<{ readonly recovered: number; readonly dead: readonly GivenUpJob[] } | undefined>;
  /**
   * Notes that the runner was told to stop. If the runner is killed before it has stopped, its jobs
   * are not to blame.
   */
  stopping(runnerId: number): Promise<void>;
  /**
   * Removes a runner that has nothing left to do. A runner that still has jobs stays, so that
   * others take them back.
   */
  retire(runnerId: number): Promise<void>;
  /**
   * The time of the database server (milliseconds since the epoch); `undefined` if it has no clock
   * of its own.
   */
  databaseTime(): Promise<number | undefined>;
}
