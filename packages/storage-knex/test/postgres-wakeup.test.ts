import { setTimeout as pause } from "node:timers/promises";
import type { Wakeup } from "@postern/core/ports";
import { wakeupContract } from "@postern/core/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { onPostgres, openStorage, postgres, postgresConnection } from "./databases.ts";

/** Longer than two notifications are apart. */
const aWhileMs = 300;

onPostgres("the wakeup of several processes", () => {
  const scene = async () => {
    const url = postgres.urlOf(await postgres.fresh());
    const processes = [openStorage({ url }), openStorage({ url })];
    onTestFinished(async () => {
      for (const { close } of processes) await close();
    });
    const [worker, sender] = processes.map(({ wakeup }) => {
      if (wakeup?.waits === undefined) throw new Error("there is a wakeup");
      return wakeup as Required<Wakeup>;
    });
    if (worker === undefined || sender === undefined) throw new Error("there are two");
    let told = 0;
    worker.subscribe(() => {
      told += 1;
    });
    const client = await postgresConnection(url);
    onTestFinished(() => client.end());
    /** Whether a worker waits, as senders see it. */
    const isMarked = async (): Promise<boolean> => {
      const { rowCount } = await client.query(
        "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
      );
      return (rowCount ?? 0) > 0;
    };
    worker.waits(true);
    await vi.waitFor(async () => expect(await isMarked()).toBe(true), { timeout: 5_000, interval: 10 });
    await pause(aWhileMs);
    told = 0;
    return { worker, sender, client, isMarked, told: () => told };
  };

  test("tells a worker that waits of what another process has committed", async () => {
    const { sender, told } = await scene();
    const from = performance.now();
    sender.notify();
    await vi.waitFor(() => expect(told()).toBe(1), { timeout: 5_000, interval: 2 });
    expect(performance.now() - from).toBeLessThan(500);
  });

  test("sends nothing while no worker waits, and again when one does", async () => {
    const { worker, sender, isMarked, told } = await scene();
    worker.waits(false);
    await vi.waitFor(async () => expect(await isMarked()).toBe(false), { timeout: 5_000, interval: 10 });
    sender.notify();
    await pause(aWhileMs);
    expect(told()).toBe(0);
    worker.waits(true);
    await vi.waitFor(async () => expect(await isMarked()).toBe(true), { timeout: 5_000, interval: 10 });
    sender.notify();
    await vi.waitFor(() => expect(told()).toBe(1), { timeout: 5_000, interval: 2 });
  });

  test("sends at most twenty a second, and the last one after the last commit", async () => {
    const { sender, told } = await scene();
    const until = performance.now() + 500;
    while (performance.now() < until) {
      sender.notify();
      await pause(1);
    }
    await pause(aWhileMs);
    expect(told()).toBeGreaterThan(2);
    expect(told()).toBeLessThanOrEqual(12);
  });

  test("says that it reaches this process only while it listens, and calls when that ends", async () => {
    const { worker, sender, client, isMarked, told } = await scene();
    expect([worker.reaches(), sender.reaches()]).toEqual([true, false]);
    await client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_advisory_lock_shared%' AND pid <> pg_backend_pid()",
    );
    await vi.waitFor(() => expect(told()).toBe(1), { timeout: 10_000, interval: 2 });
    expect(worker.reaches()).toBe(false);
    // It listens again, and looks for what it missed.
    await vi.waitFor(() => expect(told()).toBe(2), { timeout: 10_000, interval: 20 });
    await vi.waitFor(async () => expect(await isMarked()).toBe(true), { timeout: 5_000, interval: 10 });
    expect(worker.reaches()).toBe(true);
    sender.notify();
    await vi.waitFor(() => expect(told()).toBe(3), { timeout: 5_000, interval: 2 });
  });

  for (const [promise, keep] of Object.entries(wakeupContract)) {
    test(promise, async () => {
      const { wakeup } = await postgres.fresh();
      if (wakeup === undefined) throw new Error("there is a wakeup");
      await keep(wakeup);
    });
  }
});
