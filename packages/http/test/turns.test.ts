import { describe, expect, test } from "vitest";
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
