/**
 * `@postern/core/ports`: the seams to the outside, for authors of adapters: what an adapter takes, and
 * what it stores. Each has an adapter in memory (`@postern/core/memory`) and a suite that every adapter
 * passes (`@postern/core/testing`).
 */

export type { Alert, Alerts } from "./ports/alerts.ts";
export type { AnswerStore } from "./ports/answer-store.ts";
export type { AuditChain, Concerned, ErasedOrigin, NewAuditSeal, SealedEntry } from "./ports/audit-chain.ts";
export type {
  AuditActor,
  AuditEntry,
  AuditFilter,
  AuditLog,
  AuditSeal,
  SaltedSeal,
  StoredAuditEntry,
} from "./ports/audit-log.ts";
export type { Clock } from "./ports/clock.ts";
export type { CommonPasswords } from "./ports/common-passwords.ts";
export type { Comparable, ComparisonOperator, TextOperator } from "./ports/condition.ts";
export type { CountBucket, CountStep, CountStore, Counts } from "./ports/count-store.ts";
export type { CronPlan, CronTimes } from "./ports/cron-plan.ts";
export type { DeliveryCount, DeliveryCounts, DeliveryResult, DeliverySum } from "./ports/delivery-counts.ts";
export type { DeprecatedUse, DeprecatedUseStore } from "./ports/deprecated-use-store.ts";
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
  OtherKey,
  PastEvent,
  PastJob,
  SentAgain,
  StoredEvent,
} from "./ports/event-store.ts";
export { eventStates } from "./ports/event-store.ts";
export type { FailedAttempt, FeedCommit, FeedEntry, FeedStore } from "./ports/feed-store.ts";
export type { Fetcher, InboundResponse, OutboundRequest } from "./ports/fetcher.ts";
export type { ForwardAttempt, ForwardStore } from "./ports/forward-store.ts";
export type { Counted, DeletionsTold, Expiring, Housekeeping } from "./ports/housekeeping.ts";
export type { Ids } from "./ports/ids.ts";
export {
  type ClaimedJob,
  type Failed,
  type Job,
  type JobEnd,
  type JobFailure,
  type JobState,
  jobStates,
  type Lease,
  type OrderRules,
} from "./ports/job.ts";
export type { ClaimRequest, JobOutcome, JobQueue, RunnerOffer } from "./ports/job-queue.ts";
export type { FailureCause, FailureCauses, JobFilter, JobQuery, JobRecords } from "./ports/job-records.ts";
export {
  type ForeignJwk,
  type JwtClaims,
  type JwtVerifier,
  jwtAlgorithms,
  type UnprovedJwt,
} from "./ports/jwt-verifier.ts";
export type { Liveness } from "./ports/liveness.ts";
export type { Mail, Mailer, MailResult } from "./ports/mailer.ts";
export type { EventNote, NoteStore } from "./ports/note-store.ts";
export type { OneTimeCodes } from "./ports/one-time-codes.ts";
export type { PasswordHasher } from "./ports/password-hasher.ts";
export type {
  PlanFilter,
  PlanPreview,
  PlanProgress,
  PlanState,
  PlanStore,
  SkippedEvents,
  StoredPlan,
} from "./ports/plan-store.ts";
export type { ProviderStore, StoredProvider, StoredProviderKey } from "./ports/provider-store.ts";
export type { QueueSummary, Queues, ReadyKind, RunningInQueue } from "./ports/queues.ts";
export type { Randomness } from "./ports/randomness.ts";
export type { RateLimitDecision, RateLimitRequest, RateLimitStore } from "./ports/rate-limit-store.ts";
export type { RefusalFilter, RefusalStore, RefusedDelivery } from "./ports/refusal-store.ts";
export {
  type Cascade,
  leftOutMember,
  type Place,
  type ReadOptions,
  type ResourceReads,
  readsOf,
  type Selection,
  type SortKey,
  scopeOf,
  type WriteResult,
} from "./ports/resource-repository.ts";
export type {
  GivenUpJob,
  IdleLook,
  NewRunner,
  QueueLimits,
  RecoveryPolicy,
  RunnerRecord,
  Runners,
} from "./ports/runners.ts";
export type { ScheduleSlots, ScheduleState } from "./ports/schedule-slots.ts";
export type { SecretBox } from "./ports/secret-box.ts";
export type { AccessTokenClaims, PublicJwk, PublicSigningKey, Signer, SigningKey } from "./ports/signer.ts";
export type { SigningKeyStore, StoredSigningKey } from "./ports/signing-key-store.ts";
export { type JoinedStores, type Origin, storeNames } from "./ports/storage.ts";
export type { LogFields, LogLevel, Telemetry } from "./ports/telemetry.ts";
export type { Wakeup } from "./ports/wakeup.ts";
