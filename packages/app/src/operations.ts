import type { Resource } from "@postern/core";
import { type Operation, resourceOperations, type StandardOperation } from "@postern/rest";
import type { AccountMail } from "./account/account-mail.ts";
import { accountPageOperations } from "./account/account-page.ts";
import { personOperation } from "./console/person-operation.ts";
import { exportOperations } from "./exports/export-operations.ts";
import type { UserExports } from "./exports/user-exports.ts";
import { keyOperations } from "./keys/key-operations.ts";
import { grantOperations } from "./oauth/grant-operations.ts";
import { clientOperations, type OperatorParts, operatorOperations, signingKeyOperations } from "./operator/index.ts";
import { outsideIdentityOperations } from "./outside/outside-identity-operations.ts";
import type { Part } from "./parts.ts";
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
import type { SettingsInForce } from "./settings.ts";
import { sessionOperations } from "./sign-in/session-operations.ts";
import type { AccessTokens } from "./tokens/access-tokens.ts";
import { confirmedOperations } from "./users/confirmed-operations.ts";
import { invitationOperations } from "./users/invitation-operations.ts";
import { passwordResetOperations } from "./users/password-reset-operations.ts";
import { secondFactorOperations } from "./users/second-factor-operations.ts";
import { confirmedChange } from "./users/told-changes.ts";
import { userOperations } from "./users/user-operations.ts";
import { verificationOperations } from "./users/verification-operations.ts";

/** The dependencies of the operations. */
interface OperationParts extends OperatorParts {
  readonly settings: SettingsInForce;
  readonly tokens: AccessTokens;
  readonly parts: readonly Part[];
  readonly resources: ReadonlyMap<string, Resource>;
  readonly mail: AccountMail;
  readonly exports: UserExports;
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
  ...accountPageOperations(given.settings.product),
  personOperation(given.ports, given.scopes),
];

/**
 * The operation table: everything that the application can do. To add an operation, add an entry to
 * one of these lists.
 */
export const operationsOf = (given: OperationParts): readonly Operation[] => {
  const { parts, resources } = given;
  const users = parts.includes("users");
  // Accounts elsewhere have a list of their own; no row of another resource includes them.
  const related = new Map([...resources].filter(([name]) => name !== outsideIdentity.name));
  return [
    ...(users ? accountOperations(given) : []),
    ...[...resources.values()].flatMap((resource) =>
      resourceOperations(resource, related, replaced.get(resource.name)).map((operation) =>
        users && resource.name === user.name ? confirmedChange(given, operation) : operation,
      ),
    ),
    ...operatorOperations(given, { inbox: parts.includes("inbox"), users }),
  ];
};
