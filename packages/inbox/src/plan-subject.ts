import type { Stores } from "@postern/core";
import type { StoredPlan } from "@postern/core/ports";

/** What a plan is about: which events or jobs, and what becomes of them. */
export type PlanRequest = Pick<StoredPlan, "action" | "filter" | "jobs" | "text" | "force" | "reason">;

/** How many events with their bodies, or jobs, are in memory at once, and in one transaction. */
export const batchSize = 50;

/** What one look at the next events or jobs found. */
export interface Batch {
  /** The ids of those that were looked at, oldest first; those that are selected among them. */
  readonly looked: readonly number[];
  readonly selected: ReadonlySet<number>;
  /** Whether there are no further ones. */
  readonly isLast: boolean;
}

/** What is to become of one of them. `made`: the jobs that would run for it. */
export type Verdict<Chosen> =
  | { readonly kind: "do"; readonly chosen: Chosen; made(): Promise<readonly MadeJob[]> }
  | { readonly kind: "skip"; readonly reason: string }
  /** To decide it failed: its sender cannot be used, or a schema of the application threw. */
  | { readonly kind: "fail" };

export interface MadeJob {
  readonly kind: string;
  readonly orderKey: string | undefined;
}

/** What a plan goes through, the oldest first: events or jobs. */
export interface PlanSubject<Chosen> {
  next(after: number): Promise<Batch>;
  /** What is to become of each, by its id. */
  judge(ids: readonly number[]): Promise<ReadonlyMap<number, Verdict<Chosen>>>;
  /** Does it, in the transaction of the plan. For each, in order: how many jobs it concerned; 0 for nothing. */
  act(stores: Stores, chosen: readonly Chosen[], now: number): Promise<readonly number[]>;
  /** Why nothing was done for one that was chosen. */
  readonly whyLate: string;
  /** Whether it makes jobs that run. */
  readonly makesJobs: boolean;
}

export const changedMeanwhile = "it changed at the same moment";
