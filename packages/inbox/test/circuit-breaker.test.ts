import { virtualClock } from "@postern/core/memory";
import { expect, test } from "vitest";
import { createCircuitBreaker } from "../src/circuit-breaker.ts";

const limits = { failures: 3, firstWaitMs: 1_000, longestWaitMs: 4_000 };

const scene = () => {
  const clock = virtualClock();
  const circuit = createCircuitBreaker(clock, limits);
  const fail = (times: number) => {
    for (let n = 0; n < times; n += 1) if (circuit.tryCall()) circuit.failed();
  };
  return { clock, circuit, fail };
};

test("opens after some failures in a row, not after as many with a success between", () => {
  const { circuit, fail } = scene();
  fail(2);
  circuit.succeeded();
  fail(2);
  expect(circuit.state).toBe("closed");
  fail(1);
  expect(circuit.state).toBe("open");
  expect(circuit.tryCall()).toBe(false);
});

test("lets one call try after the wait, and closes when it works", async () => {
  const { clock, circuit, fail } = scene();
  fail(3);
  await clock.advance(999);
  expect(circuit.tryCall()).toBe(false);
  await clock.advance(1);
  expect(circuit.state).toBe("half-open");
  expect([circuit.tryCall(), circuit.tryCall()]).toEqual([true, false]);
  circuit.succeeded();
  expect([circuit.state, circuit.tryCall()]).toEqual(["closed", true]);
});

test("waits twice as long after each try that failed, up to the longest wait", async () => {
  const { clock, circuit, fail } = scene();
  fail(3);
  for (const wait of [1_000, 2_000, 4_000, 4_000]) {
    await clock.advance(wait - 1);
    expect(circuit.tryCall()).toBe(false);
    await clock.advance(1);
    fail(1);
  }
});

test("does not count calls that were under way when it opened", async () => {
  const { clock, circuit } = scene();
  for (let n = 0; n < 10; n += 1) expect(circuit.tryCall()).toBe(true);
  for (let n = 0; n < 10; n += 1) circuit.failed();
  await clock.advance(1_000);
  expect(circuit.state).toBe("half-open");
});

test("leaves a target alone for as long as it asked", async () => {
  const { clock, circuit } = scene();
  circuit.holdUntil(clock.monotonic() + 500);
  expect(circuit.tryCall()).toBe(false);
  await clock.advance(500);
  expect([circuit.tryCall(), circuit.tryCall()]).toEqual([true, true]);
});
