import { createUsers } from "./0001a-create-users.ts";
import { createPosts } from "./0001b-create-posts.ts";
import { createJobs } from "./0002a-create-jobs.ts";
import { createEvents } from "./0002b-create-events.ts";
import { createRateLimit } from "./0003-create-rate-limit.ts";
import { createWebhookProviders } from "./0004-create-webhook-providers.ts";
import { createAuditLog } from "./0005-create-audit-log.ts";
import { createKeptAnswer } from "./0006-create-kept-answer.ts";
import { createForwardAttempt } from "./0007-create-forward-attempt.ts";
import { createDeprecatedUse } from "./0008-create-deprecated-use.ts";
import { indexCancelledJobs } from "./0009-index-cancelled-jobs.ts";
import { dropEventBodies } from "./0010-drop-event-bodies.ts";
import { addOrderRules } from "./0011-add-order-rules.ts";
import { createQueueLimit } from "./0012-create-queue-limit.ts";
import { addReadyAt } from "./0013-add-ready-at.ts";
import { addAllowShort } from "./0014-add-allow-short.ts";
import { createDeclaredTable } from "./0015-create-declared-table.ts";
import { orderJobsAcrossProcesses } from "./0016-order-jobs-across-processes.ts";
import { createDeletion } from "./0017-create-deletion.ts";
import { createDeprecatedCall } from "./0018-create-deprecated-call.ts";
import { createApiKeys } from "./0019-create-api-keys.ts";
import { addSessionPlaces } from "./0020-add-session-places.ts";
import { createAccountTokens } from "./0021-create-account-tokens.ts";
import { createSigningKeys } from "./0022-create-signing-keys.ts";
import { dropDeprecatedUse } from "./0023-drop-deprecated-use.ts";
import { createSecondFactors } from "./0024-create-second-factors.ts";
import { createClients } from "./0025-create-clients.ts";
import { createOutsideIdentities } from "./0026-create-outside-identities.ts";
import { createUsedAssertions } from "./0027-create-used-assertions.ts";
import { createAuditChain } from "./0028-create-audit-chain.ts";
import { logEventKeys } from "./0029-log-event-keys.ts";
import { createUserExports } from "./0030-create-user-exports.ts";
import { saltAuditSeals } from "./0031-salt-audit-seals.ts";
import { addOutsideEnds } from "./0032-add-outside-ends.ts";
import { addGrantTypes } from "./0033-add-grant-types.ts";
import { listSealedEntries } from "./0034-list-sealed-entries.ts";
import { dropUnusedIndexes } from "./0035-drop-unused-indexes.ts";
import { shareIndexOfTimes } from "./0036-share-index-of-times.ts";
import { listJobsByState } from "./0037-list-jobs-by-state.ts";
import { indexEventsByTypeHash } from "./0038-index-events-by-type-hash.ts";
import { listJobsWithEvents } from "./0039-list-jobs-with-events.ts";
import { addSuccessors } from "./0040-add-successors.ts";
import { createNfcColumn } from "./0041-create-nfc-column.ts";
import { vacuumQueueSooner } from "./0042-vacuum-queue-sooner.ts";
import { createDeliveryCount } from "./0043-create-delivery-count.ts";
import { addRunnerLimits } from "./0044-add-runner-limits.ts";
import { addFailureCauses } from "./0045-add-failure-causes.ts";
import { createEventPlans } from "./0046-create-event-plans.ts";
import { createRefusedDeliveries } from "./0047-create-refused-deliveries.ts";
import { createCounts } from "./0048-create-counts.ts";
import { createEventNotes } from "./0049-create-event-notes.ts";
import { createFeedEntry } from "./0050-create-feed-entry.ts";
import { createScheduleStates } from "./0051-create-schedule-states.ts";
import { addAttemptLogs } from "./0052-add-attempt-logs.ts";
import { addFirstSight } from "./0056-add-first-sight.ts";
import { keepFailuresAfterCommits } from "./0059-keep-failures-after-commits.ts";
import { addOutsideOfBodies } from "./0061-add-outside-of-bodies.ts";
import { createDatabaseIdentity } from "./0065-create-database-identity.ts";
import { addTrustedAddresses } from "./0068-add-trusted-addresses.ts";
import { linkOutsideClients } from "./0069-link-outside-clients.ts";
import { markIdleRunners } from "./0070-mark-idle-runners.ts";
import type { Migration } from "./migration.ts";

/** The schema's history, oldest first. A new step is a file here and a line in this table. */
export const migrations: readonly Migration[] = [
  createUsers,
  createPosts,
  createJobs,
  createEvents,
  createRateLimit,
  createWebhookProviders,
  createAuditLog,
  createKeptAnswer,
  createForwardAttempt,
  createDeprecatedUse,
  indexCancelledJobs,
  dropEventBodies,
  addOrderRules,
  createQueueLimit,
  addReadyAt,
  addAllowShort,
  createDeclaredTable,
  orderJobsAcrossProcesses,
  createDeletion,
  createDeprecatedCall,
  createApiKeys,
  addSessionPlaces,
  createAccountTokens,
  createSigningKeys,
  dropDeprecatedUse,
  createSecondFactors,
  createClients,
  createOutsideIdentities,
  createUsedAssertions,
  createAuditChain,
  logEventKeys,
  createUserExports,
  saltAuditSeals,
  addOutsideEnds,
  addGrantTypes,
  listSealedEntries,
  dropUnusedIndexes,
  shareIndexOfTimes,
  listJobsByState,
  indexEventsByTypeHash,
  listJobsWithEvents,
  addSuccessors,
  createNfcColumn,
  vacuumQueueSooner,
  createDeliveryCount,
  addRunnerLimits,
  addFailureCauses,
  createEventPlans,
  createRefusedDeliveries,
  createCounts,
  createEventNotes,
  createFeedEntry,
  createScheduleStates,
  addAttemptLogs,
  addFirstSight,
  keepFailuresAfterCommits,
  createDatabaseIdentity,
  addTrustedAddresses,
  addOutsideOfBodies,
  linkOutsideClients,
  markIdleRunners,
];
