import type { EventRunnable } from "@postern/jobs";
import { HandledEvent, type InboxHandler } from "./handler.ts";
import type { Providers } from "./provider-registry.ts";

/** What runs the jobs of a handler. */
export const runnableOf = (handler: InboxHandler, providers: Pick<Providers, "find">): EventRunnable => ({
  ...handler,
  runOn: async (event, body, context) =>
    handler.handle(new HandledEvent(event, body, await providers.find(event.provider), handler.integers), context),
});
