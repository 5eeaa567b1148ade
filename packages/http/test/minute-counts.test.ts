import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createMinuteCounts } from "../src/minute-counts.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const scene = () => {
  const reports: [address: string, times: number][] = [];
  const counts = createMinuteCounts(60, (address, times) => reports.push([address, times]));
  const note = (network: string, times: number): void => {
    for (let n = 0; n < times; n += 1) counts.note(network);
  };
  return { counts, note, reports };
};

test("when the minute is over, one report has the total of an address beyond its number", () => {
  const { note, reports } = scene();
  note("192.0.2.1", 14_722);
  note("192.0.2.2", 60);
  vi.advanceTimersByTime(59_999);
  expect(reports).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(reports).toEqual([["192.0.2.1", 14_722]]);
});

test("each minute of an address begins to count at zero", () => {
  const { counts, note, reports } = scene();
  note("192.0.2.1", 61);
  expect(counts.areMany("192.0.2.1")).toBe(true);
  vi.advanceTimersByTime(60_000);
  expect(counts.areMany("192.0.2.1")).toBe(false);
  note("192.0.2.1", 70);
  vi.advanceTimersByTime(60_000);
  expect(reports).toEqual([
    ["192.0.2.1", 61],
    ["192.0.2.1", 70],
  ]);
});
