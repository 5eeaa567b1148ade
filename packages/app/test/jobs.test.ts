import { createApp } from "@postern/app";
import { AppError } from "@postern/core";
import { type MemoryPorts, memoryPorts, memoryTelemetry } from "@postern/core/memory";
import { defineJob, type JobHandler, newJob, Permanent, RetryAt, Snooze } from "@postern/jobs";
import { describe, expect, test } from "vitest";
import { gate, hangs, withJobs } from "./with-jobs.ts";

describe("a job of the application's own", () => {
  test("runs with its payload, from the queue of its handler", async () => {
    const seen: unknown[] = [];
    const mail = defineJob<{ to: string }>("mail", async (payload) => void seen.push(payload), { queue: "mail" });
    const { app, work, storage } = await withJobs([mail as JobHandler]);
    await app.enqueue(newJob(mail, { to: "ada" }), newJob(mail, { to: "bob" }, { priority: -1 }));
    await work();
    expect(seen).toEqual([{ to: "bob" }, { to: "ada" }]);
    expect((await storage.jobRecords.list({ queue: "mail", state: "done", limit: 5 })).length).toBe(2);
    await expect(app.enqueue({ kind: "nobody", maxAttempts: 1 })).rejects.toThrow("nobody");
  });

  test("refuses names and queues that cannot be stored", () => {
    expect(() => defineJob("two words", async () => undefined)).toThrow(TypeError);
    expect(() => defineJob("a", async () => undefined, { queue: "Mail box" })).toThrow(TypeError);
  });

  test("goes on as its handler says", async () => {
    const outcomes: Record<string, () => unknown> = {
      later: () => new RetryAt(now + 60_000, "busy"),
      never: () => new Permanent("gone"),
      notYet: () => new Snooze(30_000),
      failed: () => new Error("boom"),
    };
    const job = defineJob<string>("job", async (which) => {
      throw outcomes[which]?.();
    });
    const { app, work, clock, storage } = await withJobs([job as JobHandler]);
    const now = clock.now();
    await app.enqueue(...Object.keys(outcomes).map((which) => newJob(job, which)));
    await work();
    const [failed, notYet, never, later] = await storage.jobRecords.list({ limit: 10 });
    expect(later).toMatchObject({ state: "scheduled", dueAt: now + 60_000, attempt: 1 });
    expect(never).toMatchObject({ state: "dead", lastError: "Permanent: gone" });
    expect(notYet).toMatchObject({ state: "scheduled", dueAt: now + 30_000, attempt: 0, lastError: undefined });
    expect(failed).toMatchObject({ state: "scheduled", attempt: 1, lastError: "Error: boom" });
    expect(failed?.dueAt).toBeGreaterThanOrEqual(now + 2_500);
    expect(failed?.dueAt).toBeLessThanOrEqual(now + 5_000);
  });

  test("keeps what its handler logged with a failure, without secrets: the last 50 lines, up to 8 KiB", async () => {
    const job = defineJob<number>("job", async (count, { log }) => {
      for (let n = 1; n <= count; n += 1)
        log("info", `line ${n}`, { n, token: "hush", text: "x".repeat(count === 1_000 ? 1_000 : 2) });
      if (count !== 3) throw new Error("boom");
    });
    const telemetry: MemoryPorts["telemetry"] = {
      ...memoryTelemetry(),
      withoutSecrets: ({ message, fields }) => ({ message, fields: { ...fields, token: "[redacted]" } }),
    };
    const { app, work, storage, clock } = await withJobs([job as JobHandler], { instead: { telemetry } });
    const [short = 0, many = 0, long = 0, done = 0] = await app.enqueue(
      ...[2, 60, 1_000, 3].map((n) => newJob(job, n)),
    );
    await work();
    const at = clock.now();
    const logOf = async (id: number) => (await storage.jobRecords.failures(id, 1))[0]?.log;
    expect(await logOf(short)).toEqual([
      { at, level: "info", message: "line 1", fields: { n: 1, token: "[redacted]", text: "xx" } },
      { at, level: "info", message: "line 2", fields: { n: 2, token: "[redacted]", text: "xx" } },
    ]);
    const messages = (lines: Awaited<ReturnType<typeof logOf>>) => lines?.map(({ message }) => message);
    const last = (count: number, of: number) => Array.from({ length: count }, (_, n) => `line ${of - count + 1 + n}`);
    expect(messages(await logOf(many))).toEqual(last(50, 60));
    expect(messages(await logOf(long))).toEqual(last(7, 1_000));
    expect(await logOf(done)).toBeUndefined();
  });

  test("ends its attempt whatever its handler has logged", async () => {
    const job = defineJob("job", async (_payload, { log }) => {
      log("info", "sound", { n: 1 });
      log("info", "no JSON", { n: 1n } as never);
      log("info", "no fields", null as never);
      throw new Error("boom");
    });
    const telemetry: MemoryPorts["telemetry"] = {
      ...memoryTelemetry(),
      withoutSecrets: ({ message, fields }) => ({ message, fields: Object.fromEntries(Object.entries(fields)) }),
    };
    const { app, work, storage } = await withJobs([job], { instead: { telemetry } });
    const [id = 0] = await app.enqueue(newJob(job, undefined));
    await work();
    expect((await storage.jobRecords.list({ limit: 1 }))[0]).toMatchObject({
      state: "scheduled",
      lastError: "Error: boom",
    });
    const [failure] = await storage.jobRecords.failures(id, 1);
    expect(failure?.log?.map(({ message }) => message)).toEqual(["sound"]);
  });

  test("is told to stop when its time is up, and loses its slot when it does not listen", async () => {
    const reasons: unknown[] = [];
    const job = defineJob(
      "job",
      (_payload, { signal }) => {
        signal.addEventListener("abort", () => reasons.push(signal.reason));
        return hangs();
      },
      { timeoutMs: 1_000 },
    );
    const { app, work, worker, clock, storage } = await withJobs([job]);
    await app.enqueue(newJob(job, undefined));
    await work();
    await clock.advance(1_000);
    expect([reasons, worker.running]).toEqual([["timeout"], 1]);
    await clock.advance(10_000);
    expect(worker.running).toBe(0);
    expect((await storage.jobRecords.list({ limit: 1 }))[0]).toMatchObject({
      state: "scheduled",
      lastError: "Error: the handler took longer than 1000 ms",
    });
  });
});

