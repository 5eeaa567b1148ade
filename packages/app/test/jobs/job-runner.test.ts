import { createApp } from "@postern/app";
import { AppError } from "@postern/core";
import { type MemoryPorts, memoryPorts } from "@postern/core/memory";
import { newEvent } from "@postern/core/testing";
import { type InboxHandler, on } from "@postern/inbox";
import { createJobRunner } from "@postern/jobs";
import { describe, expect, test } from "vitest";

const scene = async (handler: InboxHandler, { concurrency = 3, ports = memoryPorts() } = {}) => {
  const { clock, wakeup, telemetry, storage } = ports;
  const worker = createApp({ ports, handlers: [handler] }).worker({ name: "test", concurrency });
  const runner = createJobRunner({ worker, clock, wakeup, telemetry });
  await runner.start();
  await clock.advance(0);
  return {
    ports,
    runner,
    /** Events that another process stored: nobody wakes this one. */
    store: async (count: number, from = 0) => {
      const jobs = [{ kind: handler.name, maxAttempts: 5 }];
      await storage.events.accept(Array.from({ length: count }, (_, n) => newEvent(`evt_${from + n}`, { jobs })));
    },
    done: async () => (await storage.jobRecords.list({ kind: handler.name, state: "done", limit: 1000 })).length,
  };
};

const noop = on("*", "*", async () => undefined);

