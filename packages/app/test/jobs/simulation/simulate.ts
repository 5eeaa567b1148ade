import type { Storage, Stores } from "@postern/core";
import { livenessRegistry, memoryStorage, seededRandomness, virtualClock } from "@postern/core/memory";
import { on, type Provider } from "@postern/inbox";
import { defineJob, newJob, Permanent, RetryAt, Snooze } from "@postern/jobs";
import type { CallFate } from "./faulty-storage.ts";
import { type SimulatedProcess, startProcess } from "./simulated-process.ts";

export interface SimulationResult {
  /** What happened in the world, for people who look into a failure. */
  readonly story: readonly string[];
  readonly violations: readonly string[];
  readonly facts: Readonly<Record<string, number>>;
}

const encoder = new TextEncoder();
const effectQueue = "effects";
/** A world with many processes and a long wait for its clocks needs some ten thousands. */
const mostCalls = 100_000;
const retry = { delaysMs: Array.from({ length: 200 }, () => 400) };

/** A provider all of whose deliveries are authentic, because signatures are not simulated. */
export const simulatedProvider = {
  name: "sender",
  verifier: {
    scheme: { name: "simulated" },
    credentials: [],
    handshake: async () => undefined,
    verify: async ({ body }: { body: Uint8Array }) => {
      const payload = JSON.parse(new TextDecoder().decode(body));
      const told = { id: payload.id, dedupeKey: payload.id, repeat: { by: "signed-id" } };
      return { scheme: "simulated", type: "made", payload, body, covered: [], ...told };
    },
  },
} as unknown as Provider;

/**
 * The whole core in one virtual time: senders that repeat their deliveries, processes that are
 * killed, frozen, stopped and started, a storage that is slow, away or silent, locks that get lost,
 * wall clocks that jump. Everything follows from `seed`. When the faults are over and the work is
 * done, it checks the promises.
 */