describe("a running job", () => {
  test("stops when it is cancelled, and is cancelled even if it does not listen", async () => {
    const { run } = gate();
    const listens = defineJob("listens", (_payload, { signal }) => run(signal));
    const deaf = defineJob("deaf", hangs);
    const { app, work, worker, clock, storage } = await withJobs([listens, deaf]);
    const ids = await app.enqueue(newJob(listens, undefined), newJob(deaf, undefined));
    await work();
    for (const id of ids) expect(await storage.jobRecords.cancel(id, clock.now())).toBe("requested");
    await worker.watch();
    await clock.advance(0);
    expect((await storage.jobRecords.countByState()).cancelled).toBe(1);
    await clock.advance(10_000);
    expect((await storage.jobRecords.countByState()).cancelled).toBe(2);
    expect(worker.running).toBe(0);
  });

  test("is done when it had committed before it was cancelled", async () => {
    const job = defineJob("job", async (_payload, { commit }) => {
      await commit(async () => undefined);
      await hangs();
    });
    const { app, work, worker, clock, storage, states } = await withJobs([job]);
    const [id = 0] = await app.enqueue(newJob(job, undefined));
    await work();
    expect(await states()).toEqual({ [id]: "done" });
    expect(await storage.jobRecords.cancel(id, clock.now())).toBeUndefined();
    await worker.watch();
    await clock.advance(400_000);
    expect([await states(), worker.running]).toEqual([{ [id]: "done" }, 0]);
  });

  test.each([["landed"], ["not landed"]])("knows whether a commit of unknown outcome has %s", async (outcome) => {
    const memory = memoryPorts();
    let unsure = true;
    const transaction: typeof memory.storage.transaction = async (work) => {
      if (!unsure) return memory.storage.transaction(work);
      unsure = false;
      const result = await memory.storage.transaction(async (stores, own) => {
        const done = await work(stores, own);
        if (outcome === "not landed") throw new AppError("unavailable");
        return done;
      });
      throw new AppError("unavailable", { cause: result });
    };
    const answers: unknown[] = [];
    const effect = defineJob("effect", async () => undefined, { queue: "effects" });
    const job = defineJob(
      "job",
      async (_payload, { commit }) => {
        answers.push(await commit(async (_rows, { jobs }) => (await jobs.enqueue([newJob(effect, 1)], 0)).length));
      },
      { retry: { delaysMs: [100, 100] } },
    );
    const { app, work, storage } = await withJobs([job, effect], {
      instead: { ...memory, storage: { ...memory.storage, transaction } },
    });
    await app.enqueue(newJob(job, undefined));
    await work(1_000);
    expect(answers).toEqual([1]);
    expect(await storage.jobRecords.list({ kind: "effect", limit: 5 })).toHaveLength(1);
    const [run] = await storage.jobRecords.list({ kind: "job", limit: 5 });
    expect(run).toMatchObject({ state: "done", attempt: outcome === "landed" ? 1 : 2 });
  });

  test("counts as ended when the answer to its end was lost", async () => {
    const memory = memoryPorts();
    let lost = false;
    const jobs = {
      ...memory.storage.jobs,
      finish: async (...args: Parameters<typeof memory.storage.jobs.finish>) => {
        const kept = await memory.storage.jobs.finish(...args);
        if (lost) return kept;
        lost = true;
        throw new AppError("unavailable");
      },
    };
    const job = defineJob("job", async () => undefined);
    const { app, work, ports } = await withJobs([job], {
      instead: { ...memory, storage: { ...memory.storage, jobs } },
    });
    await app.enqueue(newJob(job, undefined));
    await work(2_000);
    const { counted } = ports.telemetry;
    expect([counted("jobs_ended", { to: "done" }), counted("jobs_lease_lost")]).toEqual([1, 0]);
  });

  test.each(["arrived", "was lost too"])(
    "runs again while the answer to its last end is missing, when that to its claim %s",
    async (claimed) => {
      const memory = memoryPorts();
      const { finish, claim } = memory.storage.jobs;
      const away = new AppError("unavailable");
      const lost = { ends: 0, claim: claimed === "arrived" };
      const jobs: typeof memory.storage.jobs = {
        ...memory.storage.jobs,
        finish: async (outcomes, now) => {
          const kept = await finish(outcomes, now);
          if (lost.ends === 3 || outcomes[0]?.end.to !== "snoozed") return kept;
          lost.ends += 1;
          throw away;
        },
        claim: async (request) => {
          const found = await claim(request);
          if (lost.claim || lost.ends === 0 || found.length === 0) return found;
          lost.claim = true;
          throw away;
        },
      };
      const reasons: unknown[] = [];
      let runs = 0;
      const job = defineJob(
        "job",
        async (_payload, { signal }) => {
          runs += 1;
          if (runs === 1) throw new Snooze(100);
          await new Promise<void>((_resolve, reject) => {
            signal.addEventListener("abort", () => {
              reasons.push(signal.reason);
              reject(new Error("stopped"));
            });
          });
        },
        { timeoutMs: 60_000 },
      );
      const { app, worker, clock, storage } = await withJobs([job], {
        instead: { ...memory, storage: { ...memory.storage, jobs } },
      });
      await app.enqueue(newJob(job, undefined));
      for (let passed = 0; passed < 5_000; passed += 100) {
        await worker.runDue().catch((thrown: unknown) => expect(thrown).toBe(away));
        await clock.advance(100);
      }
      // By now the first run knows that its end was written. The second has kept its slot and
      // learns that it was cancelled.
      expect([lost, runs, worker.running]).toEqual([{ ends: 3, claim: true }, 2, 1]);
      const [second] = await storage.jobRecords.list({ limit: 1 });
      await storage.jobRecords.cancel(second?.id ?? 0, clock.now());
      await worker.watch();
      await clock.advance(0);
      expect([reasons, worker.running]).toEqual([["cancelled"], 0]);
      expect((await storage.jobRecords.list({ limit: 1 }))[0]?.state).toBe("cancelled");
    },
  );
});

