import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { uuidV7Source } from "../../src/ids/uuid-v7.ts";
import { seededRandomness, virtualClock } from "../../src/memory/small-ports.ts";
import type { Randomness } from "../../src/ports/randomness.ts";
import { uuidV7Form } from "../../src/testing/ids-contract.ts";

const timeOf = (id: string): number => Number.parseInt(id.replace("-", "").slice(0, 12), 16);

/** Gives the same byte throughout. */
const constant = (byte: number): Randomness => ({
  bytes: (length) => new Uint8Array(length).fill(byte),
  fraction: () => 0,
});

describe("uuidV7Source", () => {
  test("writes time, version, counter, variant and random tail where RFC 9562 wants them", () => {
    const clock = virtualClock(0x017f22e279b0);
    expect(uuidV7Source({ clock, randomness: constant(0) }).uuid()).toBe("017f22e2-79b0-7000-8000-000000000000");
    // The counter starts with its highest bit clear: 0x1ff_ffffffff of 42 bits.
    expect(uuidV7Source({ clock, randomness: constant(0xff) }).uuid()).toBe("017f22e2-79b0-77ff-bfff-ffffffffffff");
  });

  test("increases whatever the clock does, in one spelling, never behind its clock", () => {
    const steps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: -(2 ** 40), max: 2 ** 40 })), { maxLength: 200 });
    fc.assert(
      fc.property(steps, fc.integer(), (jumps, seed) => {
        const clock = virtualClock(2 ** 41);
        const ids = uuidV7Source({ clock, randomness: seededRandomness(seed) });
        let previous = "";
        for (const jump of jumps) {
          clock.jump(jump);
          const id = ids.uuid();
          expect(id).toMatch(uuidV7Form);
          expect(id > previous).toBe(true);
          expect(timeOf(id)).toBeGreaterThanOrEqual(Math.max(0, clock.now()));
          previous = id;
        }
      }),
    );
  });

  test("carries the counter from rand_b into rand_a", () => {
    // 0x3f_ffffffff: the lower 30 bits of the counter are full, the next id must carry.
    const bytes = [0x00, 0x3f, 0xff, 0xff, 0xff, 0xff];
    const randomness: Randomness = {
      bytes: (length) => (length === 6 ? Uint8Array.from(bytes) : new Uint8Array(length)),
      fraction: () => 0,
    };
    const ids = uuidV7Source({ clock: virtualClock(1), randomness });
    expect(ids.uuid()).toBe("00000000-0001-70ff-bfff-ffff00000000");
    expect(ids.uuid()).toBe("00000000-0001-7100-8000-000000000000");
  });

  test("makes different ids in two instances within one millisecond", () => {
    const clock = virtualClock();
    const one = uuidV7Source({ clock, randomness: seededRandomness(1) });
    const two = uuidV7Source({ clock, randomness: seededRandomness(2) });
    const made = new Set(Array.from({ length: 1_000 }, () => [one.uuid(), two.uuid()]).flat());
    expect(made.size).toBe(2_000);
  });
});
