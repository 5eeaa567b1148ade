import { defaultRetryPolicy } from "@postern/jobs";
import type { InboxHandler } from "./handler.ts";

/**
 * Logs a line for each event, without its content. The server uses it while you have no handler of
 * your own.
 */
export const logHandler = (wanted: Pick<InboxHandler, "provider" | "type" | "where" | "queue">): InboxHandler => ({
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
