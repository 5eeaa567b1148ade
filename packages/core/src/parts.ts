/**
 * `@postern/core/parts`: what `@postern/rest`, `@postern/app` and writers of adapters build with.
 * Applications need none of it. It may change with any minor version.
 */
export { describeFaults } from "./errors/describe-faults.ts";
export { errorAnswer } from "./errors/error-answer.ts";
export { mostFaults } from "./errors/fault.ts";
export { problemOf, toAppError } from "./errors/problem.ts";
export { fingerprint } from "./fingerprint.ts";
export { uuidV7Source } from "./ids/uuid-v7.ts";
export { type Circuits, createCircuits } from "./inbox/forward-handler.ts";
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
export {
  type BulkReplay,
  type BulkReplayed,
  nothingMade,
  planReplay,
  type ReplayParts,
  replayEvents,
} from "./inbox/replay-event.ts";
export { checkStoredSecrets, resealStoredSecrets, type StoredSecrets } from "./inbox/stored-secrets.ts";
export { createEnqueuer } from "./jobs/enqueuer.ts";
export { maxAttemptsOf, retryDelayMs } from "./jobs/retry-policy.ts";
export { createSlotDesk, type SlotDesk } from "./jobs/slot-desk.ts";
export { createStorageGauges } from "./jobs/storage-gauges.ts";
export { isObject } from "./json-schema/json-schema.ts";
export { allows } from "./model/field.ts";
export { type FilterOperator, filterOperators } from "./model/filters.ts";
export { type Relation, relationsOf } from "./model/relations.ts";
export { instantText, isStorable, timestampOf, timestampText, uuidPattern, uuidText } from "./model/text.ts";
export { type GcraStep, gcra, gcraGiveBack } from "./rate-limit/gcra.ts";
export { tieredRateLimits } from "./rate-limit/tiered-rate-limits.ts";
