import assert from "node:assert/strict";
import type { Job } from "../ports/job.ts";
import { queues, type Walk } from "./job-model-state.ts";

/** Checks every stored job, and the turns of every order key. */
export const checkJobs = async (walk: Walk): Promise<void> => {
  const stored = new Map<number, Job>(
    (await walk.storage.jobRecords.list({ limit: 1000 })).map((job) => [job.id, job]),
  );
  assert.equal(stored.size, walk.jobs.length, "no job is lost or doubled");
  for (const job of walk.jobs) {
    const { state, attempt, losses, dueAt, cancelAt, holdsTurn } = stored.get(job.id) ?? {};
    const { attempt: runs, losses: lost, cancelAt: asked, hasTurn } = job;
    const expected = { state: job.state, attempt: runs, losses: lost, cancelAt: asked };
    assert.deepEqual({ state, attempt, losses, cancelAt }, expected, `job ${job.id}`);
    assert.equal(holdsTurn, hasTurn && job.state === "dead", `whether job ${job.id} holds its key`);
    if (state === "scheduled" || state === "blocked") assert.equal(dueAt, job.dueAt, `when job ${job.id} is due`);
  }
  for (const key of new Set(walk.jobs.flatMap(({ spec }) => spec.orderKey ?? []))) {
    const line = walk.jobs.filter(({ spec }) => spec.orderKey === key);
    const heads = line.filter(({ hasTurn }) => hasTurn);
    assert.ok(heads.length <= 1, "one has the turn");
    if (line.some(({ state }) => state === "blocked")) assert.equal(heads.length, 1, "somebody has the turn");
    for (const { state, hasTurn } of line) {
      if (state === "ready" || state === "running") assert.ok(hasTurn, "nobody runs whose turn it is not");
    }
  }
};

/** Checks the state of every claim that was ever made. */
const checkClaims = async (walk: Walk): Promise<void> => {
  for (const one of walk.claims) {
    const job = walk.jobs.find(({ claim: last }) => last === one);
    const expected =
      job === undefined ? "lost" : job.state !== "running" ? "spent" : job.committed ? "committed" : "held";
    assert.equal(await walk.storage.jobs.leaseState(one.job), expected, "the state of a lease");
  }
};

/** Checks the living runners, and the jobs that each of them has claimed. */
const checkRunners = async (walk: Walk): Promise<void> => {
  const live = walk.runners.filter(({ state }) => state === "live").map(({ id }) => id);
  assert.deepEqual((await walk.storage.runners.live()).map(({ id }) => id).toSorted(), live.toSorted());
  for (const { id } of walk.runners) {
    const asked = walk.jobs.filter((job) => job.state === "running" && job.runner === id && job.cancelAt !== undefined);
    const running = await walk.storage.runners.running(id);
    const found = running.filter(({ cancelAt }) => cancelAt !== undefined);
    assert.deepEqual(found.map((job) => job.id).toSorted(), asked.map((job) => job.id).toSorted());
    const held = walk.jobs.filter((job) => job.state === "running" && job.runner === id);
    assert.deepEqual(
      running.map(({ lease }) => lease).toSorted(),
      held.map(({ claim: last }) => last?.job.lease ?? 0).toSorted(),
    );
  }
};

/** Checks the numbers of jobs, the next due time, and which queues have a suspect to run. */
const checkQueues = async (walk: Walk): Promise<void> => {
  const counts = await walk.storage.jobRecords.countByState();
  for (const [state, count] of Object.entries(counts)) {
    const inState = walk.jobs.filter((job) => job.state === state && (state !== "dead" || !job.replaced));
    assert.equal(count, inState.length, `jobs that are ${state}`);
  }
  const dueTimes = walk.jobs.filter(({ state }) => state === "scheduled").map(({ dueAt }) => dueAt ?? 0);
  assert.equal(await walk.storage.jobs.nextDueAt(), dueTimes.length === 0 ? undefined : Math.min(...dueTimes));
  for (const queue of queues) {
    const suspects = walk.jobs.some((job) => job.state === "ready" && job.spec.queue === queue && job.losses >= 2);
    assert.equal(await walk.storage.jobs.canClaim({ queue, pick: "suspects" }), suspects && !walk.paused.has(queue));
  }
};

/** Checks at the end of a walk what is too costly to check after each step. */
export const checkEnd = async (walk: Walk): Promise<void> => {
  await checkClaims(walk);
  await checkRunners(walk);
  await checkQueues(walk);
};
