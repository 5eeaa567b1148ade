import type { DeliverySum, Job, QueueSummary, ReadyKind, RunnerRecord, RunningInQueue } from "@postern/core/ports";
import type { DueRows } from "../maintenance/due-rows.ts";
import type { healthLevels } from "../wire/health.ts";

/** What is known at one moment, from which the health follows. */
export interface HealthSnapshot {
  /** Milliseconds since the epoch, as all times here. */
  readonly now: number;
  /** The deliveries of the last hour. */
  readonly deliveries: readonly DeliverySum[];
  /**
   * If none of them was stored: how many of the newest `uncountedAtMost` events came in the last hour
   * all the same. A process writes its counts down every ten seconds, its events at once.
   */
  readonly uncounted: number;
  /** When the keys of senders that were refused were last changed, if that was in the last day. */
  readonly keyChanges: ReadonlyMap<string, number>;
  /** Senders whose keys come from the configuration. */
  readonly configured: ReadonlySet<string>;
  /** Queues that are paused or have ready jobs. */
  readonly queues: readonly QueueSummary[];
  readonly running: readonly RunningInQueue[];
  /** The queues of which a job ended in the last minute. It is looked for where jobs are late. */
  readonly ended: ReadonlySet<string>;
  /** The runners that were heard of in the last minute. */
  readonly runners: readonly Pick<RunnerRecord, "name" | "kinds" | "limits">[];
  /** Ready jobs whose workers ended so often that they run alone. Looked for where few jobs are ready. */
  readonly suspects: readonly Pick<Job, "id" | "kind" | "queue" | "losses">[];
  /** How many jobs of each kind are ready. */
  readonly kinds: readonly ReadyKind[];
  /** The newest dead jobs that no other job has replaced, up to 100. */
  readonly dead: readonly Pick<Job, "id" | "kind" | "eventId" | "finishedAt" | "holdsTurn">[];
  /** How many there are, counted up to `healthCountedAtMost`. */
  readonly deadCount: number;
  /** The attempts that failed in the last hour, with their greatest cause; `undefined` if none did. */
  readonly failing:
    | {
        readonly failures: number;
        /** How many of them have the greatest cause. */
        readonly ofCause: number;
        readonly handler: string;
        /** The name of its error. Its message may quote a payload, which not everybody may see. */
        readonly error: string | undefined;
        /** Where it was thrown in the application's own code. */
        readonly place: string | undefined;
      }
    | undefined;
  /** Forwards that go on failing because their target does not answer, or answers that it cannot. */
  readonly targets: readonly {
    readonly handler: string;
    /** How many attempts failed in the last hour. */
    readonly failures: number;
    readonly lastAt: number;
  }[];
  /** Postern's own work that failed in the last hour, and how often, the most failures first. */
  readonly ownFailing: readonly { readonly handler: string; readonly failures: number }[];
  /** Events in quarantine, counted up to `healthCountedAtMost`. */
  readonly quarantined: number;
  /** Schedules of which a time has passed without a run, with that time. */
  readonly lateSchedules: readonly {
    readonly name: string;
    readonly dueAt: number;
    /** Its pause, if it is paused. */
    readonly pause: { readonly at: number; readonly note: string | undefined } | undefined;
  }[];
  /** Running jobs, the oldest ids first, with the time that their handlers have; up to 100. */
  readonly started: readonly {
    readonly id: number;
    readonly kind: string;
    /** When it began. */
    readonly at: number;
    readonly timeoutMs: number;
  }[];
  /** Jobs that are not ready. The numbers are counted up to `healthCountedAtMost`. */
  readonly waiting: {
    /** Behind others of their order keys. */
    readonly blocked: number;
    readonly oldestBlockedAt: number | undefined;
    /** For their time. */
    readonly scheduled: number;
    /** The first of these times. */
    readonly dueAt: number | undefined;
  };
  /** Plans that are paused, and those that run, with the time of their next event. */
  readonly plans: readonly { readonly id: string; readonly state: "paused" | "running"; readonly nextAt: number }[];
  /** The time of the oldest entry of the audit log that has no seal. */
  readonly unsealedSince: number | undefined;
  /** How far this process's clock is ahead of that of the database. */
  readonly clockSkewMs: number;
  /** Why the database takes no write, although it answers; `undefined` if it takes one. */
  readonly unwritable: string | undefined;
  /** Large deletions that are unfinished, and whether somebody has paused what goes on with them. */
  readonly deletions: { readonly unfinished: number; readonly isPaused: boolean };
  /** What retention should have deleted long ago. */
  readonly overdue: readonly DueRows[];
  /** What the check of the audit log has found. */
  readonly auditFindings: number;
  /** Room on the disk of the database, where that is known. */
  readonly freeBytes: number | undefined;
}

/**
 * With less room than this on the disk of the database, a burst of large webhooks fills it before
 * anybody comes. The metric `database_free_bytes` tells you earlier.
 */
export const leastFreeBytes = 256 * 1024 * 1024;

/** What has not happened for so long is over, though it is in the counts of the last hour. */
export const overMs = 30 * 60_000;

/** Counting stops here: a sentence does not need to know more. */
export const healthCountedAtMost = 1_000;

/** So many of the newest events are looked at where no delivery is counted yet. */
export const uncountedAtMost = 100;

/** How bad a fact is. `stopped`: some work does not flow. `attention`: it flows, and somebody should look. */
export type HealthLevel = (typeof healthLevels)[number];

/** A fact behind the health. */
export interface HealthFact {
  /** What it is about: `refused`, `queue_limited` and so on. Stable, for programs. */
  readonly kind: string;
  readonly level: HealthLevel;
  /** A sentence for people. */
  readonly text: string;
  /** The command that mends it, or what to do where no command can. Absent if nothing is wrong. */
  readonly mend?: string;
  /** The page of the console that shows it: what stands behind `#` in its address. */
  readonly page: string;
}

export interface Health {
  /** The worst level of its facts. */
  readonly level: HealthLevel;
  /** Whether work flows, and if not, what holds it. */
  readonly sentence: string;
  /** The facts behind the sentence, the worst first. */
  readonly facts: readonly HealthFact[];
}
