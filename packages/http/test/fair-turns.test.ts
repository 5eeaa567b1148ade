import { describe, expect, onTestFinished, test, vi } from "vitest";
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
  const connect = (network: string): (() => void) => {
    const begin = () => void begun.push(`${network} connects`);
    turns.connect(network, begin);
    return begin;
  };
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { turns, begun, request, connect, pass };
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

  test("begin less work in each turn for as long as nothing was begun because connections came", async () => {
    const { turns, begun, request, connect, pass } = scene();
    await request("a", 10);
    const rest = Promise.all(Array.from({ length: 40 }, () => request("a", 0.2)));
    for (let n = 0; n < 10; n += 1) {
      pass(20);
      connect("b");
      await nextTurn();
    }
    const before = begun.length;
    const perTurn: number[] = [];
    while (turns.waiting > 0) {
      connect("b");
      const before = begun.length;
      await nextTurn();
      perTurn.push(begun.length - before);
    }
    await rest;
    expect(begun.filter((network) => network === "a").length).toBe(41);
    expect(before).toBeLessThan(20);
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

describe("connections", () => {
  test("begin at once if they come alone", async () => {
    const { begun, connect } = scene();
    for (let n = 0; n < 3; n += 1) {
      connect("a");
      expect(begun.length).toBe(n + 1);
      await nextTurn();
      await nextTurn();
    }
  });

  test("wait while one comes in every turn, and so do requests", async () => {
    const { turns, begun, request, connect, pass } = scene();
    let requested: Promise<void> | undefined;
    for (let n = 0; n < 50; n += 1) {
      connect("greedy");
      if (n === 5) requested = request("modest", 1);
      await nextTurn();
      pass(1);
    }
    // The first one came alone, and the second one began in the turn after it.
    expect(begun.length).toBeLessThanOrEqual(2);
    expect(turns.waiting).toBe(1);
    await nextTurn();
    await requested;
    expect(begun).toContain("modest");
  });

  test("wait for 100 ms at most, and then begin for as long while others come", async () => {
    const { turns, begun, connect, pass } = scene();
    const begunAt: number[] = [];
    for (let n = 0; n < 300; n += 1) {
      connect("a");
      const before = begun.length;
      await nextTurn();
      if (begun.length > before) turns.noteFirstRequest();
      if (begun.length > before && n > 2) begunAt.push(n);
      pass(1);
    }
    expect(begunAt[0]).toBeGreaterThan(95);
    expect(begunAt[0]).toBeLessThan(106);
    const first = begunAt.filter((n) => n < 206);
    expect(first.length).toBeGreaterThan(90);
    expect(begunAt.filter((n) => n > 210 && n < 295)).toEqual([]);
  });

  test("of a burst begin in turns of their networks, and requests in between", async () => {
    const { begun, request, connect, turns } = scene();
    for (let n = 0; n < 20; n += 1) {
      connect("greedy");
      await nextTurn();
    }
    connect("modest");
    const requests = Promise.all(Array.from({ length: 5 }, () => request("other", 3)));
    const before = begun.length;
    while (turns.waiting > 0) await nextTurn();
    await requests;
    const order = begun.slice(before);
    expect(order.indexOf("modest connects")).toBeLessThanOrEqual(4);
    // Each request takes a whole turn, and a connection begins before the next one.
    expect(order.slice(0, 10).filter((name) => name === "other").length).toBeGreaterThanOrEqual(3);
    expect(order.slice(0, 10).filter((name) => name === "greedy connects").length).toBeGreaterThanOrEqual(3);
  });

  test("wait while 32 of them are silent, for 50 ms at most", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { turns, begun, connect, pass } = scene();
    for (let n = 0; n < 60; n += 1) {
      connect("a");
      await nextTurn();
    }
    for (let n = 0; n < 40; n += 1) await nextTurn();
    expect(begun.length).toBe(32);
    for (let n = 0; n < 5; n += 1) turns.noteFirstRequest();
    await vi.runOnlyPendingTimersAsync();
    for (let n = 0; n < 10; n += 1) await nextTurn();
    expect(begun.length).toBe(37);
    pass(50);
    await vi.runOnlyPendingTimersAsync();
    for (let n = 0; n < 30; n += 1) await nextTurn();
    expect(begun.length).toBe(60);
  });

  test("begin out of turn when their network has few left, and not once they are closed", async () => {
    const { turns, begun, connect } = scene();
    for (let n = 0; n < 5; n += 1) {
      connect("greedy");
      await nextTurn();
    }
    const closed = connect("modest");
    connect("other");
    turns.beginConnectionOf("other");
    turns.beginConnectionOf("nobody");
    expect(begun.at(-1)).toBe("other connects");
    turns.disconnect("modest", closed);
    for (let n = 0; n < 10; n += 1) await nextTurn();
    expect(begun).not.toContain("modest connects");
    expect(begun.filter((name) => name === "greedy connects").length).toBe(5);
  });
});

describe("health checks", () => {
  test("begin one in each turn of the event loop, and networks take turns", async () => {
    const { turns, begun } = scene();
    const check = async (network: string) => {
      await turns.enterHealthCheck(network);
      begun.push(network);
    };
    expect(turns.enterHealthCheck("greedy")).toBeUndefined();
    const all = [...Array.from({ length: 8 }, () => check("greedy")), check("probe")];
    expect(begun).toEqual([]);
    const order: string[][] = [];
    for (let n = 0; n < 9; n += 1) {
      await nextTurn();
      order.push(begun.splice(0));
    }
    await Promise.all(all);
    expect(order.map(({ length }) => length)).toEqual(new Array(9).fill(1));
    expect(order.flat().indexOf("probe")).toBeLessThan(2);
    await nextTurn();
    expect(turns.enterHealthCheck("greedy")).toBeUndefined();
  });

  test("come before requests that wait, also while connections come in every turn", async () => {
    const { turns, request, connect, pass } = scene();
    const requests = Promise.all(Array.from({ length: 50 }, () => request("busy", 3)));
    for (let n = 0; n < 10; n += 1) {
      pass(3);
      connect("newcomer");
      await nextTurn();
      expect(turns.enterHealthCheck("probe")).toBeUndefined();
    }
    expect(turns.waiting).toBeGreaterThan(20);
    while (turns.waiting > 0) await nextTurn();
    await requests;
  });

  test("leave the turns to requests, however many wait", async () => {
    const { turns, begun, request } = scene();
    void turns.enterHealthCheck("greedy");
    for (let n = 0; n < 100; n += 1) void turns.enterHealthCheck("greedy");
    for (let n = 0; n < 20; n += 1) {
      const before = begun.length;
      void request("modest", 0.1);
      await nextTurn();
      expect(begun.length).toBe(before + 1);
    }
  });
});
