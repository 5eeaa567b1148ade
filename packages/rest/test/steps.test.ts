import { expect, test } from "vitest";
import { finish, finishInTurns, type Steps } from "../src/openapi/steps.ts";

/** A clock on which every look takes 3 ms, and whose timers wait until they are let go. */
const slowClock = () => {
  let now = 0;
  const waiting: (() => void)[] = [];
  return {
    now: () => now,
    monotonic: () => {
      now += 3;
      return now;
    },
    after: (_delayMs: number, run: () => void) => {
      waiting.push(run);
      return () => undefined;
    },
    waiting,
  };
};

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("steps give the same at once and in turns", async () => {
  function* sum(): Steps<number> {
    let total = 0;
    for (let n = 1; n <= 10; n += 1) {
      total += n;
      yield;
    }
    return total;
  }
  const clock = slowClock();
  const inTurns = finishInTurns(clock, sum());
  while (clock.waiting.length > 0) {
    clock.waiting.shift()?.();
    await settled();
  }
  expect([finish(sum()), await inTurns]).toEqual([55, 55]);
});
