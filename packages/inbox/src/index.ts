/**
 * `@postern/inbox`: the webhook inbox. It verifies a webhook, drops repeats, stores the event, and makes
 * a job for each handler that wants it.
 */

export { createInbox } from "./create-inbox.ts";
export type { EventMetadata } from "./event-parts.ts";
export type { ForwardRoute } from "./forward-handler.ts";
export type { HandRun } from "./hand-run.ts";
export type { InboxEvent, InboxHandler, PayloadFilter } from "./handler.ts";
export { eventTypes, handlersFor } from "./handlers-for.ts";
export type { WebhookAnswer } from "./inbox-parts.ts";
export type { IncomingWebhook } from "./incoming-webhook.ts";
export { logHandler } from "./log-handler.ts";
export { type OnOptions, on } from "./on.ts";
export type { PayloadSchema } from "./payload-schema.ts";
export { defineProvider, type Provider } from "./provider.ts";
export type { ProviderDefinition } from "./provider-registry.ts";
export { createProviders, type Providers } from "./provider-registry.ts";
