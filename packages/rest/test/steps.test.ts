import { createLongWork } from "@postern/core/internal";
import { expect, test } from "vitest";
import { finish, type Steps } from "../src/limits/steps.ts";
import { slowClock } from "./slow-clock.ts";

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
  const inTurns = createLongWork(clock).finish("a", sum());
  while (clock.waiting.length > 0) {
    clock.waiting.shift()?.();
    await settled();
  }
  expect([finish(sum()), await inTurns]).toEqual([55, 55]);
});
