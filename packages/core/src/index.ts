/**
 * `@postern/core`: ports, errors, the model of resources, the webhook inbox and the jobs.
 * `@postern/core/parts` has what `@postern/rest`, `@postern/app` and authors of adapters need in
 * addition.
 */

export type { Answer } from "./answer.ts";
export { AppError, type AppErrorOptions } from "./errors/app-error.ts";
export { type ErrorCode, type ErrorFacts, errorCatalogue } from "./errors/catalogue.ts";
export type { Fault, FaultLocation } from "./errors/fault.ts";
export type { Problem } from "./errors/problem.ts";
export type { EventMetadata } from "./inbox/event-parts.ts";
export { type ForwardRoute, forwardHandler } from "./inbox/forward-handler.ts";
export type { InboxEvent, InboxHandler, OrderedBy, PayloadFilter } from "./inbox/handler.ts";
export { createInbox, type Inbox, type InboxParts } from "./inbox/inbox.ts";
export type { IncomingWebhook } from "./inbox/incoming-webhook.ts";
export { logHandler } from "./inbox/log-handler.ts";
export { type OnOptions, on } from "./inbox/on.ts";
export type { PayloadSchema, StandardSchema } from "./inbox/payload-schema.ts";
export { defineProvider, type Provider } from "./inbox/provider.ts";
export { openProvider, type ProviderDefinition } from "./inbox/provider-registry.ts";
export { type HandlerContext, LeaseLost, Permanent, RetryAt, Snooze } from "./jobs/handler-context.ts";
export { defaultJobBounds, type JobBounds } from "./jobs/job-bounds.ts";
export { defineJob, type JobHandler, type JobOptions, type JobSettings, newJob } from "./jobs/job-handler.ts";
export {
  afterLoss,
  type EventStateRule,
  effectiveEnd,
  endedStates,
  eventStateOf,
  eventStateRules,
  givenUpStates,
  isFinal,
  type JobMove,
  type JobTally,
  jobMoves,
  keepsTurn,
  stateAfter,
  waitingState,
} from "./jobs/job-life-cycle.ts";
export { defaultRetryPolicy, type RetryPolicy } from "./jobs/retry-policy.ts";
export { type Schedule, type ScheduleOptions, type Slot, schedule } from "./jobs/schedule.ts";
export { createWorker, type QueueLimits, type Worker, type WorkerOptions } from "./jobs/worker.ts";
export type { JsonSchema } from "./json-schema/json-schema.ts";
export { defaultRetention, maintenanceSchedules, type Retention } from "./maintenance/maintenance.ts";
export { DeclarationError } from "./model/declaration-faults.ts";
export { anyOf, defineResource, ownedBy, through, where, withRole } from "./model/define-resource.ts";
export {
  boolean,
  choice,
  date,
  decimal,
  digest,
  email,
  type Field,
  type FieldAudience,
  type FieldKind,
  id,
  instant,
  integer,
  jsonObject,
  nullable,
  prose,
  type Reference,
  reference,
  type Settled,
  text,
  timestamp,
  words,
} from "./model/field.ts";
export type { FieldValue } from "./model/field-value.ts";
export type {
  AccessRule,
  Caller,
  CommonField,
  KeepsOne,
  Lifecycle,
  Resource,
  ResourceAccess,
  ResourceDefinition,
  ResourceParent,
} from "./model/resource.ts";
export type { Alert, Alerts } from "./ports/alerts.ts";
export type { AnswerStore, KeptAnswer } from "./ports/answer-store.ts";
export type { AuditChain, Concerned, ErasedOrigin, NewAuditSeal, SealedEntry } from "./ports/audit-chain.ts";
export type {
  AuditActor,
  AuditEntry,
  AuditFilter,
  AuditLog,
  AuditQuery,
  AuditSeal,
  SaltedSeal,
  StoredAuditEntry,
} from "./ports/audit-log.ts";
export type { Clock } from "./ports/clock.ts";
export type { CommonPasswords } from "./ports/common-passwords.ts";
export {
  type Comparable,
  type ComparisonOperator,
  type Condition,
  equals,
  everything,
  nothing,
  type TextOperator,
} from "./ports/condition.ts";
export type { CronPlan, CronTimes } from "./ports/cron-plan.ts";
export type {
  DeprecatedUse,
  DeprecatedUseKind,
  DeprecatedUseStore,
  DeprecatedUseSum,
} from "./ports/deprecated-use-store.ts";
export type {
  AcceptOutcome,
  EventDisposition,
  EventFilter,
  EventQuery,
  EventState,
  EventStore,
  EventSummary,
  EventToReplay,
  NewEvent,
  ReplayOptions,
  StoredEvent,
} from "./ports/event-store.ts";
export type { Fetcher, InboundResponse, OutboundRequest } from "./ports/fetcher.ts";
export type { ForwardAttempt, ForwardStore } from "./ports/forward-store.ts";
export type { Expiring, Housekeeping } from "./ports/housekeeping.ts";
export type { Ids } from "./ports/ids.ts";
export type { Ports } from "./ports/index.ts";
export {
  type ClaimedJob,
  type Job,
  type JobEnd,
  type JobFailure,
  type JobState,
  jobStates,
  type Lease,
  type NewJob,
  type OrderRules,
  type UniqueKey,
} from "./ports/job.ts";
export type { ClaimRequest, JobOutcome, JobQueue, RunnerOffer } from "./ports/job-queue.ts";
export type { JobFilter, JobQuery, JobRecords } from "./ports/job-records.ts";
export {
  type ForeignJwk,
  type JwtClaims,
  type JwtVerifier,
  jwtAlgorithms,
  type UnprovedJwt,
} from "./ports/jwt-verifier.ts";
export type { Liveness } from "./ports/liveness.ts";
export type { Mail, Mailer, MailResult, MailTarget } from "./ports/mailer.ts";
export type { OneTimeCodes } from "./ports/one-time-codes.ts";
export type { HashingFor, PasswordHasher } from "./ports/password-hasher.ts";
export type { ProviderStore, StoredProvider, StoredProviderKey } from "./ports/provider-store.ts";
export type { QueueSummary, Queues, ReadyKind } from "./ports/queues.ts";
export type { Randomness } from "./ports/randomness.ts";
export type { RateLimitDecision, RateLimitRequest, RateLimitStore } from "./ports/rate-limit-store.ts";
export {
  type AccessScope,
  allRows,
  type BelowQuery,
  type ChangeOptions,
  type ListQuery,
  leftOutMember,
  type Place,
  type ReadOptions,
  type ResourceRepository,
  type Row,
  type RowInScope,
  type Selection,
  type SortKey,
  scopeOf,
  type WriteResult,
} from "./ports/resource-repository.ts";
export type { GivenUpJob, NewRunner, RecoveryPolicy, RunnerRecord, Runners, RunningJob } from "./ports/runners.ts";
export type { FiredSlot, ScheduleSlots } from "./ports/schedule-slots.ts";
export type { SecretBox } from "./ports/secret-box.ts";
export type { AccessTokenClaims, PublicJwk, PublicSigningKey, Signer, SigningKey } from "./ports/signer.ts";
export type { SigningKeyState, SigningKeyStore, StoredSigningKey } from "./ports/signing-key-store.ts";
export type { Storage, Stores, UnitOfWork } from "./ports/storage.ts";
export type { LogFields, LogLevel, Telemetry } from "./ports/telemetry.ts";
export type { Wakeup } from "./ports/wakeup.ts";
export type { AbortSignalLike } from "./runtime.ts";
