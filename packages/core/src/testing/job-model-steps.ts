import assert from "node:assert/strict";
import type { JobEnd, NewJob } from "../ports/job.ts";
import {
  add,
  byAge,
  byOrder,
  comeDue,
  finish,
  type Modelled,
  open,
  passTurn,
  priorityOf,
  queues,
  to,
  type Walk,
} from "./job-model-state.ts";

const whenTakenOf = (first: number): "skip" | "reschedule" => (first % 2 === 0 ? "skip" : "reschedule");
const policy = { maxLosses: 3, suspectLosses: 2, delayMs: (losses: number) => 100 * losses };

const pickOf = <Item>(items: readonly Item[], number: number): Item | undefined =>
  items[number % Math.max(1, items.length)];

const specOf = (walk: Walk, first: number, second: number): NewJob => ({
  kind: `kind-${first % 2}`,
  maxAttempts: 3,
  queue: queues[first % 2] ?? "default",
  priority: second % 3,
  payload: { first, second },
  ...(first % 3 === 0 ? { orderKey: `order-${second % 2}` } : {}),
  ...(second % 5 > 2 ? { onRetry: "yield" as const } : {}),
  ...(second % 7 > 4 ? { onDead: "hold" as const } : {}),
  ...(first % 5 === 0 ? { unique: { key: `unique-${second % 2}`, whenTaken: whenTakenOf(first) } } : {}),
  ...((first + second) % 3 === 0 ? { dueAt: walk.now + 100 * (second % 4) } : {}),
});

const reschedule = (walk: Walk, job: Modelled, dueAt: number | undefined): void => {
  if (job.state === "running") return;
  if (job.state === "scheduled" && dueAt === undefined) comeDue(walk, job);
  job.dueAt = dueAt;
  if (job.state === "ready" && dueAt !== undefined) to(walk, job, "scheduled");
};

const enqueue = async (walk: Walk, first: number, second: number): Promise<void> => {
  const spec = specOf(walk, first, second);
  const [id = 0] = await walk.storage.jobs.enqueue([spec], walk.now);
  const holder = walk.jobs.find((job) => job.holdsUnique && job.spec.unique?.key === spec.unique?.key);
  if (spec.unique === undefined || holder === undefined) {
    add(walk, id, spec);
    return;
  }
  assert.equal(id, holder.id, "a unique key is taken");
  if (spec.unique.whenTaken === "reschedule") reschedule(walk, holder, spec.dueAt);
};

const claim = async (walk: Walk, first: number, second: number): Promise<void> => {
  const runner = pickOf(walk.runners, first);
  const queue = queues[second % 2] ?? "default";
  const pick = (["priority", "priority", "arrival", "suspects"] as const)[first % 4] ?? "priority";
  const limit = 1 + (second % 3);
  const runnerId = runner?.id ?? 900_000;
  const globalLimit = second % 4 === 3 ? 2 : Number.POSITIVE_INFINITY;
  const running = walk.jobs.filter((job) => job.state === "running" && job.spec.queue === queue).length;
  const limited = globalLimit === 2 ? { globalLimit } : {};
  const claimed = await walk.storage.jobs.claim({ runnerId, queue, limit, now: walk.now, pick, ...limited });
  const ready = walk.jobs.filter(
    (job) => job.state === "ready" && job.spec.queue === queue && job.losses >= 2 === (pick === "suspects"),
  );
  const [oldest] = ready.toSorted(byAge);
  const oldestPriorities = ready.filter(({ readyIn }) => readyIn === oldest?.readyIn).map(priorityOf);
  const taken = claimed.map(({ id }) => ready.find((job) => job.id === id));
  const priorities = pick === "arrival" ? [taken[0]?.spec.priority ?? oldestPriorities[0]] : undefined;
  if (priorities !== undefined && ready.length > 0) {
    assert.ok(oldestPriorities.includes(priorities[0] ?? 0), "the priority of a job that is ready for longest");
  }
  const wanted = ready
    .filter((job) => priorities === undefined || priorities.includes(priorityOf(job)))
    .toSorted(byOrder)
    .slice(0, Math.max(0, Math.min(limit, globalLimit - running)));
  const expected = walk.paused.has(queue) || runner?.state === "dead" ? [] : wanted;
  const standing = (job: Modelled | undefined) => job && [priorityOf(job), job.readyIn];
  assert.deepEqual(taken.map(standing), expected.map(standing), "what is claimed");
  for (const [index, job] of taken.entries()) {
    if (job === undefined) continue;
    const answer = claimed[index];
    assert.ok(answer);
    to(walk, job, "running");
    job.attempt += 1;
    job.runner = runnerId;
    job.dueAt = undefined;
    job.claim = { job: answer };
    walk.claims.push(job.claim);
    assert.deepEqual([answer.attempt, answer.losses, answer.payload], [job.attempt, job.losses, job.spec.payload]);
  }
};

const endOf = (walk: Walk, number: number): JobEnd =>
  (
    [
      { to: "done" },
      { to: "scheduled", at: walk.now + 100, error: "boom" },
      { to: "dead", error: "no use" },
      { to: "ready" },
      { to: "snoozed", at: walk.now + 50 },
      { to: "cancelled" },
      { to: "committed" },
    ] as const
  )[number % 7] ?? { to: "done" };

