import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createRestingTurns } from "../src/resting-turns.ts";

/** Work on a clock that advances only while something works. */
const scene = () => {
  let nowMs = 0;
  const turns = createRestingTurns(() => nowMs);
  const done: string[] = [];
  const run = (name: string, network: string) =>
    turns.run(network, () => {
      done.push(name);
      nowMs += 5;
      return name;
    });
  return { turns, done, run };
};

test("the first work is done at once", () => {
  const { done, run } = scene();
  void run("only", "a");
  expect(done).toEqual(["only"]);
});

test("the event loop turns several times between two pieces of work", async () => {
  const { done, run } = scene();
  const all = Promise.all([run("1", "a"), run("2", "a"), run("3", "a")]);
  let turns = 0;
  let counts = true;
  const count = (): void => {
    turns += 1;
    if (done.length < 2 && counts) setImmediate(count);
  };
  count();
  expect(await all).toEqual(["1", "2", "3"]);
  counts = false;
  expect(turns).toBeGreaterThan(3);
});

test("networks take turns", async () => {
  const { done, run } = scene();
  await Promise.all([run("a1", "a"), run("a2", "a"), run("a3", "a"), run("b1", "b")]);
  expect(done).toEqual(["a1", "a2", "b1", "a3"]);
});

test("work that throws rejects, and the next one has its turn", async () => {
  const { turns, run } = scene();
  const failed = turns.run("a", () => {
    throw new Error("no JSON");
  });
  const next = run("next", "a");
  await expect(failed).rejects.toThrow("no JSON");
  expect(await next).toBe("next");
});

test("a piece of work that comes between two others waits for its turn", async () => {
  const { done, run } = scene();
  const first = Promise.all([run("1", "a"), run("2", "a")]);
  while (done.length < 2) await sleep(0);
  const late = run("late", "b");
  expect(done).toEqual(["1", "2"]);
  await Promise.all([first, late]);
  expect(done).toEqual(["1", "2", "late"]);
});
