import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createRestingTurns, type Pause } from "../src/resting-turns.ts";

/** Work on a clock that advances only while something works. The event loop is idle in between. */
const scene = () => {
  let nowMs = 0;
  const turns = createRestingTurns({ nowMs: () => nowMs, idleMs: () => performance.now() });
  const done: string[] = [];
  const step = (name: string, ms = 5): string => {
    done.push(name);
    nowMs += ms;
    return name;
  };
  const run = (name: string, network: string) => turns.run(network, () => step(name));
  /** Work in several steps. */
  const runSteps = (network: string, names: readonly string[]) =>
    turns.run(network, async (pause: Pause) => {
      for (const [index, name] of names.entries()) {
        if (index > 0) await pause();
        step(name);
      }
    });
  return { turns, done, run, runSteps };
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

test("networks take turns, and one that has worked lets the others go first", async () => {
  const { done, run } = scene();
  await Promise.all([run("a1", "a"), run("a2", "a"), run("a3", "a"), run("b1", "b")]);
  expect(done).toEqual(["a1", "b1", "a2", "a3"]);
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

test("work in steps goes on before other work of its network, and lets other networks go first", async () => {
  const { done, run, runSteps } = scene();
  await Promise.all([runSteps("a", ["a1", "a2", "a3"]), run("later", "a"), run("b1", "b"), run("c1", "c")]);
  expect(done).toEqual(["a1", "b1", "c1", "a2", "a3", "later"]);
});

test("a step that begins after everything else is over has a turn of its own", async () => {
  const { turns, done, run } = scene();
  const late = turns.run("a", async (pause) => {
    await sleep(50);
    const turn = pause();
    const other = run("other", "b");
    await turn;
    done.push("late");
    await other;
  });
  await late;
  expect(done).toEqual(["late", "other"]);
});

/** How long the rest after 10 ms of work is, if the loop is idle for a share of it. */
const restAfter = async (idleShare: number): Promise<number> => {
  let nowMs = 0;
  const fromMs = performance.now();
  const time = (): number => nowMs + performance.now() - fromMs;
  const turns = createRestingTurns({ nowMs: time, idleMs: () => time() * idleShare });
  await turns.run("a", () => {
    nowMs += 10;
  });
  const endedMs = time();
  await turns.run("a", () => undefined);
  return time() - endedMs;
};

test("a rest lasts until the loop was idle for as long as the work took, or four times as long", async () => {
  expect(await restAfter(1)).toBeGreaterThanOrEqual(9);
  expect(await restAfter(0.5)).toBeGreaterThanOrEqual(19);
  expect(await restAfter(0)).toBeGreaterThanOrEqual(39);
});
