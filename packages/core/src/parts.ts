/**
 * `@postern/core/parts`: building blocks for `@postern/rest`, `@postern/app` and authors of
 * adapters. Applications do not need it. It may change with any minor version.
 */

export { schemeNames } from "@postern/webhook-verifier/load-scheme";
export type { Answer, AnswerStream } from "./answer.ts";
export { auditCheckOf, checkAuditLog, findingsOf } from "./audit/check-audit-log.ts";
export { eraseOrigins } from "./audit/erase-origins.ts";
export { pruneAuditLog, sealAuditLog } from "./audit/seal-audit-log.ts";
export { verifyAuditLog } from "./audit/verify-audit-log.ts";
export { createBatchedCounts } from "./batched-counts.ts";
export { createActivityCounter } from "./counts/activity-counter.ts";
export {
  aboutQuantile,
  bucketAt,
  countDays,
  countSteps,
  everyProvider,
  noCounts,
  summed,
} from "./counts/counts.ts";
export { type ErrorCode, errorCatalogue } from "./errors/catalogue.ts";
export { codingRefused } from "./errors/coding-refused.ts";
export { describeFaults } from "./errors/describe-faults.ts";
export { didYouMean } from "./errors/did-you-mean.ts";
export { createErrorAnswer } from "./errors/error-answer.ts";
export { type Fault, mostFaults } from "./errors/fault.ts";
export { faultText, queryFaultText } from "./errors/fault-text.ts";
export { OptionError } from "./errors/option-error.ts";
export { type Problem, toAppError } from "./errors/problem.ts";
export { quotedNames } from "./errors/quoted-names.ts";
export { faultOf, parseBody } from "./errors/schema-faults.ts";
export { createFairQueue, type FairQueue } from "./fair-queue.ts";
export {
  createFeed,
  type Feed,
  type FeedNews,
  type FeedPosition,
  mostFeedReaders,
} from "./feed/feed.ts";
export { fingerprint } from "./fingerprint.ts";
export { firstLineOf } from "./first-line.ts";
export { type Health, type HealthLevel, leastFreeBytes } from "./health/health.ts";
export { readHealth } from "./health/read-health.ts";
export { uuidV7Source } from "./ids/uuid-v7.ts";
export { eventBody, pathsInBody } from "./inbox/event-body.ts";
export { dataOf, metadataOf, misplacedPath } from "./inbox/event-parts.ts";
export { mostEventsPreviewed, type PlanRun, previewPlan, stepPlan } from "./inbox/event-plan.ts";
export { traceOfEvent } from "./inbox/event-trace.ts";
export { withIntegers } from "./inbox/exact-json.ts";
export { createCircuits, type ForwardRoute, forwardHandler } from "./inbox/forward-handler.ts";
export { handlerFaults } from "./inbox/handler-faults.ts";
export type { WebhookAnswer } from "./inbox/inbox.ts";
export type { IncomingWebhook } from "./inbox/incoming-webhook.ts";
export type { OnOptions } from "./inbox/on.ts";
export { payloadOf } from "./inbox/payload.ts";
export { isTooDeep } from "./inbox/payload-depth.ts";
export { differenceOf } from "./inbox/payload-difference.ts";
export { keptHeaderName, mostKeptHeaderNames, providerName } from "./inbox/provider.ts";
export {
  createProviders,
  definitionOf,
  openProvider,
  type ProviderDefinition,
  type Providers,
  schemeNamed,
  sealContext,
  storedDefinition,
  whyUnusable,
} from "./inbox/provider-registry.ts";
export { refusalsKept } from "./inbox/refusal-recorder.ts";
export { keysOfId, storedRepeat } from "./inbox/repeat-key.ts";
export { nothingMade, planReplay, type ReplayParts, replayEvents, whyNotDiscarded } from "./inbox/replay-event.ts";
export { type HandRun, runByHand } from "./inbox/run-by-hand.ts";
export { mostEventsSearched, searchEvents } from "./inbox/search-events.ts";
export { checkStoredSecrets, resealStoredSecrets } from "./inbox/stored-secrets.ts";
export { valueAt, withValueAt } from "./inbox/value-at.ts";
export { cronFields, hasFixedTimes } from "./jobs/cron-names.ts";
export { cronWords } from "./jobs/cron-words.ts";
export { createEnqueuer } from "./jobs/enqueuer.ts";
export { causeFacts, causeId } from "./jobs/failure-cause.ts";
export { type JobOptions, jobFaults } from "./jobs/job-handler.ts";
export {
  afterLoss,
  effectiveEnd,
  endedStates,
  eventStateOf,
  eventStateRules,
  givenUpStates,
  isFinal,
  keepsTurn,
  stateAfter,
  waitingState,
} from "./jobs/job-life-cycle.ts";
export { kindsWithoutHandler } from "./jobs/kinds-without-handler.ts";
export { createLocalHandoff } from "./jobs/local-handoff.ts";
export { defaultRetryPolicy } from "./jobs/retry-policy.ts";
export { createScheduler, jobAt, scheduleFaults } from "./jobs/schedule.ts";
export { createStorageGauges } from "./jobs/storage-gauges.ts";
export type { Worker, WorkerOptions } from "./jobs/worker.ts";
export { checkWorkerOptions } from "./jobs/worker-options.ts";
export { isObject, type JsonSchema } from "./json-schema/json-schema.ts";
export { createLine, type Line, type Share } from "./line.ts";
export { createLongWork, type LongWork } from "./long-work.ts";
export { defaultRetention, maintenanceSchedules } from "./maintenance/maintenance.ts";
export {
  faultsThrownBy,
  type OptionRule,
  type OptionRules,
  oneOf,
  option,
  optionFaults,
  refuseFaults,
  required,
  textsOf,
  wholeNumber,
} from "./model/declaration-faults.ts";
export { canonicalAddress, emailAddress, emailPattern } from "./model/email-address.ts";
export { allows, type FieldKind, type Settled } from "./model/field.ts";
export { type FilterOperator, filterOperators } from "./model/filters.ts";
export { handWrittenResources } from "./model/hand-written-resources.ts";
export { exceedsJson, maxJsonBytes } from "./model/json-size.ts";
export { jsonFault } from "./model/json-value.ts";
export { inNfc, keepsNfc, nfc } from "./model/normal-form.ts";
export { type Relation, relationsOf } from "./model/relations.ts";
export {
  characterCount,
  instantText,
  isStorable,
  piecesOf,
  storable,
  timestampOf,
  timestampText,
  uuidPattern,
  uuidText,
} from "./model/text.ts";
export type { Alert, Alerts } from "./ports/alerts.ts";
export type { AnswerStore } from "./ports/answer-store.ts";
export type { AuditChain, NewAuditSeal } from "./ports/audit-chain.ts";
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
export type { CronPlan } from "./ports/cron-plan.ts";
export type { DeliveryCount, DeliveryCounts, DeliverySum } from "./ports/delivery-counts.ts";
export type { DeprecatedUse, DeprecatedUseStore } from "./ports/deprecated-use-store.ts";
export type {
  AcceptOutcome,
  EventDisposition,
  EventFilter,
  EventQuery,
  EventState,
  EventStore,
  EventSummary,
  NewEvent,
  PastEvent,
  PastJob,
  SentAgain,
  StoredEvent,
} from "./ports/event-store.ts";
export type { FailedAttempt, FeedCommit, FeedEntry, FeedStore } from "./ports/feed-store.ts";
export type { Fetcher, InboundResponse, OutboundRequest } from "./ports/fetcher.ts";
export type { ForwardAttempt, ForwardStore } from "./ports/forward-store.ts";
export type { Expiring, Housekeeping } from "./ports/housekeeping.ts";
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
export type { PlanFilter, PlanState, PlanStore, SkippedEvents, StoredPlan } from "./ports/plan-store.ts";
export type { ProviderStore, StoredProvider, StoredProviderKey } from "./ports/provider-store.ts";
export type { QueueSummary, Queues } from "./ports/queues.ts";
export type { Randomness } from "./ports/randomness.ts";
export type { RateLimitDecision, RateLimitRequest, RateLimitStore } from "./ports/rate-limit-store.ts";
export type { RefusalFilter, RefusalStore, RefusedDelivery } from "./ports/refusal-store.ts";
export {
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
export type { GivenUpJob, RecoveryPolicy, Runners } from "./ports/runners.ts";
export type { ScheduleSlots, ScheduleState } from "./ports/schedule-slots.ts";
export type { SecretBox } from "./ports/secret-box.ts";
export type { AccessTokenClaims, PublicJwk, PublicSigningKey, Signer, SigningKey } from "./ports/signer.ts";
export type { SigningKeyStore, StoredSigningKey } from "./ports/signing-key-store.ts";
export { type JoinedStores, storeNames } from "./ports/storage.ts";
export type { LogFields, LogLevel, Telemetry } from "./ports/telemetry.ts";
export type { Wakeup } from "./ports/wakeup.ts";
export { gcra, gcraGiveBack, gcraOfEach } from "./rate-limit/gcra.ts";
export { tieredRateLimits } from "./rate-limit/tiered-rate-limits.ts";
export { requireAnother } from "./resources/keep-one.ts";
export type { RowsOf } from "./resources/row-types.ts";
export { changedRow, newRow, writtenValues } from "./resources/written-values.ts";
export { runningTime } from "./running-time.ts";
export { type AbortSignalLike, utf8Decode as utf8Text, utf8Encode as utf8Bytes } from "./runtime.ts";
export { createSerialByKey, type SerialByKey } from "./serial-by-key.ts";
export { createReadTransactions, createTransactions, type Nesting, nestedCall, requireKinds } from "./transaction.ts";
export { untilAborted } from "./until-aborted.ts";
