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
  return { clock, slots, begun, take };
};

describe("a request that finds all slots taken", () => {
  test("waits, unless one of its network waits for too long", () => {
    const { clock, slots, take } = scene();
    for (let index = 0; index < 600; index += 1) take("a");
    expect(slots.areTaken("a", nobody)).toBe(false);
    clock.ms = 200;
    take("b");
    clock.ms = 250;
    expect(slots.areTaken("a", nobody)).toBe(true);
    expect(slots.areTaken("b", nobody)).toBe(false);
    clock.ms = 450;
    expect(slots.areTaken("b", nobody)).toBe(true);
    expect(slots.areTaken("c", nobody)).toBe(false);
  });

  test("waits again once those of its network that waited for long have a slot", () => {
    const { clock, slots, take } = scene({ maxInFlight: 1, maxInFlightPerAddress: 1 });
    take("a");
    take("a");
    clock.ms = 250;
    expect(slots.areTaken("a", nobody)).toBe(true);
    slots.release("a");
    expect(slots.areTaken("a", nobody)).toBe(false);
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

  test("is refused if no request may wait", () => {
    const { slots, take } = scene({ maxSlotWaitMs: 0 });
    take("a");
    expect(slots.areTaken("a", nobody)).toBe(false);
    take("a");
    expect(slots.areTaken("a", nobody)).toBe(true);
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