describe("the job runner", () => {
  test("starts work with the commit that this process announces", async () => {
    const { ports, store, done } = await scene(noop);
    await ports.clock.advance(60_000);
    await store(1);
    ports.wakeup.notify();
    await ports.clock.advance(0);
    expect(await done()).toBe(1);
  });

  test("finds the commits of other processes within a second, however long it was idle", async () => {
    const { ports, store, done } = await scene(noop);
    await ports.clock.advance(3600_000);
    await store(1);
    await ports.clock.advance(1_000);
    expect(await done()).toBe(1);
  });

  test("writes the ends that come in one loop turn together, and claims for all their slots", async () => {
    const memory = memoryPorts();
    const nextLoopTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));
    const ended: number[] = [];
    const claimed: number[] = [];
    const jobs = {
      ...memory.storage.jobs,
      finish: (...args: Parameters<typeof memory.storage.jobs.finish>) => {
        ended.push(args[0].length);
        return memory.storage.jobs.finish(...args);
      },
      claim: async (...args: Parameters<typeof memory.storage.jobs.claim>) => {
        const found = await memory.storage.jobs.claim(...args);
        if (found.length > 0) claimed.push(found.length);
        return found;
      },
    };
    let run = 0;
    const uneven = on("*", "*", async () => {
      run += 1;
      for (let step = 0; step < run % 3; step += 1) await undefined;
    });
    const ports = {
      ...memory,
      clock: { ...memory.clock, nextLoopTurn },
      storage: { ...memory.storage, jobs },
    };
    const { store, done } = await scene(uneven, { ports });
    await store(9);
    ports.wakeup.notify();
    for (let turn = 0; turn < 20; turn += 1) {
      await ports.clock.advance(0);
      await nextLoopTurn();
    }
    expect(await done()).toBe(9);
    expect({ ended, claimed }).toEqual({ ended: [3, 3, 3], claimed: [3, 3, 3] });
  });

  test("looks ever less often while there is nothing to do", async () => {
    const memory = memoryPorts();
    let claims = 0;
    const jobs = {
      ...memory.storage.jobs,
      claim: (...args: Parameters<typeof memory.storage.jobs.claim>) => {
        // Mails have a queue of their own.
        if (args[0].queue === "default") claims += 1;
        return memory.storage.jobs.claim(...args);
      },
    };
    const { ports } = await scene(noop, { ports: { ...memory, storage: { ...memory.storage, jobs } } });
    await ports.clock.advance(10_000);
    expect(claims).toBeGreaterThan(5);
    expect(claims).toBeLessThan(20);
  });

  test("looks for work up to a fifth sooner or later, as its randomness says", async () => {
    const looksIn = async (fraction: number): Promise<number> => {
      const ports = memoryPorts();
      let looks = 0;
      const worker = {
        concurrency: 1,
        running: 0,
        start: async () => undefined,
        runDue: async () => {
          looks += 1;
          return 0;
        },
        onFreeSlot: () => undefined,
        waitMs: async () => undefined,
        beat: async () => undefined,
        watch: async () => 0,
        rest: async () => undefined,
        fireSchedules: async () => 60_000,
        stop: async () => undefined,
      };
      const { clock, wakeup, telemetry } = ports;
      const pollMs = { min: 100, max: 100 };
      const runner = createJobRunner({
        worker,
        clock,
        wakeup,
        telemetry,
        pollMs,
        randomness: { fraction: () => fraction },
      });
      await runner.start();
      await clock.advance(12_000);
      await runner.stop(0);
      return looks;
    };
    expect([await looksIn(0), await looksIn(0.5), await looksIn(0.75)]).toEqual([151, 121, 110]);
  });

  test("works off a backlog with no more at once than it has slots", async () => {
    let running = 0;
    let most = 0;
    const ports = memoryPorts();
    const slow = on("*", "*", async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => void ports.clock.after(10, resolve));
      running -= 1;
    });
    const { store, done } = await scene(slow, { ports });
    await store(30);
    ports.wakeup.notify();
    for (let step = 0; step < 40; step += 1) await ports.clock.advance(10);
    expect([await done(), most]).toEqual([30, 3]);
  });

  test("runs a retry when it is due", async () => {
    const attempts: number[] = [];
    const flaky = on(
      "*",
      "*",
      async (_event, { attempt }) => {
        attempts.push(attempt);
        if (attempt === 1) throw new Error("once");
      },
      { retry: { delaysMs: [400] } },
    );
    const { ports, store, done } = await scene(flaky);
    await store(1);
    ports.wakeup.notify();
    await ports.clock.advance(0);
    expect(attempts).toEqual([1]);
    await ports.clock.advance(400);
    expect([attempts, await done()]).toEqual([[1, 2], 1]);
  });

  test("goes on after the storage was away", async () => {
    const memory = memoryPorts();
    let away = false;
    const jobs = {
      ...memory.storage.jobs,
      claim: (...args: Parameters<typeof memory.storage.jobs.claim>) =>
        away ? Promise.reject(new AppError("unavailable")) : memory.storage.jobs.claim(...args),
      beat: (...args: Parameters<typeof memory.storage.runners.beat>) =>
        away ? Promise.reject(new AppError("unavailable")) : memory.storage.runners.beat(...args),
    };
    const { ports, store, done } = await scene(noop, { ports: { ...memory, storage: { ...memory.storage, jobs } } });
    away = true;
    await store(1);
    ports.wakeup.notify();
    await ports.clock.advance(20_000);
    expect(await done()).toBe(0);
    away = false;
    await ports.clock.advance(1_000);
    expect(await done()).toBe(1);
    expect(ports.telemetry.entries.some(({ level }) => level === "error")).toBe(true);
  });

  test("beats, so that others see that it lives", async () => {
    const { ports } = await scene(noop);
    const beat = async () => (await ports.storage.runners.live())[0]?.beat ?? 0;
    const before = await beat();
    await ports.clock.advance(15_000);
    expect((await beat()) - before).toBe(3);
  });

  test("takes back the jobs of a runner that died earlier", async () => {
    const ports = memoryPorts();
    const { storage, clock } = ports;
    const dead = await storage.runners.register({ name: "killed", kinds: [] }, clock.now());
    await storage.events.accept([newEvent("evt_1", { jobs: [{ kind: noop.name, maxAttempts: 5 }] })]);
    await storage.jobs.claim({ runnerId: dead, queue: "default", limit: 1, now: clock.now() });
    const { done } = await scene(noop, { ports });
    await clock.advance(3_500);
    expect(await done()).toBe(1);
  });

  test("stops once, takes nothing new, waits for what runs and leaves no timer", async () => {
    const ports: MemoryPorts = memoryPorts();
    let release = (): void => undefined;
    const slow = on(
      "*",
      "*",
      () =>
        new Promise<void>((resolve) => {
          release = resolve;
        }),
    );
    const { runner, store, done } = await scene(slow, { concurrency: 1, ports });
    await store(2);
    ports.wakeup.notify();
    await ports.clock.advance(0);
    const stopping = Promise.all([runner.stop(5_000), runner.stop(5_000)]);
    await ports.clock.advance(100);
    release();
    await ports.clock.advance(100);
    await stopping;
    expect(await done()).toBe(1);
    expect((await ports.storage.jobRecords.countByState()).ready).toBe(1);
    expect(await ports.storage.runners.live()).toEqual([]);
    expect(ports.clock.pendingTimers()).toBe(0);
  });
});

test("options that are left out, wrong or misspelt are named", () => {
  const make = (...given: unknown[]) => Reflect.apply(createJobRunner, undefined, given);
  const { clock, wakeup, telemetry } = memoryPorts();
  const worker = createApp({ ports: memoryPorts() }).worker({ name: "test", concurrency: 1 });
  expect(() => make()).toThrow(
    'createJobRunner: "worker" is missing; it must be a worker, which app.worker({ name, concurrency }) makes',
  );
  expect(() => make({ worker, clock, wakeup, telemetry, poll: 5 })).toThrow('there is no option "poll"');
  expect(() => make({ worker, clock, wakeup, telemetry, pollMs: 5 })).toThrow(
    'createJobRunner: "pollMs" must be { min, max } in milliseconds, with 0 < min <= max, not 5',
  );
});