/** Ends one or two claims in one batch. Old claims, and the same claim twice, are possible. */
const end = async (walk: Walk, first: number, second: number): Promise<void> => {
  const chosen = [pickOf(walk.claims, first), second % 3 === 0 ? pickOf(walk.claims, second) : undefined].filter(
    (one) => one !== undefined,
  );
  const outcomes = chosen.map(({ job }, index) => ({ job, end: endOf(walk, second + index) }));
  const kept = await walk.storage.jobs.finish(outcomes, walk.now);
  for (const [index, outcome] of outcomes.entries()) {
    const claim = chosen[index];
    const isFirst = claim !== undefined && chosen.indexOf(claim) === index;
    const again = outcome.end.to === "committed";
    const job = walk.jobs.find(
      (one) => isFirst && one.state === "running" && one.claim === claim && !(again && one.committed),
    );
    assert.equal(kept[index], job !== undefined, "whether the lease held");
    if (job !== undefined) finish(walk, job, outcome.end);
  }
};

/** Whether a job that comes due rejoins the line of its order key. The others come first. */
const linesUpAgain = ({ spec }: Modelled): boolean => spec.orderKey !== undefined && spec.onRetry === "yield";

const promote = async (walk: Walk, first: number): Promise<void> => {
  walk.now += (first % 4) * 50;
  const due = walk.jobs.filter((job) => job.state === "scheduled" && (job.dueAt ?? 0) <= walk.now);
  assert.equal(await walk.storage.jobs.promoteDue(walk.now), due.length);
  const times = [...new Set(due.map(({ dueAt }) => dueAt ?? 0))].toSorted((one, other) => one - other);
  for (const [index, time] of times.entries()) {
    for (const job of due.filter(({ dueAt }) => dueAt === time)) {
      comeDue(walk, job);
      job.readyIn += linesUpAgain(job) ? 1 - 1e-6 : index / times.length;
    }
  }
};

const cancel = async (walk: Walk, first: number): Promise<void> => {
  const job = pickOf(walk.jobs, first);
  if (job === undefined) return;
  const outcome = await walk.storage.jobRecords.cancel(job.id, walk.now);
  if (!open(job) && !job.hasTurn) assert.equal(outcome, undefined);
  else if (job.state === "running") {
    assert.equal(outcome, "requested");
    job.cancelAt ??= walk.now;
  } else {
    assert.equal(outcome, "cancelled");
    to(walk, job, "cancelled");
    job.dueAt = undefined;
    job.holdsUnique = false;
    passTurn(walk, job);
  }
};

const isTaken = (walk: Walk, { unique }: NewJob): boolean =>
  unique !== undefined && walk.jobs.some((job) => job.holdsUnique && job.spec.unique?.key === unique.key);

const retry = async (walk: Walk, first: number): Promise<void> => {
  const job = pickOf(walk.jobs, first);
  if (job === undefined) return;
  const again = await walk.storage.jobRecords.retry(job.id, walk.now);
  if (job.state === "scheduled") {
    assert.equal(again, job.id);
    comeDue(walk, job);
  } else if ((job.state === "dead" || job.state === "cancelled") && !job.replaced && !isTaken(walk, job.spec)) {
    assert.ok(again !== undefined && again !== job.id);
    job.replaced = true;
    const { dueAt, ...spec } = job.spec;
    // The new job takes over the turn that was held, and the place in line.
    const { hasTurn } = job;
    job.hasTurn = false;
    const made = add(walk, again, spec);
    if (hasTurn) made.place = job.place;
  } else assert.equal(again, undefined);
};

const recover = async (walk: Walk, first: number): Promise<void> => {
  const runner = pickOf(walk.runners, first);
  if (runner === undefined) return;
  const result = await walk.storage.runners.recover(runner.id, { ...policy, now: walk.now });
  if (runner.state !== "live") {
    assert.equal(result, undefined);
    return;
  }
  runner.state = "dead";
  const dead: number[] = [];
  let recovered = 0;
  for (const job of walk.jobs.filter((one) => one.state === "running" && one.runner === runner.id)) {
    const { committed } = job;
    job.losses += 1;
    job.claim = undefined;
    const isDead = job.losses >= policy.maxLosses;
    if (isDead && !committed) dead.push(job.id);
    else if (job.cancelAt === undefined && !committed) recovered += 1;
    const at = walk.now + policy.delayMs(job.losses);
    finish(walk, job, isDead ? { to: "dead", error: "lost" } : { to: "scheduled", at, error: "lost" });
  }
  assert.equal(result?.recovered, recovered);
  assert.deepEqual(result?.dead.map(({ id }) => id).toSorted(), dead.toSorted());
};

const retire = async (walk: Walk, first: number): Promise<void> => {
  const runner = pickOf(walk.runners, first);
  if (runner === undefined) return;
  await walk.storage.runners.retire(runner.id);
  const busy = walk.jobs.some((job) => job.state === "running" && job.runner === runner.id);
  if (runner.state === "live" && !busy) runner.state = "retired";
};

/** The steps of walks, by their numbers. Frequent ones occur twice. */
export const operations: readonly ((walk: Walk, first: number, second: number) => Promise<void>)[] = [
  enqueue,
  claim,
  end,
  promote,
  enqueue,
  claim,
  end,
  cancel,
  retry,
  async (walk, first) => {
    walk.runners.push({
      id: await walk.storage.runners.register({ name: `runner ${first}`, kinds: [] }, walk.now),
      state: "live",
    });
  },
  recover,
  async (walk, first) => {
    const runner = pickOf(walk.runners, first);
    if (runner !== undefined)
      assert.equal(await walk.storage.runners.beat(runner.id, walk.now), runner.state === "live");
  },
  async (walk, first, second) => {
    const queue = queues[first % 2] ?? "default";
    // Resuming is more frequent than pausing. Otherwise a walk would make no progress.
    if (second % 3 > 0) {
      await walk.storage.queues.resume(queue);
      walk.paused.delete(queue);
    } else {
      await walk.storage.queues.pause(queue, undefined, walk.now);
      walk.paused.add(queue);
    }
  },
  retire,
  async (walk) => assert.equal(await walk.storage.jobs.repairTurns(walk.now), 0, "no turn is lost"),
];
