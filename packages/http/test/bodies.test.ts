import { describe, expect, test } from "vitest";
import { createBodyMemory, smallBytes } from "../src/admission/bodies.ts";

const large = 10 * smallBytes;
/** An eighth is kept for small bodies, a quarter for proven senders, and 50 units are left. */
const memoryOf = (waitMs = 1_000) => createBodyMemory({ total: 80 * smallBytes, perAddress: 30 * smallBytes, waitMs });

describe("the memory for bodies", () => {
  test("lets a body wait that finds no room, until others give theirs back", async () => {
    const memory = memoryOf();
    const held = [1, 2, 3].map(() => memory.take("a", large));
    const waits = memory.take("a", large);
    expect(waits).toBeInstanceOf(Promise);
    expect(memory.isAwaited).toBe(true);
    await Promise.all(held.map(async (share) => (await share).release()));
    (await waits).release();
    expect([memory.held, memory.isAwaited]).toEqual([0, false]);
  });

  test("keeps a part for small bodies, whatever large ones hold", () => {
    const memory = memoryOf();
    for (const address of ["a", "b"]) for (let n = 0; n < 3; n += 1) void memory.take(address, large);
    expect(memory.take("c", large)).toBeInstanceOf(Promise);
    expect(memory.take("c", smallBytes)).not.toBeInstanceOf(Promise);
  });

  test("keeps a part for addresses that have sent a webhook with a valid signature", () => {
    const memory = memoryOf();
    memory.prove("sender");
    for (const address of ["a", "b"]) for (let n = 0; n < 3; n += 1) void memory.take(address, large);
    expect(memory.take("stranger", large)).toBeInstanceOf(Promise);
    expect(memory.take("sender", large)).not.toBeInstanceOf(Promise);
  });

  test("refuses what could never fit, and everything that would have to wait if none may", () => {
    expect(() => memoryOf().take("a", memoryOf().most + 1)).toThrow("Too many large requests");
    const memory = memoryOf(0);
    for (let n = 0; n < 3; n += 1) void memory.take("a", large);
    expect(() => memory.take("a", large)).toThrow("Too many large requests");
  });

  test("refuses a body that has waited for too long", async () => {
    const memory = memoryOf(20);
    for (let n = 0; n < 3; n += 1) void memory.take("a", large);
    await expect(memory.take("a", large)).rejects.toThrow("Too many large requests");
    expect(memory.isAwaited).toBe(false);
  });
});
