export { type App, type AppOptions, createApp, type DirectCall } from "./app.ts";
export { isAdmin, type Principal, type Role } from "./auth/principal.ts";
export { defaultSettings, type Settings } from "./environment.ts";
export * from "./errors/index.ts";
export { uuidV7Source } from "./ids/uuid-v7.ts";
export { type ForwardRoute, forwardHandler } from "./inbox/forward-handler.ts";
export {
  type HandlerContext,
  type InboxEvent,
  type InboxHandler,
  LeaseLost,
  Permanent,
  RetryAt,
} from "./inbox/handler.ts";
export type { IncomingWebhook } from "./inbox/inbox.ts";
export { logHandler } from "./inbox/log-handler.ts";
export { type OnOptions, on } from "./inbox/on.ts";
export { defineProvider, type Provider } from "./inbox/provider.ts";
export { defaultRetryPolicy, maxAttemptsOf, type RetryPolicy, retryDelayMs } from "./jobs/retry-policy.ts";
export type { Worker, WorkerOptions } from "./jobs/worker.ts";
export {
  type Answer,
  type ApiRequest,
  type Call,
  defineOperation,
  type Method,
  type Operation,
  type OperationAccess,
  pathParameters,
  type RequestFacts,
} from "./operations/index.ts";
export * from "./ports/index.ts";
export { type GcraStep, gcra } from "./rate-limit/gcra.ts";
export * from "./resources/index.ts";
export type { AbortSignalLike } from "./runtime.ts";
export { type ApiVersion, apiVersions, type VersionId, versionOf } from "./versions/index.ts";
