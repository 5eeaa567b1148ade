import { expect, test } from "vitest";
import { RunStop } from "../src/jobs/run-context.ts";

test("a signal that is asked for after the stop is aborted, with the reason", () => {
  const stop = new RunStop();
  stop.stop("shutdown");
  expect(stop.signal.aborted).toBe(true);
  expect(stop.signal.reason).toBe("shutdown");
});

test("a signal that is asked for before is aborted with the stop, and stays the same object", () => {
  const stop = new RunStop();
  const { signal } = stop;
  const told: unknown[] = [];
  stop.onStop(() => told.push("run"));
  signal.addEventListener("abort", () => told.push(signal.reason));
  expect(signal.aborted).toBe(false);
  stop.stop("cancelled");
  expect(told).toEqual(["run", "cancelled"]);
  expect(stop.signal).toBe(signal);
});

test("only the first reason counts, and the run hears of it once", () => {
  const stop = new RunStop();
  let times = 0;
  stop.onStop(() => {
    times += 1;
  });
  stop.stop("timeout");
  stop.stop("shutdown");
  expect(stop.reason).toBe("timeout");
  expect(stop.signal.reason).toBe("timeout");
  expect(times).toBe(1);
});
