import { defaultRetryPolicy } from "../jobs/retry-policy.ts";
import type { InboxHandler } from "./handler.ts";

/** Writes a line to the log for each event, without its content: what a server does that has no handler of its own yet. */
export const logHandler = (wanted: Pick<InboxHandler, "provider" | "type" | "where">): InboxHandler => ({
  name: `log:${wanted.provider}:${wanted.type}`,
  ...wanted,
  retry: defaultRetryPolicy,
  timeoutMs: 10_000,
  handle: async (event, context) =>
    context.log("info", "webhook event", {
      provider: event.provider,
      type: event.type,
      event_id: event.eventId,
      bytes: event.body.length,
    }),
});
