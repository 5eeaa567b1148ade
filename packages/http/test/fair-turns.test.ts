import { describe, expect, test } from "vitest";
import { createFairTurns } from "../src/node/fair-turns.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Turns on a clock that advances only while a request works. */
const scene = () => {
  let nowMs = 0;
  const turns = createFairTurns(() => nowMs);
  const begun: string[] = [];
  const request = async (network: string, workMs: number) => {
    await turns.enter(network, true);
    begun.push(network);
    nowMs += workMs;
  };
  return { turns, begun, request };
};

/** How many requests begin in each turn until none waits. */
const countPerTurn = async ({ turns, begun }: Pick<ReturnType<typeof scene>, "turns" | "begun">) => {
  const perTurn: number[] = [];
  while (turns.waiting > 0) {
    const before = begun.length;
    await nextTurn();
    perTurn.push(begun.length - before);
  }
  return perTurn;
};

describe("turns of the event loop", () => {
  test("begin requests at once while they take less than 2 ms together", async () => {
    const { turns, begun, request } = scene();
    for (let index = 0; index < 9; index += 1) await request("a", 0.2);
    expect(begun.length).toBe(9);
    expect(turns.waiting).toBe(0);
  });

  test("leave the rest for later turns, in each of which 2 ms of it begin", async () => {
    const { turns, begun, request } = scene();
    await request("a", 10);
    const rest = Promise.all(Array.from({ length: 25 }, () => request("a", 1)));
    expect([begun.length, turns.waiting, turns.wantSlotOf("a")]).toEqual([1, 25, 25]);
    const perTurn = await countPerTurn({ turns, begun });
    await rest;
    expect(begun.length).toBe(26);
    // One or two requests may begin while the last ones are still working.
    for (const count of perTurn) expect(count).toBeLessThanOrEqual(4);
  });

  test("begin less work in each turn while connections come, of which a turn takes one", async () => {
    const { turns, begun, request } = scene();
    await request("a", 10);
    const rest = Promise.all(Array.from({ length: 40 }, () => request("a", 0.2)));
    const perTurn: number[] = [];
    while (turns.waiting > 0) {
      turns.shorten();
      const before = begun.length;
      await nextTurn();
      perTurn.push(begun.length - before);
    }
    await rest;
    expect(begun.length).toBe(41);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(4);
  });

  test("begin fewer requests after turns that took long, even if the work comes later", async () => {
    let nowMs = 0;
    const turns = createFairTurns(() => nowMs);
    let begun = 0;
    const requests = Array.from({ length: 200 }, async () => {
      await turns.enter("a", true);
      begun += 1;
      // The body comes before the next turn, and the work with it.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      nowMs += 5;
    });
    const perTurn: number[] = [];
    while (begun < requests.length) {
      const before = begun;
      await nextTurn();
      perTurn.push(begun - before);
    }
    await Promise.all(requests);
    // The first turn, and perhaps the one after it.
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(20);
    for (const count of perTurn.slice(4)) expect(count).toBeLessThanOrEqual(8);
  });

  test("begin many requests in a turn once they turn out to be small", async () => {
    const { turns, begun, request } = scene();
    await request("a", 0.002);
    const rest = Promise.all(Array.from({ length: 600 }, () => request("a", 0.002)));
    const perTurn = await countPerTurn({ turns, begun });
    await rest;
    expect(perTurn.length).toBeLessThanOrEqual(7);
  });

  test("take one of each network after the other, however many one of them has", async () => {
    const { begun, request } = scene();
    await request("first", 10);
    const waiting = [...Array.from({ length: 50 }, () => request("greedy", 1)), request("modest", 1)];
    await Promise.all(waiting);
    expect(begun.indexOf("modest")).toBeLessThanOrEqual(3);
  });

  test("let a network that sends large bodies begin fewer requests than another", async () => {
    const { turns, begun, request } = scene();
    await request("first", 10);
    const large = async () => {
      await request("large", 1);
      turns.noteBytes("large", 64 * 1024);
    };
    await Promise.all(Array.from({ length: 30 }, () => [large(), request("modest", 1)]).flat());
    const modestOnes = begun.slice(0, 31).filter((network) => network === "modest");
    expect(modestOnes.length).toBeGreaterThanOrEqual(20);
  });

  test("let a network whose requests are refused begin fewer requests than another", async () => {
    const { turns, begun, request } = scene();
    await request("first", 10);
    const refused = async () => {
      await request("refused", 1);
      turns.noteRefused("refused");
    };
    await Promise.all(Array.from({ length: 30 }, () => [refused(), request("modest", 1)]).flat());
    const modestOnes = begun.slice(0, 31).filter((network) => network === "modest");
    expect(modestOnes.length).toBeGreaterThanOrEqual(20);
  });

  test("begin the next request at once when nothing waits any more", async () => {
    const { turns, request } = scene();
    await request("a", 10);
    await request("a", 1);
    await nextTurn();
    await nextTurn();
    expect(turns.enter("b", true)).toBeUndefined();
  });

  test("tell how many waiting requests want a slot", async () => {
    const { turns, request } = scene();
    await request("a", 10);
    void turns.enter("a", false);
    void turns.enter("a", true);
    void turns.enter("b", true);
    expect([turns.waiting, turns.wantSlot, turns.wantSlotOf("a"), turns.wantSlotOf("c")]).toEqual([3, 2, 1, 0]);
    await nextTurn();
    await nextTurn();
    expect([turns.waiting, turns.wantSlot, turns.wantSlotOf("a")]).toEqual([0, 0, 0]);
  });
});
