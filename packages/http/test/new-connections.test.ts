import { memoryTelemetry } from "@postern/core/memory";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createMinuteCounts } from "../src/minute-counts.ts";
import { createNewConnections } from "../src/new-connections.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const scene = () => {
  const telemetry = memoryTelemetry();
  const refusals = createMinuteCounts(60, () => undefined);
  const denials = createMinuteCounts(60, () => undefined);
  const smallChunks = createMinuteCounts(1_000, () => undefined);
  const settings = { telemetry, maxUnansweredPerMinute: 10, maxNewConnectionsPerSecond: 100 };
  const newConnections = createNewConnections({ refusals, denials, smallChunks }, settings);
  const waste = (network: string, times: number): void => {
    for (let n = 0; n < times; n += 1) newConnections.noteUnanswered(network);
  };
  /** How many of `times` connections are accepted, all at the same moment. */
  const taken = (network: string, times: number): number =>
    Array.from({ length: times }, () => newConnections.admits(network)).filter(Boolean).length;
  return { newConnections, telemetry, refusals, denials, smallChunks, waste, taken };
};

test("an address whose connections are answered may open any number", () => {
  const { waste, taken } = scene();
  waste("192.0.2.1", 9);
  expect(taken("192.0.2.1", 5_000)).toBe(5_000);
});

test("ten times as many connections may be left while they wait as may end without an answer", () => {
  const { newConnections, taken } = scene();
  for (let n = 0; n < 99; n += 1) newConnections.noteLeft("192.0.2.1");
  expect(taken("192.0.2.1", 5_000)).toBe(5_000);
  newConnections.noteLeft("192.0.2.1");
  expect(taken("192.0.2.1", 500)).toBeLessThanOrEqual(100);
});

test("an address that wastes connections gets 100 a second, until the minute is over", () => {
  const { waste, taken } = scene();
  waste("192.0.2.1", 10);
  const perSecond = Array.from({ length: 10 }, () => {
    const count = taken("192.0.2.1", 500);
    vi.advanceTimersByTime(100);
    return count;
  });
  expect(perSecond).toEqual([40, 40, 20, 0, 0, 0, 0, 0, 0, 0]);
  expect(taken("192.0.2.1", 500)).toBe(40);
  expect(taken("192.0.2.9", 500)).toBe(500);
  vi.advanceTimersByTime(60_000);
  expect(taken("192.0.2.1", 500)).toBe(500);
});

test("many such addresses together get 40 in a tenth of a second", () => {
  const { refusals, taken } = scene();
  const networks = Array.from({ length: 8 }, (_, n) => `192.0.2.${n}`);
  for (const network of networks) for (let n = 0; n < 60; n += 1) refusals.note(network);
  const sum = () => networks.reduce((count, network) => count + taken(network, 10), 0);
  expect(sum()).toBe(40);
  expect(sum()).toBe(0);
  vi.advanceTimersByTime(100);
  expect(sum()).toBe(40);
});

test("addresses with too many small chunks get two a second, and eight together", () => {
  const { smallChunks, refusals, taken } = scene();
  const networks = Array.from({ length: 8 }, (_, n) => `192.0.2.${n}`);
  for (const network of networks) for (let n = 0; n < 1_000; n += 1) smallChunks.note(network);
  for (let n = 0; n < 60; n += 1) refusals.note("192.0.2.9");
  const each = () => networks.map((network) => taken(network, 10));
  expect(each()).toEqual([2, 2, 2, 2, 0, 0, 0, 0]);
  expect(each()).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  expect([taken("192.0.2.9", 500), taken("192.0.2.10", 500)]).toEqual([40, 500]);
  vi.advanceTimersByTime(1_000);
  expect(each()).toEqual([2, 2, 2, 2, 0, 0, 0, 0]);
});

test("one line a minute tells how many connections of an address were closed", () => {
  const { telemetry, waste, taken } = scene();
  waste("192.0.2.1", 10);
  waste("192.0.2.2", 10);
  taken("192.0.2.1", 500);
  vi.advanceTimersByTime(100);
  taken("192.0.2.2", 5);
  vi.advanceTimersByTime(60_000);
  expect(telemetry.entries.map(({ level, message, fields }) => [level, message, fields])).toEqual([
    ["warn", "connections closed at once", { address: "192.0.2.1", connections: 460 }],
  ]);
});

test("an address is not slowed down for what a crowd of others did, however many these are", () => {
  const { refusals, denials, smallChunks, waste, taken } = scene();
  for (let n = 0; n < 20_000; n += 1) {
    const network = `2001:db8:0:${n.toString(16)}::/64`;
    waste(network, 1);
    for (const counts of [refusals, denials, smallChunks]) counts.note(network);
  }
  expect(taken("192.0.2.1", 5_000)).toBe(5_000);
  // For the log they still are one.
  expect([denials.areMany("192.0.2.1"), denials.areManyOfItself("192.0.2.1")]).toEqual([true, false]);
});
