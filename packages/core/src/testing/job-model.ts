import assert from "node:assert/strict";
import type { ClaimedJob, Job, JobEnd, JobState, NewJob } from "../ports/job.ts";
import type { Storage } from "../ports/storage.ts";

/** One step of a walk: which operation, and two numbers that choose its arguments. */
export type JobStep = readonly [operation: number, first: number, second: number];

/** A job as the rules of `docs/states.md` say it must be, kept as plainly as can be. */
interface Modelled {
  readonly id: number;
  readonly spec: NewJob;
  state: JobState;
  attempt: number;
  losses: number;
  dueAt: number | undefined;
  cancelAt: number | undefined;
  /** The claim that holds it, or held it last and ended it. */
  claim: Claim | undefined;
  runner: number | undefined;
  /** Of all jobs of its order key, it is this one's turn. */
  hasTurn: boolean;
  /** Its place in the line of its order key. */
  place: number;
  /**
   * When it became ready, the last time it did: the number of the step, and among jobs that came due
   * in one step their order. Jobs with the same number may be claimed in either order.
   */
  readyIn: number;
  /** Its work is committed, and it still runs. */
  committed: boolean;
  holdsUnique: boolean;
  replaced: boolean;
}

interface Claim {
  readonly job: ClaimedJob;
}

const start = 1_800_000_000_000;
const queues = ["default", "mail"];
const ended: ReadonlySet<JobState> = new Set(["done", "dead", "cancelled"]);
const whenTakenOf = (first: number): "skip" | "reschedule" => (first % 2 === 0 ? "skip" : "reschedule");
const policy = { maxLosses: 3, suspectLosses: 2, delayMs: (losses: number) => 100 * losses };

/**
 * Walks a fresh storage, in turn by each of the writers that share it, through `steps` and checks
 * after each that its queue is as the rules say: every answer, every job's state, every lease. The
 * moves it has seen (`ready→running`) are what it answers.
 */
