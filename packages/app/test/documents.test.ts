import { createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { expect, test } from "vitest";

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

test("documents are made in short turns, and a reader who comes meanwhile waits for them", async () => {
  const clock = slowClock();
  const app = createApp({ ports: { ...memoryPorts(), clock } });
  let isPrepared = false;
  const prepared = app.prepareDocuments().then(() => {
    isPrepared = true;
  });
  const reader = app.run({ operation: "about.openapi", principal: { kind: "operator", name: "test" } });
  let isAnswered = false;
  void reader.then(() => {
    isAnswered = true;
  });
  let turns = 0;
  for (; !isPrepared && turns < 10_000; turns += 1) {
    clock.waiting.shift()?.();
    await settled();
    if (turns === 3) expect([isPrepared, isAnswered]).toEqual([false, false]);
  }
  await prepared;
  expect(turns).toBeGreaterThan(20);
  expect((await reader).body).toBe(app.openApi("v2"));
  expect(app.changeLog().entries.length).toBeGreaterThan(0);
});
