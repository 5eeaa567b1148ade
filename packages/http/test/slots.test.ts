import { describe, expect, test } from "vitest";
import { createSlots } from "../src/slots.ts";

const nobody = { ofAll: 0, ofNetwork: 0, networks: 0 };

/** Two slots, both for any network, on a clock that stands still unless the test advances it. */
const scene = ({ maxSlotWaitMs = 250, maxInFlight = 2, maxInFlightPerAddress = 2 } = {}) => {
  const clock = { ms: 0 };
  const slots = createSlots({ maxInFlight, maxInFlightPerAddress, maxSlotWaitMs }, () => clock.ms);
  const begun: string[] = [];
  const take = (network: string) => {
    const free = slots.take(network);
    if (free === undefined) begun.push(network);
    else void free.then(() => begun.push(network));
  };
  const answer = (network: string, times: number) => {
    for (let index = 0; index < times; index += 1) {
      void slots.take(network);
      slots.release(network);
    }
  };
  return { clock, slots, begun, take, answer };
};

describe("a request that finds all slots taken", () => {
  test("waits while requests are answered fast enough, and is refused once they are not", () => {
    const { clock, slots, answer, take } = scene();
    answer("a", 100);
    take("a");
    take("a");
    expect(slots.areTaken("a", nobody)).toBe(false);
    clock.ms = 10_000;
    expect(slots.areTaken("a", nobody)).toBe(true);
  });

  test("counts only time with requests: a pause does not make answers look slow", () => {
    const { clock, slots, answer, take } = scene();
    answer("a", 100);
    clock.ms = 60_000;
    take("a");
    take("a");
    expect(slots.areTaken("a", nobody)).toBe(false);
    clock.ms += 10_000;
    expect(slots.areTaken("a", nobody)).toBe(true);
  });

  test("is refused when so many requests are before it that it would wait for too long", () => {
    const { slots, answer, take } = scene();
    // About 277 a second, so 69 wait for at most 250 ms.
    answer("a", 100);
    take("a");
    take("a");
    expect(slots.areTaken("a", { ofAll: 68, ofNetwork: 68, networks: 1 })).toBe(false);
    expect(slots.areTaken("a", { ofAll: 69, ofNetwork: 69, networks: 1 })).toBe(true);
    // Networks take turns, so another network waits only for its own part.
    expect(slots.areTaken("b", { ofAll: 69, ofNetwork: 0, networks: 1 })).toBe(false);
  });

  test("gets a free slot even if others wait for slots that they may not have", () => {
    const { slots, take } = scene({ maxInFlight: 9, maxInFlightPerAddress: 4, maxSlotWaitMs: 0 });
    for (let index = 0; index < 20; index += 1) take("greedy");
    // Four are held by one network, whose others wait. Five are free.
    expect(slots.requests).toBe(20);
    expect(slots.areTaken("greedy", nobody)).toBe(true);
    expect(slots.areTaken("modest", nobody)).toBe(false);
    // Half of the free slots are for each of the two networks that wait.
    expect(slots.areTaken("modest", { ofAll: 30, ofNetwork: 1, networks: 1 })).toBe(false);
    expect(slots.areTaken("modest", { ofAll: 30, ofNetwork: 2, networks: 1 })).toBe(true);
  });

  test("is refused before the first answer, and if no request may wait", () => {
    const fresh = scene();
    fresh.take("a");
    fresh.take("a");
    expect(fresh.slots.areTaken("b", nobody)).toBe(true);
    const never = scene({ maxSlotWaitMs: 0 });
    never.answer("a", 1_000);
    never.take("a");
    expect(never.slots.areTaken("a", nobody)).toBe(false);
    never.take("a");
    expect(never.slots.areTaken("a", nobody)).toBe(true);
  });

  test("waits for the answers of its own network if that holds its share: others free no slot for it", () => {
    const { slots, answer, take } = scene({ maxInFlight: 4, maxInFlightPerAddress: 1 });
    answer("fast", 1_000);
    take("slow");
    expect(slots.areTaken("slow", nobody)).toBe(true);
    expect(slots.areTaken("fast", nobody)).toBe(false);
  });

  test("gets the slot that is given back; networks take turns", async () => {
    const { slots, begun, take } = scene();
    for (const network of ["a", "a", "a", "a", "b"]) take(network);
    expect([begun, slots.requests]).toEqual([["a", "a"], 5]);
    slots.release("a");
    slots.release("a");
    await Promise.resolve();
    expect(begun).toEqual(["a", "a", "a", "b"]);
    slots.release("a");
    slots.release("b");
    await Promise.resolve();
    expect(begun).toEqual(["a", "a", "a", "b", "a"]);
    slots.release("a");
    expect(slots.requests).toBe(0);
  });

  test("leaves its turn to others while its own network holds its share", async () => {
    const { slots, begun, take } = scene({ maxInFlight: 2, maxInFlightPerAddress: 1 });
    for (const network of ["a", "a", "b", "b"]) take(network);
    slots.release(begun.at(-1) ?? "");
    await Promise.resolve();
    // One of two is free, and a network that already holds one leaves it to a newcomer.
    expect(begun.filter((network) => network === "a").length).toBe(1);
  });
});
