import { randomBytes } from "node:crypto";
import type { NewEvent } from "@postern/core/ports";

/** A body of 1 KiB. */
export const body = Buffer.from(JSON.stringify({ object: "event", data: "x".repeat(990) }));

/** An event with a job, which has not been seen before. */
export const newEvent = (type = "invoice.paid"): NewEvent => ({
  provider: "stripe",
  dedupeKey: `evt_${randomBytes(12).toString("hex")}`,
  eventId: undefined,
  type,
  body,
  headers: { "content-type": "application/json" },
  bodySha256: randomBytes(32).toString("hex"),
  occurredAt: undefined,
  receivedAt: Date.now(),
  disposition: "accepted",
  reason: undefined,
  jobs: [{ kind: "log", maxAttempts: 12 }],
});
