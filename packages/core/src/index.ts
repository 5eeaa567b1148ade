export { type App, type AppOptions, createApp, type DirectCall } from "./app.ts";
export { challenge } from "./auth/authenticate.ts";
export { isAdmin, type Principal, type Role } from "./auth/principal.ts";
export type { ChangeLog, ChangeLogEntry } from "./changelog/change-log.ts";
export { changeLogMarkdown } from "./changelog/change-log-page.ts";
export { type Difference, openApiDifferences } from "./changelog/openapi-difference.ts";
export * from "./deprecations/index.ts";
export { defaultSettings, type Settings } from "./environment.ts";
export * from "./errors/index.ts";
export { uuidV7Source } from "./ids/uuid-v7.ts";
export { type Circuits, createCircuits, type ForwardRoute, forwardHandler } from "./inbox/forward-handler.ts";
export {
  type HandlerContext,
  type InboxEvent,
  type InboxHandler,
  LeaseLost,
  type OrderedBy,
  type PayloadFilter,
  Permanent,
  RetryAt,
  Snooze,
} from "./inbox/handler.ts";
export type { IncomingWebhook } from "./inbox/inbox.ts";
export { logHandler } from "./inbox/log-handler.ts";
export { type OnOptions, on } from "./inbox/on.ts";
export type { PayloadSchema, StandardSchema } from "./inbox/payload-schema.ts";
export { defineProvider, type Provider } from "./inbox/provider.ts";
export { openProvider, type ProviderDefinition, schemeNamed, storedDefinition } from "./inbox/provider-registry.ts";
export { checkStoredSecrets, resealStoredSecrets, type StoredSecrets } from "./inbox/stored-secrets.ts";
export { defineJob, type JobHandler, type JobOptions, type JobSettings, newJob } from "./jobs/job-handler.ts";
export { defaultRetryPolicy, maxAttemptsOf, type RetryPolicy, retryDelayMs } from "./jobs/retry-policy.ts";
export { type Schedule, type ScheduleOptions, type Slot, schedule } from "./jobs/schedule.ts";
export type { QueueLimits, Worker, WorkerOptions } from "./jobs/worker.ts";
export type { JsonSchema } from "./json-schema/json-schema.ts";
export { defaultRetention, type Retention } from "./maintenance/maintenance.ts";
export {
  type Answer,
  type ApiRequest,
  type Call,
  defineOperation,
  type Method,
  type Operation,
  type OperationAccess,
  pathParameters,
  type RequestBody,
  type RequestFacts,
} from "./operations/index.ts";
export * from "./ports/index.ts";
export { type GcraStep, gcra, gcraGiveBack } from "./rate-limit/gcra.ts";
export { defaultLimits, type RateLimit, type RateLimitPolicy } from "./rate-limit/limits.ts";
export { tieredRateLimits } from "./rate-limit/tiered-rate-limits.ts";
export * from "./resources/index.ts";
export type { AbortSignalLike } from "./runtime.ts";
export * from "./versions/index.ts";