describe("an order key", () => {
  test.each([
    ["keep", "release", ["first", "first again", "second", "dead", "third"]],
    ["yield", "release", ["first", "second", "first again", "dead", "third"]],
    ["keep", "hold", ["first", "first again", "second", "dead"]],
  ] as const)("goes on as its jobs say: %s on a retry, %s on a death", async (onRetry, onDead, expected) => {
    const seen: string[] = [];
    const job = defineJob<string>(
      "job",
      async (which, { attempt }) => {
        seen.push(attempt === 1 ? which : `${which} again`);
        if (which === "dead") throw new Permanent("no use");
        if (which === "first" && attempt === 1) throw new Error("boom");
      },
      { onRetry, onDead, retry: { delaysMs: [200] } },
    );
    const { app, work } = await withJobs([job as JobHandler]);
    await app.enqueue(newJob(job, "first", { orderKey: "k" }), newJob(job, "second", { orderKey: "k" }));
    await work(1000);
    await app.enqueue(newJob(job, "dead", { orderKey: "k" }), newJob(job, "third", { orderKey: "k" }));
    await work(1000);
    expect(seen).toEqual(expected);
  });
});

describe("a job with an order key that commits", () => {
  test.each([
    ["keeps the turn until its handler returns", undefined, ["commits 1", "returns 1", "commits 2", "returns 2"]],
    [
      'lets the next one start, with `release: "commit"`',
      "commit",
      ["commits 1", "commits 2", "returns 1", "returns 2"],
    ],
  ] as const)("%s", async (_promise, release, expected) => {
    const seen: string[] = [];
    const returns = gate();
    const job = defineJob<number>(
      "job",
      async (number, { commit }) => {
        await commit(async () => undefined);
        seen.push(`commits ${number}`);
        await returns.run();
        seen.push(`returns ${number}`);
      },
      release === undefined ? {} : { release },
    );
    const { app, work, states } = await withJobs([job as JobHandler]);
    const ids = await app.enqueue(newJob(job, 1, { orderKey: "k" }), newJob(job, 2, { orderKey: "k" }));
    await work(100);
    returns.release();
    await work(100);
    returns.release();
    await work(100);
    expect(seen).toEqual(expected);
    expect(Object.values(await states())).toEqual(ids.map(() => "done"));
  });

  test("commits once, and is done although it fails, is cancelled or times out afterwards", async () => {
    let second: unknown;
    const effect = defineJob("effect", async () => undefined, { queue: "effects" });
    const job = defineJob(
      "job",
      async (_payload, { commit }) => {
        const work = () => commit(async (_rows, { jobs }) => jobs.enqueue([newJob(effect, 1)], 0));
        await work();
        second = await work().catch((thrown: unknown) => thrown);
        await hangs();
      },
      { timeoutMs: 1_000 },
    );
    const { app, work, worker, clock, storage, ports } = await withJobs([job, effect]);
    const [id = 0] = await app.enqueue(newJob(job, undefined, { orderKey: "k" }));
    await work(100);
    expect(second).toMatchObject({ name: "AlreadyCommitted" });
    expect((await storage.jobRecords.find(id))?.state).toBe("running");
    expect(await storage.jobRecords.cancel(id, clock.now())).toBe("requested");
    await worker.watch();
    await clock.advance(12_000);
    expect(await storage.jobRecords.find(id)).toMatchObject({ state: "done", attempt: 1 });
    expect(await storage.jobRecords.list({ kind: "effect", limit: 5 })).toHaveLength(1);
    expect(ports.telemetry.counted("jobs_ended", { to: "done" })).toBe(2);
  });
});

