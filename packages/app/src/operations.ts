import type { Ports, Resource } from "@postern/core";
import type { InboxHandler, Providers } from "@postern/inbox";
import { type Operation, resourceOperations, type StandardOperation } from "@postern/rest";
import type { AccountMail } from "./account/account-mail.ts";
import { accountPageOperations } from "./account/account-page.ts";
import { auditOperations } from "./admin/audit-operations.ts";
import { causeOperation } from "./admin/cause-operation.ts";
import { clientOperations } from "./admin/client-operations.ts";
import { countOperations } from "./admin/count-operation.ts";
import { eventOperations } from "./admin/event-operations.ts";
import { feedOperation } from "./admin/feed-operation.ts";
import { type HealthSources, healthOperation } from "./admin/health-operation.ts";
import { jobOperations } from "./admin/job-operations.ts";
import { noteOperations } from "./admin/note-operations.ts";
import { planOperations } from "./admin/plan-operations.ts";
import { providerKeyOperations } from "./admin/provider-key-operations.ts";
import { providerOperations } from "./admin/provider-operations.ts";
import { queueOperations } from "./admin/queue-operations.ts";
import { refusalOperations } from "./admin/refusal-operations.ts";
import { replayOperations } from "./admin/replay-operations.ts";
import { scheduleOperations } from "./admin/schedule-operations.ts";
import { searchOperation } from "./admin/search-operation.ts";
import { type ShownSetting, settingOperation } from "./admin/setting-operation.ts";
import { signingKeyOperations } from "./admin/signing-key-operations.ts";
import { webhookOperations } from "./admin/webhook-operations.ts";
import { exportOperations } from "./exports/export-operations.ts";
import type { UserExports } from "./exports/user-exports.ts";
import { keyOperations } from "./keys/key-operations.ts";
import { grantOperations } from "./oauth/grant-operations.ts";
import type { Feed } from "./operator/feed/feed.ts";
import { outsideIdentityOperations } from "./outside/outside-identity-operations.ts";
import type { Part } from "./parts.ts";
import type { EventPlans } from "./plans/event-plans.ts";
import { accountToken } from "./resources/account-token.ts";
import { apiKey } from "./resources/api-key.ts";
import { client } from "./resources/client.ts";
import { grant } from "./resources/grant.ts";
import { outsideIdentity } from "./resources/outside-identity.ts";
import { secondFactor } from "./resources/second-factor.ts";
import { session } from "./resources/session.ts";
import { usedAssertion } from "./resources/used-assertion.ts";
import { user } from "./resources/user.ts";
import { userExport, userExportPiece } from "./resources/user-export.ts";
import type { Settings } from "./settings.ts";
import { sessionOperations } from "./sign-in/session-operations.ts";
import type { AccessTokens } from "./tokens/access-tokens.ts";
import { confirmedOperations } from "./users/confirmed-operations.ts";
import { invitationOperations } from "./users/invitation-operations.ts";
import { passwordResetOperations } from "./users/password-reset-operations.ts";
import { secondFactorOperations } from "./users/second-factor-operations.ts";
import { toldChange } from "./users/told-changes.ts";
import { userOperations } from "./users/user-operations.ts";
import { verificationOperations } from "./users/verification-operations.ts";

/** The dependencies of the operations. */
interface OperationParts {
  readonly ports: Ports;
  readonly settings: Settings;
  readonly tokens: AccessTokens;
  readonly parts: readonly Part[];
  readonly resources: ReadonlyMap<string, Resource>;
  readonly providers: Providers;
  readonly handlers: readonly InboxHandler[];
  readonly mail: AccountMail;
  readonly exports: UserExports;
  readonly plans: Pick<EventPlans, "jobFor">;
  readonly feed: Pick<Feed, "open">;
  readonly health: Pick<HealthSources, "configured" | "schedules" | "retention" | "handlers" | "flush">;
  /** Stores what this process has counted and not stored yet. */
  readonly countsFlush: () => Promise<void>;
  /** The names of Postern's own schedules. */
  readonly upkeep: readonly string[];
  readonly configuration: () => readonly ShownSetting[];
  /** Every scope that some operation needs, once the table is complete. */
  readonly scopes: () => readonly string[];
}

const allOfThem: readonly StandardOperation[] = ["list", "create", "read", "replace", "update", "delete"];

/** Standard operations that a resource replaces with its own, or does not have. */
const replaced: ReadonlyMap<string, readonly StandardOperation[]> = new Map([
  [user.name, ["create"]],
  [session.name, ["create", "read", "replace", "update", "delete"]],
  [apiKey.name, ["create", "replace", "update", "delete"]],
  [accountToken.name, allOfThem],
  [secondFactor.name, allOfThem],
  [client.name, allOfThem],
  [usedAssertion.name, allOfThem],
  [outsideIdentity.name, ["create", "read", "replace", "update", "delete"]],
  [userExport.name, allOfThem],
  [userExportPiece.name, allOfThem],
  [grant.name, ["create", "replace", "update", "delete"]],
]);

/** Accounts: their owners prove who they are, and change them. */
const accountOperations = (given: OperationParts): readonly Operation[] => [
  ...sessionOperations(given),
  ...userOperations(given),
  ...keyOperations(given),
  ...signingKeyOperations(given),
  ...clientOperations(given),
  ...grantOperations(),
  ...outsideIdentityOperations(given),
  ...passwordResetOperations(given),
  ...verificationOperations(given),
  ...confirmedOperations(given, given.resources),
  ...invitationOperations(given, given.resources),
  ...secondFactorOperations(given),
  ...exportOperations(given),
  ...accountPageOperations(),
];

/**
 * The operation table: everything that the application can do. To add an operation, add an entry to
 * one of these lists.
 */
export const operationsOf = (given: OperationParts): readonly Operation[] => {
  const { ports, parts, resources } = given;
  const users = parts.includes("users");
  const inbox = parts.includes("inbox");
  // Accounts elsewhere have a list of their own; no row of another resource includes them.
  const related = new Map([...resources].filter(([name]) => name !== outsideIdentity.name));
  return [
    ...(users ? accountOperations(given) : []),
    ...[...resources.values()].flatMap((resource) =>
      resourceOperations(resource, related, replaced.get(resource.name)).map((operation) =>
        users && resource.name === user.name ? toldChange(given, operation) : operation,
      ),
    ),
    ...(inbox ? [...webhookOperations(given.settings), ...eventOperations(given), searchOperation(given)] : []),
    ...jobOperations(ports, given.upkeep),
    causeOperation(ports),
    feedOperation(given.feed, ports.storage.audit),
    ...queueOperations(ports),
    ...scheduleOperations(ports, given.health.schedules, given.upkeep),
    healthOperation({ ports, inbox, ...given.health }),
    ...countOperations(ports, given.countsFlush),
    ...(inbox
      ? [
          ...providerOperations(given),
          ...providerKeyOperations(given),
          ...replayOperations(given),
          ...planOperations(given, given.plans),
          ...refusalOperations(given, given.health.flush),
          ...noteOperations(given),
        ]
      : []),
    ...auditOperations(ports),
    settingOperation(given.configuration),
  ];
};
