import { describe, expect, test } from "vitest";
import { createFairTurns } from "../src/node/fair-turns.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Turns on a clock that only goes on when a request works. */
const scene = () => {
  let nowMs = 0;
  const turns = createFairTurns(() => nowMs);
  const begun: string[] = [];
  const request = async (network: string, workMs: number) => {
    await turns.enter(network);
    begun.push(network);
    nowMs += workMs;
  };
  return { turns, begun, request };
};

describe("turns of the event loop", () => {
  test("begin requests at once while they take less than 10 ms together", async () => {
    const { turns, begun, request } = scene();
    for (let index = 0; index < 9; index += 1) await request("a", 1);
    expect(begun.length).toBe(9);
    expect(turns.waiting).toBe(0);
  });

  test("leave the rest for later turns, in each of which 10 ms of it begin", async () => {
    const { turns, begun, request } = scene();
    await request("a", 10);
    const rest = Promise.all(Array.from({ length: 25 }, () => request("a", 1)));
    expect([begun.length, turns.waiting, turns.waitingOf("a")]).toEqual([1, 25, 25]);
    const perTurn: number[] = [];
    while (turns.waiting > 0) {
      const before = begun.length;
      await nextTurn();
      perTurn.push(begun.length - before);
    }
    await rest;
    expect(begun.length).toBe(26);
    // A request or two may begin while the last ones are still at work.
    for (const count of perTurn) expect(count).toBeLessThanOrEqual(13);
  });

  test("take one of each network after the other, however many one of them has", async () => {
    const { begun, request } = scene();
    await request("first", 10);
    const waiting = [...Array.from({ length: 50 }, () => request("greedy", 1)), request("modest", 1)];
    await Promise.all(waiting);
    expect(begun.indexOf("modest")).toBeLessThanOrEqual(3);
  });

  test("begin the next request at once when nothing waits any more", async () => {
    const { turns, request } = scene();
    await request("a", 10);
    await request("a", 1);
    await nextTurn();
    await nextTurn();
    expect(turns.enter("b")).toBeUndefined();
  });
});
