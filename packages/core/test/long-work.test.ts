import { expect, test } from "vitest";
import { createLongWork } from "../src/long-work.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Work on a clock that advances only with the work, and with timers that the test ends. */
const scene = () => {
  let nowMs = 0;
  const timers: { readonly ms: number; readonly end: () => void }[] = [];
  const work = createLongWork({
    monotonic: () => nowMs,
    after: (ms, run) => {
      timers.push({ ms, end: run });
      return () => undefined;
    },
  });
  const done: string[] = [];
  const takes = (ms: number, name: string): string => {
    nowMs += ms;
    done.push(name);
    return name;
  };
  function* steps(name: string, times: number, ms: number): Iterator<undefined, string, undefined> {
    for (let n = 1; n < times; n += 1) {
      takes(ms, name);
      yield;
    }
    return takes(ms, name);
  }
  return {
    work,
    timers,
    done,
    takes,
    finish: (network: string, times: number, ms = 5) => work.finish(network, steps(network, times, ms)),
    /** Ends the turn, if its end waits for a timer, and then the rest, whose length it returns. */
    rest: async (): Promise<number | undefined> => {
      await settled();
      if (timers[0]?.ms === 0) timers.shift()?.end();
      const rest = timers.shift();
      nowMs += rest?.ms ?? 0;
      rest?.end();
      await settled();
      return rest?.ms;
    },
  };
};

test("what is short needs no timer, and the next begins at once", async () => {
  const { finish, timers, done } = scene();
  await finish("a", 3, 0.2);
  await finish("a", 1, 0.2);
  expect([done.length, timers.length]).toEqual([4, 0]);
});

test("work runs at once, and the next begins after a rest of the same length", async () => {
  const { work, takes, done, rest } = scene();
  void work.run("a", () => takes(8, "first"));
  const second = work.run("a", () => takes(1, "second"));
  await settled();
  expect(done).toEqual(["first"]);
  expect(await rest()).toBe(8);
  expect(await second).toBe("second");
});

test("the rest after one turn is 100 ms at most", async () => {
  const { work, takes, rest } = scene();
  void work.run("a", () => takes(3_000, "slow"));
  expect(await rest()).toBe(100);
});

test("work goes on after a pause before other work of its network", async () => {
  const { work, takes, done, rest } = scene();
  const first = work.run("a", async (pause) => {
    takes(2, "first");
    await pause();
    takes(2, "rest of the first");
  });
  const second = work.run("a", () => takes(2, "second"));
  await rest();
  await rest();
  await Promise.all([first, second]);
  expect(done).toEqual(["first", "rest of the first", "second"]);
});

test("a turn of steps takes 5 ms", async () => {
  const { finish, done, rest } = scene();
  const result = finish("a", 4, 2);
  await settled();
  expect(done).toHaveLength(3);
  expect(await rest()).toBe(6);
  expect(await result).toBe("a");
});

test("one piece has the thread at a time, and networks take turns", async () => {
  const { finish, done, rest } = scene();
  const all = Promise.all([finish("greedy", 2), finish("greedy", 2), finish("greedy", 2), finish("modest", 2)]);
  await settled();
  while (done.length < 8) {
    const before = done.length;
    await rest();
    expect(done.length).toBe(before + 1);
  }
  await all;
  expect(done.slice(0, 5).filter((name) => name === "modest")).toHaveLength(2);
});

test("work that fails lets the next begin", async () => {
  const { work, takes, rest } = scene();
  const failed = work.run("a", () => Promise.reject(new Error("a fault")));
  const next = work.run("a", () => takes(1, "next"));
  await expect(failed).rejects.toThrow("a fault");
  await rest();
  expect(await next).toBe("next");
});