export const simulate = async (seed: number): Promise<SimulationResult> => {
  const random = seededRandomness(seed);
  const fraction = (): number => random.fraction();
  const between = (least: number, most: number): number => Math.floor(least + fraction() * (most - least + 1));
  const chance = (probability: number): boolean => fraction() < probability;
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[between(0, items.length - 1)];

  const clock = virtualClock(undefined, { settle: () => new Promise((resolve) => setImmediate(resolve)) });
  const memory = memoryStorage();
  const storage: Storage = {
    ...memory,
    jobs: {
      ...memory.jobs,
      claim: async (request) => {
        const claimed = await memory.jobs.claim(request);
        const running = await memory.jobRecords.list({ state: "running", limit: 1000 });
        const keys = running.flatMap(({ orderKey }) => orderKey ?? []);
        if (new Set(keys).size < keys.length)
          violations.push(`two jobs of one order key run at once: ${keys.join(", ")}`);
        return claimed;
      },
      repairTurns: async (now) => {
        const repaired = await memory.jobs.repairTurns(now);
        if (repaired > 0) violations.push(`the turns of ${repaired} order keys were lost`);
        return repaired;
      },
    },
  };
  const registry = livenessRegistry();
  // In half of the worlds, the database tells each process of what others commit, so idle workers rest.
  const subscribers = seed % 2 === 0 ? new Set<() => void>() : undefined;
  const story: string[] = [];
  const violations: string[] = [];
  const tell = (what: string): void => void story.push(`${(clock.monotonic() / 1000).toFixed(3)} ${what}`);
  const wait = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));

  const jobsOf: Parameters<typeof startProcess>[0]["jobs"] = ({ clock: own }) => [
    defineJob<string>(
      "plain",
      async (what, { commit }) => {
        if (!healing && chance(0.1)) throw new Error("failed");
        await new Promise<void>((resolve) => void own.after(between(0, 60), resolve));
        await commit((_rows, stores) => writeEffect(stores, what));
      },
      { retry, timeoutMs: 3_000 },
    ),
  ];
  const processes: SimulatedProcess[] = [];
  /** How unreliable this world is. */
  const trouble = { lostRequests: fraction() * 0.06, lostAnswers: fraction() * 0.06, slowness: between(0, 40) };
  /** The order rules of jobs in this world. */
  const rules = {
    onRetry: chance(0.3) ? ("yield" as const) : ("keep" as const),
    onDead: chance(0.4) ? ("hold" as const) : ("release" as const),
  };
  tell(`jobs ${rules.onRetry} their turn while they wait for a retry, and ${rules.onDead} it when they are dead`);
  let healing = false;
  let awayUntil = 0;
  let thawedAt = 0;
  let calls = 0;
  const fate = (): CallFate => {
    calls += 1;
    if (calls === mostCalls) {
      violations.push(`the storage was asked ${mostCalls} times: something goes round in circles`);
      for (const process of processes) process.kill();
    }
    if (healing) return { before: 0, after: 0, outcome: "answered" };
    const before = between(0, trouble.slowness);
    const after = between(0, trouble.slowness);
    if (clock.monotonic() < awayUntil) return { before, after, outcome: "lost-request" };
    const dice = fraction();
    if (dice < trouble.lostRequests) return { before, after, outcome: "lost-request" };
    const outcome = dice < trouble.lostRequests + trouble.lostAnswers ? "lost-answer" : "answered";
    return { before, after, outcome };
  };

  /** An effect is a row that only a commit can have written. */
  const writeEffect = ({ jobs }: Stores, what: string): Promise<unknown> =>
    jobs.enqueue([{ kind: "effect", queue: effectQueue, maxAttempts: 1, payload: what }], clock.now());
  let runs = 0;
  let startedAt: number | undefined;
  const handlers: Parameters<typeof startProcess>[0]["handlers"] = ({ clock: own }) => {
    const busy = (ms: number): Promise<void> => new Promise((resolve) => void own.after(ms, resolve));
    const work = async (): Promise<void> => {
      runs += 1;
      if (healing) return;
      const dice = fraction();
      if (dice < 0.1) throw new Error("failed");
      if (dice < 0.14) throw new RetryAt(own.now() + between(0, 3_000), "busy");
      if (dice < 0.18) throw new Snooze(between(1, 2_000));
      if (dice < 0.2) throw new Permanent("never");
      if (dice < 0.23) await new Promise(() => undefined);
      await busy(between(0, dice < 0.3 ? 5_000 : 60));
    };
    return [
      on(
        "*",
        "*",
        async (event, { commit }) => {
          startedAt ??= clock.monotonic();
          await work();
          await commit((_rows, stores) => writeEffect(stores, `free ${event.eventId}`));
          if (!healing && chance(0.1)) throw new Error("after the commit");
        },
        { name: "free", retry, timeoutMs: 3_000 },
      ),
      on(
        "*",
        "*",
        async (event, { commit }) => {
          await work();
          await commit((_rows, stores) => writeEffect(stores, `ordered ${event.eventId}`));
        },
        {
          name: "ordered",
          ...rules,
          retry,
          timeoutMs: 3_000,
          queue: "ordered",
          orderKey: ({ data }) => (data as { customer: string }).customer,
        },
      ),
    ];
  };

  let names = 0;
  const start = (): void => {
    names += 1;
    const name = `p${names}`;
    tell(`${name} starts`);
    const onFailedStart = (): void => {
      tell(`${name} could not start`);
      clock.after(500, start);
    };
    processes.push(
      startProcess({
        onFailedStart,
        name,
        clock,
        storage,
        registry,
        subscribers,
        provider: simulatedProvider,
        handlers,
        jobs: jobsOf,
        concurrency: between(1, 6),
        fate,
        fraction,
      }),
    );
  };
  const living = (): readonly SimulatedProcess[] => processes.filter(({ alive }) => alive);

  const answered = new Set<string>();
  const enqueued = new Set<string>();
  const tried = new Set<string>();
  /**
   * Enqueues a job of the application once. If there is no answer, nobody knows whether the job is
   * stored.
   */
  const enqueue = async (what: string): Promise<void> => {
    const [{ app } = {}, job] = [pick(living()), jobsOf({ clock, name: what })[0]];
    tried.add(what);
    if (app === undefined || job === undefined) return;
    await app.enqueue(newJob(job, what)).then(
      () => enqueued.add(what),
      () => undefined,
    );
  };
  let deliveries = 0;
  /** Delivers until the answer is 200, and sometimes once more. */
  const send = async (id: string): Promise<void> => {
    const body = encoder.encode(JSON.stringify({ id, customer: `c${id.length % 2}${Number(id.slice(1)) % 3}` }));
    for (let extra = chance(0.2) ? 1 : 0; ; ) {
      const target = pick(living());
      deliveries += 1;
      const webhook = { provider: "sender", method: "POST", url: "http://x/", headers: {}, body, requestId: id };
      const status = await Promise.race([
        target === undefined ? wait(100).then(() => 0) : target.app.receive(webhook).then((answer) => answer.status),
        wait(5_000).then(() => 0),
      ]);
      if (status === 200) {
        answered.add(id);
        if (extra === 0) return;
        extra -= 1;
      }
      await wait(between(10, 800));
    }
  };

  const horizon = between(2_000, 15_000);
  const misfortunes: readonly [number, () => Promise<void> | void][] = [
    [
      0.3,
      () => {
        const victim = pick(living());
        if (victim !== undefined) tell(`${victim.name} is killed`);
        victim?.kill();
        clock.after(between(0, 3_000), () => start());
      },
    ],
    [
      0.15,
      () => {
        const ms = between(100, 35_000);
        const victim = pick(living());
        if (victim !== undefined) tell(`${victim.name} freezes for ${ms} ms`);
        victim?.freeze(ms);
        thawedAt = Math.max(thawedAt, clock.monotonic() + ms);
      },
    ],
    [
      0.1,
      () => {
        const victim = pick(living());
        if (victim !== undefined) tell(`${victim.name} is stopped`);
        void victim?.stop();
        clock.after(between(0, 3_000), () => start());
      },
    ],
    [
      0.15,
      () => {
        const ms = between(100, 8_000);
        awayUntil = clock.monotonic() + ms;
        tell(`the storage is away for ${ms} ms`);
      },
    ],
    [
      0.15,
      () => {
        const runner = pick([...registry.holders.keys()]);
        if (runner === undefined) return;
        registry.holders.delete(runner);
        tell(`the lock of runner ${runner} is lost`);
      },
    ],
    [
      0.1,
      () => {
        const ms = between(-240_000, 240_000);
        clock.jump(ms);
        tell(`the clocks jump by ${ms} ms`);
      },
    ],
    [0.05, start],
  ];
  const misfortune = (): Promise<void> | void => {
    let dice = fraction();
    for (const [probability, happen] of misfortunes) {
      if (dice < probability) return happen();
      dice -= probability;
    }
  };

  for (let count = between(1, 3); count > 0; count -= 1) start();
  const ids = Array.from({ length: between(5, 25) }, (_, n) => `e${n}`);
  const senders = ids.map(async (id) => {
    await wait(between(0, horizon));
    await send(id);
  });
  for (let count = between(0, 10); count > 0; count -= 1) {
    clock.after(between(0, horizon), () => void enqueue(`plain ${count}`));
  }
  for (let count = between(0, 12); count > 0; count -= 1) clock.after(between(0, horizon), () => void misfortune());
  await clock.advance(horizon);

  // The faults are over: processes that live stay alive, and one more makes sure that there is one.
  healing = true;
  awayUntil = 0;
  tell("the trouble is over");
  start();
  const unfinished = async (): Promise<number> => {
    const { ready, scheduled, running, blocked } = await storage.jobRecords.countByState();
    const written = await storage.jobRecords.list({ kind: "effect", limit: 1000 });
    return ready + scheduled + running + blocked - written.length;
  };
  const retryDead = async (): Promise<void> => {
    for (const job of await storage.jobRecords.list({ state: "dead", limit: 1000 }))
      await storage.jobRecords.retry(job.id, clock.now());
  };
  // Half an hour is more than the sum of all jumps of the clocks.
  const until = clock.monotonic() + 30 * 60_000;
  while (clock.monotonic() < until) {
    await clock.advance(2_000);
    const { blocked } = await storage.jobRecords.countByState();
    // If a dead job holds its key, the others wait until it is run again.
    const waitsForUs = rules.onDead === "hold" ? blocked : 0;
    if (answered.size < ids.length || (await unfinished()) > waitsForUs) continue;
    await retryDead();
    if ((await unfinished()) === 0) break;
  }
  // Frozen processes have thawed and freed the slots of handlers that hang. Dead ones are off the
  // list.
  await clock.advance(Math.max(0, thawedAt - clock.monotonic()) + 20_000);

  // In a quiet world, the job of a new event starts with the commit, not with the next poll.
  startedAt = undefined;
  const before = clock.monotonic();
  const probe = send("e999");
  await clock.advance(20);
  if (startedAt === undefined) violations.push("a fresh event was not started within 20 ms of its commit");
  else if (startedAt - before > 20)
    violations.push(`a fresh event was started ${startedAt - before} ms after its commit`);
  await clock.advance(2_000);
  if (living().length > 0) await Promise.all([...senders, probe]);

  // Only the storage can tell this. Effects are read by claiming them. One process holds all
  // storage here, so ids are in the order of the commits; claims go by the processes' clocks, which
  // jump.
  const effects: { readonly id: number; readonly what: string }[] = [];
  for (let batch = 0; batch < 5; batch += 1) {
    const claimed = await storage.jobs.claim({
      runnerId: 1_000_000,
      queue: effectQueue,
      limit: 1000,
      now: clock.now(),
    });
    for (const { id, payload } of claimed) effects.push({ id, what: String(payload) });
  }
  const order = effects.toSorted((one, other) => one.id - other.id).map(({ what }) => what);
  const expected = [...answered].flatMap((id) => [`free ${id}`, `ordered ${id}`]);
  for (const effect of expected) {
    const times = order.filter((one) => one === effect).length;
    if (times !== 1) violations.push(`${effect} took effect ${times} times`);
  }
  for (const what of tried) {
    const times = order.filter((one) => one === what).length;
    if (times > 1 || (times === 0 && enqueued.has(what))) violations.push(`${what} took effect ${times} times`);
  }
  for (const stray of order.filter((one) => !expected.includes(one) && !tried.has(one)))
    violations.push(`${stray} was never answered 200`);

  const events = await storage.events.list({ limit: 1000 });
  const stored = events.map(({ eventId }) => eventId);
  for (const id of answered) {
    const times = stored.filter((one) => one === id).length;
    if (times !== 1) violations.push(`event ${id} was answered 200 and is stored ${times} times`);
  }
  for (const { eventId, state } of events) if (state !== "processed") violations.push(`event ${eventId} is ${state}`);

  const jobs = (await storage.jobRecords.list({ limit: 1000 })).filter(({ kind }) => kind !== "effect").toReversed();
  for (const job of jobs) {
    const { id, kind, state, attempt } = job;
    if (state !== "done" && state !== "dead") violations.push(`job ${id} (${kind}) is stuck: ${state}`);
    const kept = await storage.jobRecords.failures(id, 1000);
    const late = kept.filter(({ afterCommit }) => afterCommit).length;
    if (late > (state === "done" ? 1 : 0))
      violations.push(`job ${id} is ${state} and failed after its commit ${late} times`);
    const failures = kept.length - late;
    const wanted = state === "done" ? attempt - 1 : attempt;
    if (failures !== wanted) violations.push(`job ${id} has ${attempt} attempts and ${failures} failures`);
  }

  // Arrival decides the order; a job that was given up and run again by hand has lost its place,
  // unless it held its key.
  const byEvent = new Map(events.map((event) => [event.id, event.eventId ?? ""]));
  const again = new Set(
    jobs.flatMap(({ eventId, state }) =>
      rules.onDead === "release" && state === "dead" && eventId !== undefined ? [eventId] : [],
    ),
  );
  const lines = new Map<string, Set<string>>();
  for (const { kind, orderKey, eventId } of jobs) {
    if (kind !== "ordered" || orderKey === undefined || eventId === undefined || again.has(eventId)) continue;
    lines.set(orderKey, (lines.get(orderKey) ?? new Set()).add(`ordered ${byEvent.get(eventId)}`));
  }
  for (const [key, line] of rules.onRetry === "keep" ? lines : []) {
    const took = order.filter((effect) => line.has(effect));
    const wanted = [...line];
    if (took.join() !== wanted.join())
      violations.push(`${key} went ${took.join(", ")} instead of ${wanted.join(", ")}`);
  }

  const runners = (await storage.runners.live()).length;
  if (runners !== living().length) violations.push(`${runners} runners are on the list, ${living().length} are alive`);
  for (const process of living()) process.kill();
  return {
    story,
    violations,
    facts: { events: events.length, deliveries, jobs: jobs.length, runs, processes: processes.length },
  };
};
