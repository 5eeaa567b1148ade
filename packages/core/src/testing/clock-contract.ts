import assert from "node:assert/strict";
import type { Clock } from "../ports/clock.ts";
import type { Contract } from "./contract.ts";

/**
 * A clock, and a way to let its time pass: `advance` for a virtual clock, waiting for a real one.
 * The cases need 60 ms in all.
 */
export interface ClockSubject {
  readonly clock: Clock;
  pass(ms: number): Promise<void>;
}

export const clockContract: Contract<ClockSubject> = {
  "tells wall time in whole milliseconds since the epoch": async ({ clock }) => {
    assert.ok(Number.isSafeInteger(clock.now()));
    assert.ok(clock.now() > Date.UTC(2020, 0, 1));
  },
  "never goes back in monotonic time": async ({ clock, pass }) => {
    const before = clock.monotonic();
    await pass(5);
    const after = clock.monotonic();
    assert.ok(after - before >= 4, `${after - before} ms went by`);
    assert.ok(clock.monotonic() >= after);
  },
  "calls once, no sooner than asked": async ({ clock, pass }) => {
    const start = clock.monotonic();
    const calls: number[] = [];
    clock.after(5, () => calls.push(clock.monotonic() - start));
    await pass(20);
    assert.equal(calls.length, 1);
    assert.ok((calls[0] ?? 0) >= 5, `called after ${calls[0]} ms`);
  },
  "never calls before `after` has returned": async ({ clock, pass }) => {
    let called = false;
    clock.after(0, () => {
      called = true;
    });
    assert.equal(called, false);
    await pass(5);
    assert.equal(called, true);
  },
  "comes to the next turn after everything that follows now, without any time": async ({ clock }) => {
    const order: string[] = [];
    const loopTurn = clock.nextLoopTurn().then(() => order.push("the next turn"));
    order.push("what follows now");
    await loopTurn;
    assert.deepEqual(order, ["what follows now", "the next turn"]);
  },
  "does not call what was cancelled": async ({ clock, pass }) => {
    let called = false;
    const cancel = clock.after(2, () => {
      called = true;
    });
    cancel();
    await pass(10);
    assert.equal(called, false);
  },
  "does nothing when cancelled late or twice": async ({ clock, pass }) => {
    let calls = 0;
    const cancel = clock.after(1, () => {
      calls += 1;
    });
    await pass(10);
    cancel();
    cancel();
    await pass(5);
    assert.equal(calls, 1);
  },
  "does not call early for a delay of months": async ({ clock, pass }) => {
    let called = false;
    const cancel = clock.after(100 * 24 * 3_600_000, () => {
      called = true;
    });
    await pass(5);
    cancel();
    assert.equal(called, false);
  },
};