export const walkJobModel = async (
  writers: readonly [Storage, ...Storage[]],
  steps: readonly JobStep[],
): Promise<ReadonlySet<string>> => {
  let [storage] = writers;
  const jobs: Modelled[] = [];
  const claims: Claim[] = [];
  const runners: { readonly id: number; state: "live" | "dead" | "retired" }[] = [];
  const paused = new Set<string>();
  const moves = new Set<string>();
  let now = start;
  let stepNumber = 0;

  const to = (job: Modelled, state: JobState): void => {
    moves.add(`${job.state}→${state}`);
    job.state = state;
    if (state === "ready") job.readyIn = stepNumber;
  };
  const waiting = (dueAt: number | undefined): JobState => (dueAt === undefined ? "ready" : "scheduled");
  const open = (job: Modelled): boolean => !ended.has(job.state);

  const isFree = (key: string): boolean => !jobs.some(({ spec, hasTurn }) => hasTurn && spec.orderKey === key);
  const passTurn = (job: Modelled): void => {
    if (!job.hasTurn) return;
    job.hasTurn = false;
    const [next] = jobs
      .filter((other) => other.spec.orderKey === job.spec.orderKey && other.state === "blocked")
      .toSorted((left, right) => left.place - right.place);
    if (next === undefined) return;
    next.hasTurn = true;
    to(next, waiting(next.dueAt));
  };
  const comeDue = (job: Modelled): void => {
    const key = job.spec.orderKey;
    job.dueAt = undefined;
    if (key !== undefined && !job.hasTurn) job.hasTurn = isFree(key);
    to(job, key === undefined || job.hasTurn ? "ready" : "blocked");
  };

  const priorityOf = ({ spec }: Modelled): number => spec.priority ?? 0;
  const byAge = (left: Modelled, right: Modelled): number => left.readyIn - right.readyIn;
  const byOrder = (left: Modelled, right: Modelled): number =>
    priorityOf(left) - priorityOf(right) || byAge(left, right);

  const add = (id: number, spec: NewJob): Modelled => {
    const hasTurn = spec.orderKey !== undefined && isFree(spec.orderKey);
    const state = spec.orderKey !== undefined && !hasTurn ? "blocked" : waiting(spec.dueAt);
    moves.add(`–→${state}`);
    const added: Modelled = {
      id,
      spec,
      state,
      attempt: 0,
      losses: 0,
      dueAt: spec.dueAt,
      cancelAt: undefined,
      claim: undefined,
      runner: undefined,
      hasTurn,
      place: jobs.length,
      readyIn: stepNumber,
      committed: false,
      holdsUnique: spec.unique !== undefined,
      replaced: false,
    };
    jobs.push(added);
    return added;
  };

  const finish = (job: Modelled, wanted: JobEnd): void => {
    const again = wanted.to === "scheduled" || wanted.to === "snoozed" || wanted.to === "ready";
    const stopped: JobEnd = again && job.cancelAt !== undefined ? { to: "cancelled" } : wanted;
    const end: JobEnd = job.committed ? { to: "done" } : stopped;
    if (end.to === "committed") {
      job.committed = true;
      return;
    }
    job.runner = undefined;
    if (end.to === "scheduled" || end.to === "snoozed") job.dueAt = end.at;
    if (end.to === "snoozed" || end.to === "ready") job.attempt -= 1;
    to(job, end.to === "snoozed" ? "scheduled" : end.to);
    if (!open(job)) job.holdsUnique = false;
    const waits = job.state === "scheduled" && job.spec.onRetry !== "yield";
    const holds = job.state === "dead" && job.spec.onDead === "hold";
    if (job.state !== "ready" && !waits && !holds) passTurn(job);
  };

  const pickOf = <Item>(items: readonly Item[], number: number): Item | undefined =>
    items[number % Math.max(1, items.length)];

  const specOf = (first: number, second: number): NewJob => ({
    kind: `kind-${first % 2}`,
    maxAttempts: 3,
    queue: queues[first % 2] ?? "default",
    priority: second % 3,
    payload: { first, second },
    ...(first % 3 === 0 ? { orderKey: `order-${second % 2}` } : {}),
    ...(second % 5 > 2 ? { onRetry: "yield" as const } : {}),
    ...(second % 7 > 4 ? { onDead: "hold" as const } : {}),
    ...(first % 5 === 0 ? { unique: { key: `unique-${second % 2}`, whenTaken: whenTakenOf(first) } } : {}),
    ...((first + second) % 3 === 0 ? { dueAt: now + 100 * (second % 4) } : {}),
  });

  const reschedule = (job: Modelled, dueAt: number | undefined): void => {
    if (job.state === "running") return;
    if (job.state === "scheduled" && dueAt === undefined) comeDue(job);
    job.dueAt = dueAt;
    if (job.state === "ready" && dueAt !== undefined) to(job, "scheduled");
  };

  const enqueue = async (first: number, second: number): Promise<void> => {
    const spec = specOf(first, second);
    const [id = 0] = await storage.jobs.enqueue([spec], now);
    const holder = jobs.find((job) => job.holdsUnique && job.spec.unique?.key === spec.unique?.key);
    if (spec.unique === undefined || holder === undefined) {
      add(id, spec);
      return;
    }
    assert.equal(id, holder.id, "a unique key is taken");
    if (spec.unique.whenTaken === "reschedule") reschedule(holder, spec.dueAt);
  };

  const claim = async (first: number, second: number): Promise<void> => {
    const runner = pickOf(runners, first);
    const queue = queues[second % 2] ?? "default";
    const pick = (["priority", "priority", "arrival", "suspects"] as const)[first % 4] ?? "priority";
    const limit = 1 + (second % 3);
    const runnerId = runner?.id ?? 900_000;
    const globalLimit = second % 4 === 3 ? 2 : Number.POSITIVE_INFINITY;
    const running = jobs.filter((job) => job.state === "running" && job.spec.queue === queue).length;
    const limited = globalLimit === 2 ? { globalLimit } : {};
    const claimed = await storage.jobs.claim({ runnerId, queue, limit, now, pick, ...limited });
    const ready = jobs.filter(
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
    const expected = paused.has(queue) || runner?.state === "dead" ? [] : wanted;
    const standing = (job: Modelled | undefined) => job && [priorityOf(job), job.readyIn];
    assert.deepEqual(taken.map(standing), expected.map(standing), "what is claimed");
    for (const [index, job] of taken.entries()) {
      if (job === undefined) continue;
      const answer = claimed[index];
      assert.ok(answer);
      to(job, "running");
      job.attempt += 1;
      job.runner = runnerId;
      job.dueAt = undefined;
      job.claim = { job: answer };
      claims.push(job.claim);
      assert.deepEqual([answer.attempt, answer.losses, answer.payload], [job.attempt, job.losses, job.spec.payload]);
    }
  };

  const endOf = (number: number): JobEnd =>
    (
      [
        { to: "done" },
        { to: "scheduled", at: now + 100, error: "boom" },
        { to: "dead", error: "no use" },
        { to: "ready" },
        { to: "snoozed", at: now + 50 },
        { to: "cancelled" },
        { to: "committed" },
      ] as const
    )[number % 7] ?? { to: "done" };

  /** Ends one or two claims in one batch, old ones and the same one twice among them. */
  const end = async (first: number, second: number): Promise<void> => {
    const chosen = [pickOf(claims, first), second % 3 === 0 ? pickOf(claims, second) : undefined].filter(
      (one) => one !== undefined,
    );
    const outcomes = chosen.map(({ job }, index) => ({ job, end: endOf(second + index) }));
    const kept = await storage.jobs.finish(outcomes, now);
    for (const [index, outcome] of outcomes.entries()) {
      const claim = chosen[index];
      const isFirst = claim !== undefined && chosen.indexOf(claim) === index;
      const again = outcome.end.to === "committed";
      const job = jobs.find(
        (one) => isFirst && one.state === "running" && one.claim === claim && !(again && one.committed),
      );
      assert.equal(kept[index], job !== undefined, "whether the lease held");
      if (job !== undefined) finish(job, outcome.end);
    }
  };

  /** Whether a job that comes due goes back to the line of its order key. The others come first. */
  const linesUpAgain = ({ spec }: Modelled): boolean => spec.orderKey !== undefined && spec.onRetry === "yield";

  const promote = async (first: number): Promise<void> => {
    now += (first % 4) * 50;
    const due = jobs.filter((job) => job.state === "scheduled" && (job.dueAt ?? 0) <= now);
    assert.equal(await storage.jobs.promoteDue(now), due.length);
    const times = [...new Set(due.map(({ dueAt }) => dueAt ?? 0))].toSorted((one, other) => one - other);
    for (const [index, time] of times.entries()) {
      for (const job of due.filter(({ dueAt }) => dueAt === time)) {
        comeDue(job);
        job.readyIn += linesUpAgain(job) ? 1 - 1e-6 : index / times.length;
      }
    }
  };

  const cancel = async (first: number): Promise<void> => {
    const job = pickOf(jobs, first);
    if (job === undefined) return;
    const outcome = await storage.jobRecords.cancel(job.id, now);
    if (!open(job) && !job.hasTurn) assert.equal(outcome, undefined);
    else if (job.state === "running") {
      assert.equal(outcome, "requested");
      job.cancelAt ??= now;
    } else {
      assert.equal(outcome, "cancelled");
      to(job, "cancelled");
      job.dueAt = undefined;
      job.holdsUnique = false;
      passTurn(job);
    }
  };

  const isTaken = ({ unique }: NewJob): boolean =>
    unique !== undefined && jobs.some((job) => job.holdsUnique && job.spec.unique?.key === unique.key);

  const retry = async (first: number): Promise<void> => {
    const job = pickOf(jobs, first);
    if (job === undefined) return;
    const again = await storage.jobRecords.retry(job.id, now);
    if (job.state === "scheduled") {
      assert.equal(again, job.id);
      comeDue(job);
    } else if ((job.state === "dead" || job.state === "cancelled") && !job.replaced && !isTaken(job.spec)) {
      assert.ok(again !== undefined && again !== job.id);
      job.replaced = true;
      const { dueAt, ...spec } = job.spec;
      // A turn that was held goes to the new one, with the place in line.
      const { hasTurn } = job;
      job.hasTurn = false;
      const made = add(again, spec);
      if (hasTurn) made.place = job.place;
    } else assert.equal(again, undefined);
  };

  const recover = async (first: number): Promise<void> => {
    const runner = pickOf(runners, first);
    if (runner === undefined) return;
    const result = await storage.runners.recover(runner.id, { ...policy, now });
    if (runner.state !== "live") {
      assert.equal(result, undefined);
      return;
    }
    runner.state = "dead";
    const dead: number[] = [];
    let recovered = 0;
    for (const job of jobs.filter((one) => one.state === "running" && one.runner === runner.id)) {
      const { committed } = job;
      job.losses += 1;
      job.claim = undefined;
      const isDead = job.losses >= policy.maxLosses;
      if (isDead && !committed) dead.push(job.id);
      else if (job.cancelAt === undefined && !committed) recovered += 1;
      const at = now + policy.delayMs(job.losses);
      finish(job, isDead ? { to: "dead", error: "lost" } : { to: "scheduled", at, error: "lost" });
    }
    assert.equal(result?.recovered, recovered);
    assert.deepEqual(result?.dead.map(({ id }) => id).toSorted(), dead.toSorted());
  };

  const retire = async (first: number): Promise<void> => {
    const runner = pickOf(runners, first);
    if (runner === undefined) return;
    await storage.runners.retire(runner.id);
    const busy = jobs.some((job) => job.state === "running" && job.runner === runner.id);
    if (runner.state === "live" && !busy) runner.state = "retired";
  };

  const operations: readonly ((first: number, second: number) => Promise<void>)[] = [
    enqueue,
    claim,
    end,
    promote,
    enqueue,
    claim,
    end,
    cancel,
    retry,
    async (first) => {
      runners.push({ id: await storage.runners.register({ name: `runner ${first}`, kinds: [] }, now), state: "live" });
    },
    recover,
    async (first) => {
      const runner = pickOf(runners, first);
      if (runner !== undefined) assert.equal(await storage.runners.beat(runner.id, now), runner.state === "live");
    },
    async (first, second) => {
      const queue = queues[first % 2] ?? "default";
      // Resumed more often than paused, or a walk would stand still.
      if (second % 3 > 0) {
        await storage.queues.resume(queue);
        paused.delete(queue);
      } else {
        await storage.queues.pause(queue, undefined, now);
        paused.add(queue);
      }
    },
    retire,
    async () => assert.equal(await storage.jobs.repairTurns(now), 0, "no turn is lost"),
  ];

  const check = async (): Promise<void> => {
    const stored = new Map<number, Job>((await storage.jobRecords.list({ limit: 1000 })).map((job) => [job.id, job]));
    assert.equal(stored.size, jobs.length, "no job is lost or doubled");
    for (const job of jobs) {
      const { state, attempt, losses, dueAt, cancelAt, holdsTurn } = stored.get(job.id) ?? {};
      const { attempt: runs, losses: lost, cancelAt: asked, hasTurn } = job;
      const expected = { state: job.state, attempt: runs, losses: lost, cancelAt: asked };
      assert.deepEqual({ state, attempt, losses, cancelAt }, expected, `job ${job.id}`);
      assert.equal(holdsTurn, hasTurn && job.state === "dead", `whether job ${job.id} holds its key`);
      if (state === "scheduled" || state === "blocked") assert.equal(dueAt, job.dueAt, `when job ${job.id} is due`);
    }
    for (const key of new Set(jobs.flatMap(({ spec }) => spec.orderKey ?? []))) {
      const line = jobs.filter(({ spec }) => spec.orderKey === key);
      const heads = line.filter(({ hasTurn }) => hasTurn);
      assert.ok(heads.length <= 1, "one has the turn");
      if (line.some(({ state }) => state === "blocked")) assert.equal(heads.length, 1, "somebody has the turn");
      for (const { state, hasTurn } of line) {
        if (state === "ready" || state === "running") assert.ok(hasTurn, "nobody runs whose turn it is not");
      }
    }
  };

  for (const [operation, first, second] of steps) {
    stepNumber += 1;
    storage = writers[(operation + first + second) % writers.length] ?? storage;
    await operations[operation % operations.length]?.(first, second);
    await check();
  }

  for (const one of claims) {
    const job = jobs.find(({ claim: last }) => last === one);
    const expected =
      job === undefined ? "lost" : job.state !== "running" ? "spent" : job.committed ? "committed" : "held";
    assert.equal(await storage.jobs.leaseState(one.job), expected, "the state of a lease");
  }
  const live = runners.filter(({ state }) => state === "live").map(({ id }) => id);
  assert.deepEqual((await storage.runners.live()).map(({ id }) => id).toSorted(), live.toSorted());
  for (const { id } of runners) {
    const asked = jobs.filter((job) => job.state === "running" && job.runner === id && job.cancelAt !== undefined);
    const running = await storage.runners.running(id);
    const found = running.filter(({ cancelAt }) => cancelAt !== undefined);
    assert.deepEqual(found.map((job) => job.id).toSorted(), asked.map((job) => job.id).toSorted());
    const held = jobs.filter((job) => job.state === "running" && job.runner === id);
    assert.deepEqual(
      running.map(({ lease }) => lease).toSorted(),
      held.map(({ claim: last }) => last?.job.lease ?? 0).toSorted(),
    );
  }
  const counts = await storage.jobRecords.countByState();
  for (const [state, count] of Object.entries(counts)) {
    assert.equal(count, jobs.filter((job) => job.state === state).length, `jobs that are ${state}`);
  }
  const dueTimes = jobs.filter(({ state }) => state === "scheduled").map(({ dueAt }) => dueAt ?? 0);
  assert.equal(await storage.jobs.nextDueAt(), dueTimes.length === 0 ? undefined : Math.min(...dueTimes));
  for (const queue of queues) {
    const suspects = jobs.some((job) => job.state === "ready" && job.spec.queue === queue && job.losses >= 2);
    assert.equal(await storage.jobs.canClaim({ queue, pick: "suspects" }), suspects && !paused.has(queue));
  }
  return moves;
};

/** Every move that a walk can make; walks long enough see them all. */
export const movesOfWalks: readonly string[] = [
  "–→ready",
  "–→scheduled",
  "–→blocked",
  "blocked→ready",
  "blocked→scheduled",
  "blocked→cancelled",
  "scheduled→ready",
  "scheduled→blocked",
  "scheduled→cancelled",
  "ready→running",
  "ready→scheduled",
  "ready→cancelled",
  "running→done",
  "running→scheduled",
  "running→dead",
  "running→ready",
  "running→cancelled",
  "dead→cancelled",
];

/** Walks that make the moves which chance seldom makes. */
export const rareWalks: readonly (readonly JobStep[])[] = [
  // A job that is ready is put off by another with its unique key.
  [
    [0, 10, 0],
    [0, 5, 4],
  ],
  // A turn is passed on to a job that is for later.
  [
    [0, 0, 0],
    [0, 6, 6],
    [7, 0, 0],
  ],
  // A dead job that holds its key is cancelled.
  [
    [0, 6, 5],
    [1, 0, 0],
    [2, 0, 2],
    [7, 0, 0],
  ],
  // A retry comes due after another of its key went ahead.
  [
    [0, 6, 4],
    [0, 6, 4],
    [1, 0, 0],
    [2, 0, 1],
    [3, 2, 0],
  ],
];
