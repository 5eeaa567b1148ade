/**
 * `@postern/core/parts`: building blocks for `@postern/rest`, `@postern/app` and authors of
 * adapters. Applications do not need it. It may change with any minor version.
 */
export { schemeNames } from "@postern/webhook-verifier/load-scheme";
export { type AuditCheck, auditCheckOf, checkAuditLog, findingsOf } from "./audit/check-audit-log.ts";
export { eraseOrigins } from "./audit/erase-origins.ts";
export { type AuditChainPorts, pruneAuditLog, sealAuditLog } from "./audit/seal-audit-log.ts";
export { type AuditFinding, type AuditReport, verifyAuditLog } from "./audit/verify-audit-log.ts";
export { codingRefused } from "./errors/coding-refused.ts";
export { describeFaults } from "./errors/describe-faults.ts";
export { didYouMean, nearestName } from "./errors/did-you-mean.ts";
export { createErrorAnswer } from "./errors/error-answer.ts";
export { mostFaults } from "./errors/fault.ts";
export { problemOf, toAppError } from "./errors/problem.ts";
export { createFairQueue, type FairQueue } from "./fair-queue.ts";
export { fingerprint } from "./fingerprint.ts";
export { uuidV7Source } from "./ids/uuid-v7.ts";
export { dataOf, metadataOf, misplacedPath } from "./inbox/event-parts.ts";
export { withIntegers } from "./inbox/exact-json.ts";
export { type Circuits, createCircuits } from "./inbox/forward-handler.ts";
export { handlerFaults } from "./inbox/handler-faults.ts";
export { payloadOf } from "./inbox/payload.ts";
export { isTooDeep } from "./inbox/payload-depth.ts";
export { providerName } from "./inbox/provider.ts";
export {
  createProviders,
  definitionOf,
  type Providers,
  schemeNamed,
  sealContext,
  storedDefinition,
  whyUnusable,
} from "./inbox/provider-registry.ts";
export { type StoredRepeat, storedRepeat } from "./inbox/repeat-key.ts";
export {
  type BulkReplay,
  type BulkReplayed,
  nothingMade,
  planReplay,
  type ReplayParts,
  replayEvents,
} from "./inbox/replay-event.ts";
export { checkStoredSecrets, resealStoredSecrets, type StoredSecrets } from "./inbox/stored-secrets.ts";
export { valueAt } from "./inbox/value-at.ts";
export { cronFields, hasFixedTimes } from "./jobs/cron-names.ts";
export { createEnqueuer } from "./jobs/enqueuer.ts";
export { jobFaults } from "./jobs/job-handler.ts";
export { kindsWithoutHandler } from "./jobs/kinds-without-handler.ts";
export { createLocalHandoff, type LocalHandoff } from "./jobs/local-handoff.ts";
export { maxAttemptsOf, retryDelayMs } from "./jobs/retry-policy.ts";
export { scheduleFaults } from "./jobs/schedule.ts";
export { createStorageGauges } from "./jobs/storage-gauges.ts";
export { checkWorkerOptions } from "./jobs/worker-options.ts";
export { isObject } from "./json-schema/json-schema.ts";
export {
  faultsThrownBy,
  type OptionRules,
  oneOf,
  option,
  optionFaults,
  refuseFaults,
  required,
} from "./model/declaration-faults.ts";
export { canonicalAddress, emailAddress, emailPattern } from "./model/email-address.ts";
export { allows } from "./model/field.ts";
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
  timestampOf,
  timestampText,
  uuidPattern,
  uuidText,
} from "./model/text.ts";
export { type GcraStep, gcra, gcraGiveBack, gcraOfEach } from "./rate-limit/gcra.ts";
export { tieredRateLimits } from "./rate-limit/tiered-rate-limits.ts";
export { type RunningTime, runningTime } from "./running-time.ts";
export { utf8Decode as utf8Text, utf8Encode as utf8Bytes } from "./runtime.ts";
export { createSerialByKey, type SerialByKey } from "./serial-by-key.ts";
