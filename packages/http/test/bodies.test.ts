import { describe, expect, test } from "vitest";
import { type BodyMemory, createBodyMemory, smallBytes } from "../src/admission/memory.ts";

const large = 10 * smallBytes;
/** An eighth is kept for small bodies, a quarter for proven senders, and 50 units are left. */
const memoryOf = (waitMs = 1_000) => createBodyMemory({ total: 80 * smallBytes, perAddress: 30 * smallBytes, waitMs });

/** Five large bodies, which are all that fit. */
const fill = (memory: BodyMemory): void => {
  for (const address of ["a", "a", "a", "b", "b"]) expect(memory.take(address, large)).not.toBeInstanceOf(Promise);
};

/** Whether a body waits. One that does is refused in the end, and nobody listens here. */
const doesWait = (taken: ReturnType<BodyMemory["take"]>): boolean => {
  if (!(taken instanceof Promise)) return false;
  taken.catch(() => undefined);
  return true;
};

describe("the memory for bodies", () => {
  test("lets a body wait that finds no room, until others give theirs back", async () => {
    const memory = memoryOf();
    const held = [1, 2, 3].map(() => memory.take("a", large));
    const waits = memory.take("a", large);
    expect(waits).toBeInstanceOf(Promise);
    await Promise.all(held.map(async (share) => (await share).release()));
    (await waits).release();
    expect(memory.held).toBe(0);
  });

  test("keeps a part for small bodies, whatever large ones hold", () => {
    const memory = memoryOf();
    fill(memory);
    expect(doesWait(memory.take("c", large))).toBe(true);
    expect(doesWait(memory.take("c", smallBytes))).toBe(false);
  });

  test("keeps a part for addresses that have sent a webhook with a valid signature", () => {
    const memory = memoryOf();
    memory.prove("sender");
    fill(memory);
    expect(doesWait(memory.take("stranger", large))).toBe(true);
    expect(doesWait(memory.take("sender", large))).toBe(false);
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
  });
});
