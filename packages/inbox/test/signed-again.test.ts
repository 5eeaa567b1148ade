import { memoryTelemetry, virtualClock } from "@postern/core/memory";
import { expect, test } from "vitest";
import { createSignedAgain } from "../src/repeat-key.ts";

const scene = () => {
  const telemetry = memoryTelemetry();
  const again = createSignedAgain({ telemetry, clock: virtualClock() });
  return { telemetry, again };
};

test("the last 10,000 deliveries are remembered, and no more", () => {
  const { again } = scene();
  for (let n = 0; n < 10_001; n += 1) again("acme", { signedDigest: `bytes ${n}`, dedupeKey: `2:id:${n}` });
  expect(again("acme", { signedDigest: "bytes 1", dedupeKey: "2:id:other" })).toContain("under the id 1");
  expect(again("acme", { signedDigest: "bytes 0", dedupeKey: "2:id:other" })).toBeUndefined();
});

test("a sender has only some lines in the log in a minute, and each delivery is counted", () => {
  const { again, telemetry } = scene();
  for (let n = 0; n < 13; n += 1) again("acme", { signedDigest: "bytes", dedupeKey: `2:id:${n}` });
  expect(telemetry.counted("webhooks_signed_again", { provider: "acme" })).toBe(12);
  expect(telemetry.entries).toHaveLength(10);
});

test("ids that are too long to be accepted are not remembered", () => {
  const { again, telemetry } = scene();
  again("acme", { signedDigest: "bytes", dedupeKey: `2:id:${"x".repeat(10_000)}` });
  expect(again("acme", { signedDigest: "bytes", dedupeKey: "2:id:a" })).toBeUndefined();
  expect(again("acme", { signedDigest: "bytes", dedupeKey: `2:id:${"x".repeat(10_000)}` })).toBeUndefined();
  expect(telemetry.entries).toEqual([]);
});
