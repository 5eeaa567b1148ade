/** For the packages of Postern alone. It changes with any version. */

export { answersToSender } from "./answers-to-sender.ts";
export { eventBody, pathsInBody } from "./event-body.ts";
export { dataOf, metadataOf, misplacedPath } from "./event-parts.ts";
export { traceOfEvent } from "./event-trace.ts";
export { withIntegers } from "./exact-json.ts";
export { createCircuits, forwardHandler, saysTargetIsAway } from "./forward-handler.ts";
export { handlerFaults } from "./handler-faults.ts";
export { createInboxOf } from "./inbox.ts";
export { payloadOf } from "./payload.ts";
export { isTooDeep } from "./payload-depth.ts";
export { differenceOf } from "./payload-difference.ts";
export { mostEventsPreviewed, type PlanRun, previewPlan, stepPlan } from "./plan-steps.ts";
export { keptHeaderName, mostKeptHeaderNames, providerName } from "./provider.ts";
export {
  definitionOf,
  openProvider,
  schemeNamed,
  sealContext,
  storedDefinition,
  whyUnusable,
} from "./provider-registry.ts";
export { type RefusalRecorder, refusalsKept, refusalsKeptMs } from "./refusal-recorder.ts";
export { keysOfId, storedRepeat } from "./repeat-key.ts";
export { nothingMade, planReplay, type ReplayParts, replayEvents, whyNotDiscarded } from "./replay-event.ts";
export { runByHand } from "./run-by-hand.ts";
export { mostEventsSearched, searchEvents } from "./search-events.ts";
export { checkStoredSecrets, resealStoredSecrets } from "./stored-secrets.ts";
export { valueAt, withValueAt } from "./value-at.ts";
