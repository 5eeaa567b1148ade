import type { NewEvent } from "../ports/event-store.ts";

const now = 1_800_000_000_000;
const encoder = new TextEncoder();

/** An accepted event with one job. Another `key` makes it another event. */
export const newEvent = (key: string, changes: Partial<NewEvent> = {}): NewEvent => ({
  provider: "stripe",
  dedupeKey: key,
  eventId: key,
  type: "invoice.paid",
  body: encoder.encode(`{"id":"${key}"}`),
  headers: { "content-type": "application/json" },
  bodySha256: "a".repeat(64),
  occurredAt: now - 1000,
  receivedAt: now,
  disposition: "accepted",
  reason: undefined,
  jobs: [{ kind: "log", maxAttempts: 3 }],
  ...changes,
});
