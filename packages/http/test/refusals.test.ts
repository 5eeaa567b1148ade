import { memoryTelemetry } from "@postern/core/memory";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createRefusals } from "../src/refusals.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const scene = () => {
  const telemetry = memoryTelemetry();
  const refusals = createRefusals({ telemetry, maxRefusedPerMinute: 60 });
  const refuse = (network: string, times: number): void => {
    for (let n = 0; n < times; n += 1) refusals.note(network);
  };
  const lines = () => telemetry.entries.map(({ level, message, fields }) => [level, message, fields]);
  return { refusals, refuse, lines };
};

test("when the minute is over, one line has the sum of an address with many forged webhooks", () => {
  const { refuse, lines } = scene();
  refuse("192.0.2.1", 14_722);
  refuse("192.0.2.2", 60);
  vi.advanceTimersByTime(59_999);
  expect(lines()).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(lines()).toEqual([["warn", "webhooks refused", { address: "192.0.2.1", refused: 14_722 }]]);
});

test("each minute of an address counts anew", () => {
  const { refusals, refuse, lines } = scene();
  refuse("192.0.2.1", 61);
  expect(refusals.areMany("192.0.2.1")).toBe(true);
  vi.advanceTimersByTime(60_000);
  expect(refusals.areMany("192.0.2.1")).toBe(false);
  refuse("192.0.2.1", 70);
  vi.advanceTimersByTime(60_000);
  expect(lines().map(([, , fields]) => fields)).toEqual([
    { address: "192.0.2.1", refused: 61 },
    { address: "192.0.2.1", refused: 70 },
  ]);
});
