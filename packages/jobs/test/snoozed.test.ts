import { memoryPorts, virtualClock } from "@postern/core/memory";
import { Snooze } from "@postern/jobs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { afterFailure, snoozed } from "../src/failure.ts";

const ports = memoryPorts({ clock: virtualClock(1_000) });
const retry = { delaysMs: [5_000] };
const job = { attempt: 1, maxAttempts: 200 } as Parameters<typeof afterFailure>[1];

/** What plain JavaScript can pass in the place of the milliseconds. */
const snooze = (ms: unknown): Snooze => new Snooze(ms as number);

test("a snooze waits for its time, and at least for a second", () => {
  const longest = 100 * 365 * 24 * 3600 * 1000;
  fc.assert(
    fc.property(fc.double({ min: 0, max: longest, noNaN: true }), fc.nat(), (ms, now) => {
      const end = snoozed(snooze(ms), now);
      expect(end).toEqual({ to: "snoozed", at: now + Math.max(1_000, Math.round(ms)) });
    }),
  );
});

test("a snooze for no time from 0 on is a failure of the attempt, which says so", () => {
  const negative = fc.double({ max: -0.5, maxExcluded: true, noNaN: true });
  const noNumber = fc.anything().filter((value) => typeof value !== "number");
  const odd = fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -5, "5000", new Date(5_000), 8.64e15, null, {});
  fc.assert(
    fc.property(fc.oneof(negative, noNumber, odd), (ms) => {
      expect(snoozed(snooze(ms), ports.clock.now())).toBeUndefined();
      const end = afterFailure(ports, job, retry, snooze(ms));
      expect(end).toMatchObject({ to: "scheduled", error: expect.stringContaining("not a number of ms from 0 on") });
      expect(end.to === "scheduled" && end.at >= ports.clock.now() + 2_500).toBe(true);
      expect(afterFailure(ports, { ...job, attempt: 200 }, retry, snooze(ms))).toMatchObject({ to: "dead" });
    }),
  );
});

test("a getter that throws is a failure, too", () => {
  const thrown = snooze(0);
  Object.defineProperty(thrown, "ms", {
    get: () => {
      throw new Error("no");
    },
  });
  expect(snoozed(thrown, 0)).toBeUndefined();
});
