import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createByteBudget } from "../src/byte-budget.ts";

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** 64 MiB, of which 40 are for all, and 16 for an address. */
const scene = ({ waitMs = 8_000 } = {}) => {
  const budget = createByteBudget({ total: 64 * mebibyte, perAddress: 16 * mebibyte, waitMs });
  const log: string[] = [];
  /** Opens a body that takes all of its memory at once. */
  const take = (address: string, bytes: number, present = Math.min(bytes, 128 * kibibyte)) => {
    const body = budget.open(address);
    const room = body.take(bytes, present);
    if (room === undefined) log.push(`${address} has room`);
    void room?.then(
      () => log.push(`${address} has room`),
      () => log.push(`${address} is refused`),
    );
    return body;
  };
  return { budget, log, take };
};

const microtasks = () => new Promise((resolve) => setImmediate(resolve));

describe("a body that finds no room", () => {
  test("waits until enough is given back, and holds nothing meanwhile", async () => {
    const { budget, log, take } = scene();
    const first = ["a", "a", "a", "a"].map((address) => take(address, 4 * mebibyte));
    take("a", 4 * mebibyte);
    await microtasks();
    expect(log).toEqual(Array(4).fill("a has room"));
    expect(budget.held).toBe(16 * mebibyte);
    expect(budget.isAwaited).toBe(true);
    first[0]?.release();
    await microtasks();
    expect(log).toEqual(Array(5).fill("a has room"));
    expect(budget.isAwaited).toBe(false);
  });

  test("that has begun to come gives its part to others until it has room for all", async () => {
    const { budget, log, take } = scene();
    const others = [take("a", 4 * mebibyte), take("a", 4 * mebibyte), take("a", 4 * mebibyte)];
    // Four chunked bodies: what comes of them is small at first, and then is known not to be.
    const chunked = Array.from({ length: 4 }, () => take("a", 60 * kibibyte));
    for (const body of chunked) void body.take(5 * mebibyte, 128 * kibibyte)?.then(() => log.push("goes on"));
    expect(budget.held).toBe(12 * mebibyte);
    for (const body of others) body.release();
    await microtasks();
    expect(log.filter((each) => each === "goes on")).toHaveLength(3);
    chunked[0]?.release();
    await microtasks();
    expect(log.filter((each) => each === "goes on")).toHaveLength(4);
  });

  test("is refused after its time, and then lets the next one go", async () => {
    const { log, take } = scene();
    take("a", 10 * mebibyte);
    take("a", 10 * mebibyte);
    vi.advanceTimersByTime(4_000);
    take("a", 6 * mebibyte);
    vi.advanceTimersByTime(3_999);
    await microtasks();
    expect(log).toEqual(["a has room"]);
    vi.advanceTimersByTime(1);
    await microtasks();
    expect(log.toSorted()).toEqual(["a has room", "a has room", "a is refused"]);
  });

  test("whose caller has gone waits no more", async () => {
    const { budget, log, take } = scene();
    const first = take("a", 16 * mebibyte);
    take("a", 10 * mebibyte).release();
    take("b", 1 * mebibyte);
    expect(budget.isAwaited).toBe(false);
    first.release();
    vi.advanceTimersByTime(10_000);
    await microtasks();
    expect(log).toEqual(["a has room", "b has room"]);
    expect(budget.held).toBe(1 * mebibyte);
  });

  test("is refused at once without a time to wait, and if it could never have room", () => {
    const { take } = scene({ waitMs: 0 });
    take("a", 16 * mebibyte);
    expect(() => take("a", 1 * mebibyte)).toThrow("Too many large requests");
    expect(() => scene().take("a", 17 * mebibyte)).toThrow("Too many large requests");
  });

  test("is refused at once when too many bytes wait, of its address or of all", () => {
    const { take } = scene();
    for (const address of ["a", "b", "c"]) take(address, address === "c" ? 8 * mebibyte : 16 * mebibyte);
    for (let n = 0; n < 64; n += 1) take("a", 5 * mebibyte);
    expect(() => take("a", 5 * mebibyte)).toThrow("Too many large requests");
    for (let n = 0; n < 64; n += 1) take("b", 5 * mebibyte);
    expect(() => take("c", 16 * mebibyte)).toThrow("Too many large requests");
  });
});

test("addresses that wait take turns, and small bodies do not wait for large ones", async () => {
  const { log, take } = scene();
  const others = [take("x", 16 * mebibyte), take("y", 16 * mebibyte), take("z", 8 * mebibyte)];
  for (let n = 0; n < 2; n += 1) take("a", 8 * mebibyte);
  take("b", 8 * mebibyte);
  log.length = 0;
  take("a", 64 * kibibyte);
  expect(log).toEqual(["a has room"]);
  others[0]?.release();
  await microtasks();
  expect(log.slice(1)).toEqual(["a has room", "b has room"]);
});

test("a long body is not overtaken for ever by shorter ones of others", async () => {
  const { log, take } = scene();
  const bodies = ["a", "b", "c"].map((address) => take(address, address === "c" ? 8 * mebibyte : 16 * mebibyte));
  take("d", 16 * mebibyte);
  take("e", 1 * mebibyte);
  log.length = 0;
  bodies[2]?.release();
  take("f", 1 * mebibyte);
  await microtasks();
  expect(log).toEqual([]);
  bodies[1]?.release();
  await microtasks();
  expect(log[0]).toBe("d has room");
});

test("an address that has proven itself uses the part that is kept for such", async () => {
  const { budget, log, take } = scene();
  take("a", 16 * mebibyte);
  take("a", 16 * mebibyte);
  budget.prove("a");
  await microtasks();
  expect(log).toEqual(["a has room", "a has room"]);
});

test("a body that asks for less than it has keeps what it has, and gives back no more", async () => {
  const { budget, take } = scene();
  budget.prove("a");
  take("a", 16 * mebibyte);
  // Its memory is in the part for proven senders.
  const body = take("a", 5 * mebibyte);
  expect(body.take(1 * mebibyte, 128 * kibibyte)).toBeUndefined();
  expect(budget.held).toBe(21 * mebibyte);
  body.release();
  expect(budget.held).toBe(16 * mebibyte);
});
