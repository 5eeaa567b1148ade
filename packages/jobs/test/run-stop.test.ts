import { virtualClock } from "@postern/core/memory";
import { expect, test } from "vitest";
import { RunStop, stoppable } from "../src/run-context.ts";

test("a signal that is asked for after the stop is aborted, with the reason", () => {
  const stop = new RunStop();
  stop.stop("shutdown");
  expect(stop.signal.aborted).toBe(true);
  expect(stop.signal.reason).toBe("shutdown");
});

test("a signal that is asked for before is aborted with the stop, and stays the same object", () => {
  const stop = new RunStop();
  const { signal } = stop;
  const told: unknown[] = [];
  stop.onStop(() => told.push("run"));
  signal.addEventListener("abort", () => told.push(signal.reason));
  expect(signal.aborted).toBe(false);
  stop.stop("cancelled");
  expect(told).toEqual(["run", "cancelled"]);
  expect(stop.signal).toBe(signal);
});

test("only the first reason counts, and the run hears of it once", () => {
  const stop = new RunStop();
  let times = 0;
  stop.onStop(() => {
    times += 1;
  });
  stop.stop("timeout");
  stop.stop("shutdown");
  expect(stop.reason).toBe("timeout");
  expect(stop.signal.reason).toBe("timeout");
  expect(times).toBe(1);
});

/** A run of work that waits for its signal, and then takes `endsMs` to fail. */
const waiting = async (endsMs: number) => {
  const clock = virtualClock();
  const stop = new RunStop();
  const work = () =>
    new Promise((_resolve, reject) => {
      stop.signal.addEventListener("abort", () => clock.after(endsMs, () => reject(new Error("I was told to stop"))));
    });
  const run = stoppable(clock, stop, { timeoutMs: 1_000, stopMs: 5_000 }, work).catch(({ message }: Error) => message);
  await clock.advance(0);
  return { clock, stop, run };
};

test("a run whose time is up says so, however its handler fails then, and leaves no timer", async () => {
  const { clock, run } = await waiting(100);
  await clock.advance(1_100);
  expect(await run).toBe("the handler took longer than 1000 ms");
  expect(clock.pendingTimers()).toBe(0);
});

test("a run that is stopped fails as its handler does, or says why it was stopped if the handler goes on", async () => {
  const heard = await waiting(100);
  heard.stop.stop("shutdown");
  await heard.clock.advance(100);
  expect(await heard.run).toBe("I was told to stop");
  const deaf = await waiting(10_000);
  deaf.stop.stop("cancelled");
  await deaf.clock.advance(5_000);
  expect(await deaf.run).toBe("the job was cancelled");
});

test("a run begins its work when the code that started it has ended", async () => {
  const begun: string[] = [];
  const work = async () => begun.push("work");
  const run = stoppable(virtualClock(), new RunStop(), { timeoutMs: 1_000, stopMs: 5_000 }, work);
  begun.push("started");
  await run;
  expect(begun).toEqual(["started", "work"]);
});
