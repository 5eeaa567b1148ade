import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gcra } from "../../src/rate-limit/gcra.ts";

const start = 1_767_225_600_000;

const limits = fc
  .tuple(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 3_600_000 }))
  .filter(([limit, windowMs]) => limit <= windowMs * 10);
const gaps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 10_000 })), { maxLength: 300 });

describe("gcra", () => {
  test("allows exactly the limit at once", () => {
    fc.assert(
      fc.property(limits, fc.integer({ min: 0, max: 4e12 }), ([limit, windowMs], now) => {
        let tat: number | undefined;
        for (let use = 1; use <= limit; use++) {
          const step = gcra(tat, { key: "k", limit, windowMs, now });
          expect(step.decision).toMatchObject({ allowed: true, remaining: limit - use, retryAfterMs: 0 });
          tat = step.tat;
        }
        expect(gcra(tat, { key: "k", limit, windowMs, now }).decision).toMatchObject({ allowed: false, remaining: 0 });
      }),
    );
  });

  test("keeps to the long-term rate: never more than the burst plus one use per interval", () => {
    fc.assert(
      fc.property(limits, gaps, ([limit, windowMs], waits) => {
        let tat: number | undefined;
        let now = start;
        let allowed = 0;
        for (const wait of waits) {
          now += wait;
          const step = gcra(tat, { key: "k", limit, windowMs, now });
          if (step.decision.allowed) allowed += 1;
          tat = step.tat;
        }
        const intervalMs = Math.round((windowMs * 1000) / limit) / 1000;
        expect(allowed).toBeLessThanOrEqual(limit + Math.floor((now - start) / intervalMs + 1e-9));
      }),
    );
  });

  test("means what it says: a use after `retryAfterMs` is allowed, one a millisecond earlier is not", () => {
    fc.assert(
      fc.property(limits, gaps, ([limit, windowMs], waits) => {
        let tat: number | undefined;
        let now = start;
        for (const wait of waits) {
          now += wait;
          const step = gcra(tat, { key: "k", limit, windowMs, now });
          const { allowed, retryAfterMs, resetMs } = step.decision;
          expect(allowed).toBe(retryAfterMs === 0);
          if (!allowed) {
            expect(gcra(step.tat, { key: "k", limit, windowMs, now: now + retryAfterMs }).decision.allowed).toBe(true);
            const early = gcra(step.tat, { key: "k", limit, windowMs, now: now + retryAfterMs - 1 });
            expect(early.decision.allowed).toBe(false);
          }
          const later = gcra(step.tat, { key: "k", limit, windowMs, now: now + resetMs });
          expect(later.decision.remaining).toBe(limit - 1);
          tat = step.tat;
        }
      }),
    );
  });

  test("leaves the state as it is when it refuses", () => {
    const request = { key: "k", limit: 1, windowMs: 1_000, now: start };
    const { tat } = gcra(undefined, request);
    expect(gcra(tat, request).tat).toBe(tat);
  });

  test("makes nobody wait longer than a window, wherever the clock went", () => {
    fc.assert(
      fc.property(limits, fc.integer({ min: 0, max: 4e15 }), ([limit, windowMs], tat) => {
        const { decision } = gcra(tat, { key: "k", limit, windowMs, now: start });
        expect(decision.retryAfterMs).toBeLessThanOrEqual(windowMs + 1);
      }),
    );
  });

  test("refuses limits that cannot be kept", () => {
    for (const [limit, windowMs] of [
      [0, 1_000],
      [-1, 1_000],
      [1.5, 1_000],
      [1, 0],
      [11, 1],
      [Number.NaN, 1_000],
    ] as const) {
      expect(() => gcra(undefined, { key: "k", limit, windowMs, now: start })).toThrow(TypeError);
    }
  });
});
