import { memoryTelemetry } from "@postern/core/memory";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createRate, createWaste } from "../src/admission/rate.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const times = (count: number, run: () => unknown): void => {
  for (let n = 0; n < count; n += 1) run();
};

describe("a rate", () => {
  test("allows a minute's worth at once, then as much as has been paid off", () => {
    const rate = createRate(60, () => undefined);
    times(59, () => rate.note("a"));
    expect(rate.isBeyond("a")).toBe(false);
    expect([rate.note("a"), rate.isBeyond("a"), rate.note("a"), rate.isBeyond("b")]).toEqual([
      false,
      true,
      true,
      false,
    ]);
    vi.advanceTimersByTime(3_000);
    expect([rate.note("a"), rate.note("a"), rate.note("a")]).toEqual([false, false, true]);
  });

  test("forgives everything within two minutes, however much it was", () => {
    const rate = createRate(60, () => undefined);
    times(10_000, () => rate.note("a"));
    vi.advanceTimersByTime(61_000);
    expect(rate.isBeyond("a")).toBe(false);
    vi.advanceTimersByTime(60_000);
    times(59, () => expect(rate.note("a")).toBe(false));
  });

  test("tells once a minute what was beyond it", () => {
    const reported: [string, number][] = [];
    const rate = createRate(60, (address, count) => reported.push([address, count]));
    times(100, () => rate.note("a"));
    times(10, () => rate.note("b"));
    vi.advanceTimersByTime(60_000);
    expect(reported).toEqual([["a", 40]]);
    vi.advanceTimersByTime(180_000);
    expect([reported.length, vi.getTimerCount()]).toEqual([1, 0]);
  });

  test("remembers a bounded number of addresses; the others share one debt", () => {
    const rate = createRate(2, () => undefined);
    times(10_000, () => rate.note(`known ${Math.random()}`));
    expect(["x", "y", "z"].map((address) => rate.note(address))).toEqual([false, false, true]);
    // Nobody is held up for what others did.
    expect(rate.isBeyond("w")).toBe(false);
  });
});

describe("waste", () => {
  test.each([
    ["unanswered", 300],
    ["left", 3_000],
    ["smallChunk", 6_000],
    ["pipelined", 3],
  ] as const)("%s: has an address in debt beyond its number, and no other", (kind, most) => {
    const telemetry = memoryTelemetry();
    const waste = createWaste({ telemetry });
    times(most - Math.ceil(most / 50), () => waste.note("a", kind));
    expect(waste.isInDebt("a")).toBe(false);
    times(Math.ceil(most / 25), () => waste.note("a", kind));
    expect([waste.isInDebt("a"), waste.isInDebt("b")]).toEqual([true, false]);
    vi.advanceTimersByTime(120_000);
    expect(waste.isInDebt("a")).toBe(false);
  });

  test("two connections a minute with too many pipelined requests cost nothing else", () => {
    const waste = createWaste({ telemetry: memoryTelemetry() });
    for (let minutes = 0; minutes < 5; minutes += 1) {
      times(2, () => waste.note("a", "pipelined"));
      times(290, () => waste.note("a", "unanswered"));
      expect(waste.isInDebt("a")).toBe(false);
      vi.advanceTimersByTime(60_000);
    }
  });
});
