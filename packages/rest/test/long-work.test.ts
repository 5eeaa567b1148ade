import { expect, test } from "vitest";
import { createLongWork } from "../src/limits/long-work.ts";
import type { Steps } from "../src/limits/steps.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Work on a clock that advances only with the work, and with pauses that the test ends. */
const scene = () => {
  let nowMs = 0;
  const pauses: { readonly ms: number; readonly end: () => void }[] = [];
  const work = createLongWork({
    monotonic: () => nowMs,
    after: (ms, run) => {
      pauses.push({ ms, end: run });
      return () => undefined;
    },
  });
  const done: string[] = [];
  function* steps(name: string, times: number, ms: number): Steps<string> {
    for (let n = 0; n < times; n += 1) {
      nowMs += ms;
      done.push(name);
      if (n < times - 1) yield;
    }
    return name;
  }
  return {
    pauses,
    done,
    run: (network: string, times: number, ms = 5) => work.finish(network, steps(network, times, ms)),
    /** Ends the pause, so many milliseconds after it was over. */
    pass: async (lateMs = 0) => {
      const pause = pauses.shift();
      nowMs += (pause?.ms ?? 0) + lateMs;
      pause?.end();
      await settled();
    },
    fail: (network: string) =>
      work.finish(
        network,
        // biome-ignore lint/correctness/useYield: it fails before its first step.
        (function* (): Steps<string> {
          nowMs += 5;
          throw new Error("a fault");
        })(),
      ),
  };
};

test("what is short is done at once, with no pause after it", async () => {
  const { run, pauses, done } = scene();
  await run("a", 3, 0.2);
  await run("a", 1, 0.2);
  expect([done.length, pauses.length]).toEqual([4, 0]);
});

test("a turn takes 5 ms, and the pause after it is as long", async () => {
  const { run, pauses, done, pass } = scene();
  const result = run("a", 4, 2);
  expect(done.length).toBe(3);
  expect(pauses.map(({ ms }) => ms)).toEqual([6]);
  await pass();
  expect(await result).toBe("a");
});

test("while other work keeps the thread busy, the pause is four times as long at most", async () => {
  const { run, pauses, done, pass } = scene();
  void run("a", 2);
  for (let n = 0; n < 3; n += 1) {
    await pass(10);
    expect([done.length, pauses.length]).toEqual([1, 1]);
  }
  await pass(10);
  expect(done.length).toBe(2);
});

test("one piece of work has the thread at a time, and networks take turns", async () => {
  const { run, done, pass } = scene();
  const all = Promise.all([run("greedy", 2), run("greedy", 2), run("greedy", 2), run("modest", 2)]);
  while (done.length < 8) {
    const before = done.length;
    await pass();
    expect(done.length).toBe(before + 1);
  }
  await all;
  expect(done.slice(0, 5).filter((name) => name === "modest")).toHaveLength(2);
});

test("work that fails lets the next begin", async () => {
  const { run, fail, pass } = scene();
  const failed = fail("a");
  const next = run("a", 1);
  await expect(failed).rejects.toThrow("a fault");
  await pass();
  expect(await next).toBe("a");
});
