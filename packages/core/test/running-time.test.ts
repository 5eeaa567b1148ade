import { runningTime } from "@postern/core/internal";
import { virtualClock } from "@postern/core/memory";
import { expect, test } from "vitest";

/** Time that goes by while no timer can run, beside the time in which they do. */
const heldUpClock = () => {
  const clock = virtualClock();
  let heldUpMs = 0;
  return {
    clock: { monotonic: () => clock.monotonic() + heldUpMs, after: clock.after },
    holdUp: (ms: number): void => {
      heldUpMs += ms;
    },
    advance: clock.advance,
    pendingTimers: clock.pendingTimers,
  };
};

const waits = (ms: number) => {
  const loop = heldUpClock();
  const time = runningTime(loop.clock, ms);
  const ended: string[] = [];
  const wait = (name: string) => time.after(() => void ended.push(name));
  return { ...loop, ended, wait };
};

test("is the time on the clock where the loop runs", async () => {
  const { advance, ended, wait, pendingTimers } = waits(1_000);
  wait("first");
  await advance(600);
  wait("second");
  await advance(399);
  expect(ended).toEqual([]);
  await advance(26);
  expect(ended).toEqual(["first"]);
  await advance(600);
  expect(ended).toEqual(["first", "second"]);
  expect(pendingTimers()).toBe(0);
});

test("counts little of a turn in which the loop was held up", async () => {
  const { advance, holdUp, ended, wait } = waits(1_000);
  wait("one");
  await advance(500);
  holdUp(60_000);
  await advance(250);
  expect(ended).toEqual([]);
  await advance(100);
  expect(ended).toEqual(["one"]);
});

test("ends all the same where every turn is long", async () => {
  const { advance, holdUp, ended, wait } = waits(1_000);
  wait("one");
  for (let turn = 0; turn < 4; turn++) {
    holdUp(2_000);
    await advance(25);
  }
  expect(ended).toEqual([]);
  for (let turn = 0; turn < 2; turn++) {
    holdUp(2_000);
    await advance(25);
  }
  expect(ended).toEqual(["one"]);
});

test("leaves no timer when nobody waits any more, and starts anew", async () => {
  const { advance, ended, wait, pendingTimers } = waits(100);
  const ends = [wait("one"), wait("two")];
  for (const end of ends) end();
  expect(pendingTimers()).toBe(0);
  await advance(1_000);
  wait("three");
  await advance(75);
  expect(ended).toEqual([]);
  await advance(25);
  expect(ended).toEqual(["three"]);
});
