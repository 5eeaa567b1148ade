/** For the packages of Postern alone. It changes with any version. */

export { createBatchedCounts } from "./batched-counts.ts";
export { type ActivityCounter, createActivityCounter } from "./counts/activity-counter.ts";
export { aboutQuantile, bucketAt, countDays, countSteps, everyProvider, noCounts, summed } from "./counts/counts.ts";
export { type BoundedLines, createBoundedLines } from "./errors/bounded-lines.ts";
export { brand } from "./errors/brand.ts";
export { type ErrorFacts, errorCatalogue } from "./errors/catalogue.ts";
export { codingRefused } from "./errors/coding-refused.ts";
export { describeFaults } from "./errors/describe-faults.ts";
export { didYouMean } from "./errors/did-you-mean.ts";
export { createErrorAnswer } from "./errors/error-answer.ts";
export { mostFaults } from "./errors/fault.ts";
export { faultText, queryFaultText } from "./errors/fault-text.ts";
export { OptionError } from "./errors/option-error.ts";
export { type Problem, toAppError } from "./errors/problem.ts";
export { quotedNames } from "./errors/quoted-names.ts";
export { errorOfRefused, refusalCode } from "./errors/refused.ts";
export { faultOf, parseBody } from "./errors/schema-faults.ts";
export { createFairQueue } from "./fair-queue.ts";
export { fingerprint } from "./fingerprint.ts";
export { firstLineOf } from "./first-line.ts";
export { uuidV7Source } from "./ids/uuid-v7.ts";
export { cronFields, hasFixedTimes } from "./job-rules/cron-names.ts";
export { causeFacts, causeId } from "./job-rules/failure-cause.ts";
export {
  afterLoss,
  effectiveEnd,
  endedStates,
  eventActions,
  eventStateOf,
  eventStateRules,
  givenUpStates,
  includesState,
  isFinal,
  keepsTurn,
  mayCancel,
  mayRetry,
  stateAfter,
  waitingState,
  waitingStates,
} from "./job-rules/job-life-cycle.ts";
export { isObject } from "./json-schema/json-schema.ts";
export { compileJsonSchema } from "./json-schema/json-schema-checker.ts";
export {
  type StandardIssue,
  standardPointer,
  type Validation,
} from "./json-schema/standard-schema.ts";
export { createLine } from "./line.ts";
export { createLongWork, type LongWork } from "./long-work.ts";
export {
  faultsThrownBy,
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
export { receiversOf } from "./model/new-mail.ts";
export { inNfc, keepsNfc, nfc } from "./model/normal-form.ts";
export { type Relation, relationsOf } from "./model/relations.ts";
export { allowsRow, conditionOf, fieldsOf, isForNobody, isRule, type RuleCaller } from "./model/rules.ts";
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
export { outsideName } from "./outside-name.ts";
export { everything, nothing } from "./ports/condition.ts";
export { gcra, gcraGiveBack, gcraOfEach } from "./rate-limit/gcra.ts";
export { tieredRateLimits } from "./rate-limit/tiered-rate-limits.ts";
export { requireAnother } from "./resources/keep-one.ts";
export { createReads, createRows } from "./resources/rows.ts";
export { changedRow, newRow, writtenValues } from "./resources/written-values.ts";
export { runningTime } from "./running-time.ts";
export {
  isPromise,
  type MaybePromise,
  newAbortController,
  utf8Decode,
  utf8DecodeLossy,
  utf8Encode,
} from "./runtime.ts";
export { createSerialByKey, type SerialByKey } from "./serial-by-key.ts";
export { isPattern, patternTest } from "./text-pattern.ts";
export { traceIdOf } from "./trace-id.ts";
export {
  createTransactions,
  type MailJobs,
  nestedCall,
  overlaid,
  type ReadIn,
  requireKinds,
  type TransactionIn,
  type Transactions,
} from "./transaction.ts";
export { untilAborted } from "./until-aborted.ts";
export { type BeforeWriteHook, createBeforeWrites } from "./writes/before-write.ts";
export type { ChangeListener } from "./writes/change-records.ts";
export { openWritesOf } from "./writes/open-writes.ts";
export { createWriteSeam, type Watcher, type WriteHooks } from "./writes/write-seam.ts";