test("a commit that comes after its run had lost its slot is refused, counted and logged", async () => {
  const late = gate();
  let refused: unknown;
  const job = defineJob(
    "deaf",
    async (_payload, { attempt, commit }) => {
      if (attempt > 1) return;
      await late.run();
      await commit(async () => undefined).catch((thrown: unknown) => {
        refused = thrown;
      });
    },
    { timeoutMs: 1_000, retry: { delaysMs: [100] } },
  );
  const { app, work, storage, clock, ports } = await withJobs([job]);
  const [id = 0] = await app.enqueue(newJob(job, undefined));
  await work(100);
  await clock.advance(11_000);
  await work(500);
  expect((await storage.jobRecords.find(id))?.state).toBe("done");
  late.release();
  await clock.advance(0);
  expect(refused).toMatchObject({ name: "LeaseLost" });
  expect(ports.telemetry.counted("jobs_commits_fenced")).toBe(1);
  expect(ports.telemetry.entries.filter(({ message }) => message.startsWith("a commit was refused"))).toMatchObject([
    { level: "warn", fields: { job: id, after_its_run: true } },
  ]);
});

describe("a queue", () => {
  test("gets no more slots and starts no more a second than it may", async () => {
    const slow = gate();
    const fast: number[] = [];
    const narrow = defineJob("narrow", () => slow.run(), { queue: "narrow" });
    const paced = defineJob("paced", async () => void fast.push(1), { queue: "paced" });
    const { app, work, worker, clock } = await withJobs([narrow, paced], {
      options: { queues: { narrow: { concurrency: 2 }, paced: { perSecond: 4 } } },
    });
    await app.enqueue(
      ...Array.from({ length: 6 }, () => newJob(narrow, undefined)),
      ...Array.from({ length: 30 }, () => newJob(paced, undefined)),
    );
    await work();
    expect([slow.most, fast.length]).toEqual([2, 4]);
    expect(await worker.waitMs()).toBe(250);
    for (let step = 0; step < 4; step += 1) {
      await clock.advance(250);
      await work();
    }
    expect([slow.most, fast.length]).toEqual([2, 8]);
  });

  test("with a limit over all processes runs no more than that, even when other processes have free slots", async () => {
    const shared = memoryPorts();
    const slow = gate();
    const job = defineJob("narrow", () => slow.run(), { queue: "narrow" });
    const options = { concurrency: 10, queues: { narrow: { globalConcurrency: 3 } } };
    const apps = [1, 2, 3].map(() => createApp({ ports: shared, jobs: [job as JobHandler] }));
    const workers = apps.map((app, index) => app.worker({ name: `p${index}`, ...options }));
    for (const worker of workers) await worker.start();
    for (const app of apps) await app.enqueue(...Array.from({ length: 3 }, () => newJob(job, undefined)));
    const look = async (): Promise<void> => {
      for (const worker of workers) await worker.runDue();
      await shared.clock.advance(0);
    };
    await look();
    expect([slow.running, slow.most]).toEqual([3, 3]);
    slow.release();
    await shared.clock.advance(0);
    await look();
    expect([slow.running, slow.most]).toEqual([3, 3]);
    slow.release();
    await shared.clock.advance(0);
    await look();
    slow.release();
    await shared.clock.advance(0);
    expect(await shared.storage.jobRecords.countByState()).toMatchObject({ done: 9, running: 0, ready: 0 });
  });

  test("is not starved by another, nor a priority by a more urgent one", async () => {
    const seen: string[] = [];
    const job = defineJob<string>("job", async (which) => void seen.push(which));
    const other = defineJob<string>("other", async (which) => void seen.push(which), { queue: "other" });
    const { app, work } = await withJobs([job as JobHandler, other as JobHandler], { options: { concurrency: 1 } });
    await app.enqueue(newJob(job, "patient", { priority: 9 }), newJob(other, "elsewhere"));
    await app.enqueue(...Array.from({ length: 40 }, () => newJob(job, "urgent")));
    await work(2_000);
    expect(seen.indexOf("elsewhere")).toBeLessThan(3);
    expect(seen).toContain("patient");
    expect(seen.length).toBeLessThan(42);
  });

  test("starts nothing while it is paused", async () => {
    const seen: number[] = [];
    const job = defineJob("job", async () => void seen.push(1));
    const { app, work, storage, clock } = await withJobs([job]);
    await storage.queues.pause("default", undefined, clock.now());
    await app.enqueue(newJob(job, undefined));
    await work(1_000);
    expect(seen).toEqual([]);
    await storage.queues.resume("default");
    await work();
    expect(seen).toEqual([1]);
  });
});
