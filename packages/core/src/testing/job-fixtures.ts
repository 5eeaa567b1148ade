import assert from "node:assert/strict";
import type { ClaimedJob, JobEnd, JobState, NewJob } from "../ports/job.ts";
import type { ClaimRequest } from "../ports/job-queue.ts";
import type { RecoveryPolicy } from "../ports/runners.ts";
import type { Storage } from "../ports/storage.ts";

/** The time of every call in the contracts of the queue, unless a case says another. */
export const now = 1_800_000_000_000;

export const newJob = (changes: Partial<NewJob> = {}): NewJob => ({ kind: "log", maxAttempts: 3, ...changes });

export const policy: RecoveryPolicy = { now, maxLosses: 3, suspectLosses: 2, delayMs: (losses) => 1000 * losses };

/** Claims for a runner that was never declared dead. */
export const claim = ({ jobs }: Storage, changes: Partial<ClaimRequest> = {}): Promise<readonly ClaimedJob[]> =>
  jobs.claim({ runnerId: 900_000, queue: "default", limit: 10, now, ...changes });

export const claimOne = async (storage: Storage, changes: Partial<ClaimRequest> = {}): Promise<ClaimedJob> => {
  const [claimed] = await claim(storage, { ...changes, limit: 1 });
  assert.ok(claimed, "a job was ready");
  return claimed;
};

/** Enqueues one job; its id. */
export const enqueueOne = async ({ jobs }: Storage, changes: Partial<NewJob> = {}): Promise<number> => {
  const [id] = await jobs.enqueue([newJob(changes)], now);
  assert.ok(id);
  return id;
};

export const end = async ({ jobs }: Storage, job: ClaimedJob, how: JobEnd): Promise<void> => {
  assert.deepEqual(await jobs.finish([{ job, end: how }], now), [true]);
};

export const stateOf = async ({ jobRecords }: Storage, id: number): Promise<JobState | undefined> =>
  (await jobRecords.find(id))?.state;
