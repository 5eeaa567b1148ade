import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createTurns } from "../src/admission/turns.ts";

/** Turns on a clock that moves only when a request works. */
const scene = () => {
  let nowMs = 0;
  const turns = createTurns(() => nowMs);
  const begun: string[] = [];
  const request = async (network: string, workMs = 0.1): Promise<void> => {
    const turn = turns.begin(network);
    if (turn !== undefined) await turn;
    begun.push(network);
    nowMs += workMs;
  };
  return { turns, begun, request };
};

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe("requests", () => {
  test("begin at once while there is time in this turn of the event loop", () => {
    const { begun, request } = scene();
    for (let n = 0; n < 5; n += 1) void request("a");
    expect(begun).toHaveLength(5);
  });

  test("begin for 2 ms in a turn, and at most 16 of them", async () => {
    const { begun, request } = scene();
    for (let n = 0; n < 6; n += 1) void request("a", 1);
    expect(begun).toHaveLength(2);
    await nextTurn();
    expect(begun).toHaveLength(4);
    for (let n = 0; n < 60; n += 1) void request("b", 0);
    await nextTurn();
    await nextTurn();
    expect(begun.length).toBeLessThanOrEqual(4 + 32);
    for (let n = 0; n < 6; n += 1) await nextTurn();
    expect(begun).toHaveLength(66);
  });

  test("of waiting networks take turns", async () => {
    const { begun, request } = scene();
    for (let n = 0; n < 4; n += 1) void request("a", 2);
    void request("b", 2);
    for (let n = 0; n < 6; n += 1) await nextTurn();
    expect(begun).toEqual(["a", "a", "b", "a", "a"]);
  });

  test("of a network that made much work let those of others go first", async () => {
    const { turns, begun, request } = scene();
    void request("z", 2);
    for (let n = 0; n < 2; n += 1) void request("a", 2);
    for (let n = 0; n < 3; n += 1) void request("b", 2);
    turns.charge("a", 3 * 16 * 1024);
    for (let n = 0; n < 8; n += 1) await nextTurn();
    expect(begun).toEqual(["z", "b", "b", "b", "a", "a"]);
  });
});

test("one health check begins in each turn, before requests that wait", async () => {
  const { turns, begun, request } = scene();
  for (let n = 0; n < 4; n += 1) void request("a", 2);
  expect(turns.beginHealthCheck("probe")).toBeUndefined();
  const second = turns.beginHealthCheck("probe");
  const third = turns.beginHealthCheck("probe");
  let checks = 0;
  for (const check of [second, third]) void check?.then(() => (checks += 1));
  await nextTurn();
  expect([checks, begun.length]).toEqual([1, 2]);
  await nextTurn();
  expect(checks).toBe(2);
});

describe("long work", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("leaves as much time to others as it took", async () => {
    let workedMs = 0;
    const turns = createTurns(() => performance.now() + workedMs);
    const begunMs: number[] = [];
    const work = () => {
      begunMs.push(performance.now());
      workedMs += 10;
    };
    const all = [turns.long("a", work), turns.long("a", work), turns.long("b", work)];
    for (let n = 0; n < 40; n += 1) await vi.advanceTimersByTimeAsync(1);
    await Promise.all(all);
    const [first = 0, second = 0, third = 0] = begunMs;
    expect(second - first).toBeGreaterThanOrEqual(10);
    expect(third - second).toBeGreaterThanOrEqual(10);
    expect(third - first).toBeLessThan(30);
  });

  test("goes on after a pause before other work of its network", async () => {
    const turns = createTurns(() => performance.now());
    const steps: string[] = [];
    const first = turns.long("a", async (pause) => {
      steps.push("first");
      await pause();
      steps.push("rest of the first");
    });
    const second = turns.long("a", () => void steps.push("second"));
    for (let n = 0; n < 20; n += 1) await vi.advanceTimersByTimeAsync(1);
    await Promise.all([first, second]);
    expect(steps).toEqual(["first", "rest of the first", "second"]);
  });

  test("that fails rejects, and others follow", async () => {
    const turns = createTurns(() => performance.now());
    const failed = turns.long("a", () => Promise.reject(new Error("broken")));
    const next = turns.long("b", () => 1);
    await expect(failed).rejects.toThrow("broken");
    for (let n = 0; n < 20; n += 1) await vi.advanceTimersByTimeAsync(1);
    expect(await next).toBe(1);
  });
});
