import { AppError, type Ports } from "@postern/core";
import type { Authenticate, Roles } from "@postern/rest";
import type { AccountMail } from "../account/account-mail.ts";
import { outsideAuthentication } from "../outside/authenticate-outside.ts";
import { checkOutsideIssuer } from "../outside/outside-issuer.ts";
import type { Part } from "../parts.ts";
import type { Settings } from "../settings.ts";
import type { AccessTokens } from "../tokens/access-tokens.ts";
import { authenticateBearer, type TokenAuthentication } from "./authenticate.ts";
import { liveSessions } from "./live-sessions.ts";

/** How callers are found, and the storage through which users and sessions are changed. */
export interface SignIn {
  readonly storage: Ports["storage"];
  readonly authenticate: Authenticate;
  readonly principalOf: TokenAuthentication;
}

interface SignInOptions {
  readonly ports: Ports;
  /** Says who a request acts for, in an application without the part `users`. */
  readonly authenticate: Authenticate | undefined;
  /** Roles of the application's own. */
  readonly roles: Roles;
  readonly parts: readonly Part[];
  readonly settings: Settings;
  readonly tokens: AccessTokens;
  /** Every scope that operations require, once the table is complete. */
  readonly scopes: () => readonly string[];
  /** Mails about accounts, once they can be sent. */
  readonly mail: () => AccountMail;
}

const withoutUsers = ({ storage }: Ports, authenticate: Authenticate = async () => undefined): SignIn => ({
  storage,
  authenticate,
  principalOf: async () => {
    throw new AppError("invalid_token");
  },
});

/**
 * Finds out who a request acts for. With the part `users`, the access token or API key says so.
 * Sessions are read through a cache, and all writes go through a storage that tells the cache what
 * changed. Without that part, `authenticate` of the application decides.
 */
export const signInOf = ({
  ports,
  authenticate,
  roles,
  parts,
  settings,
  tokens,
  scopes,
  mail,
}: SignInOptions): SignIn => {
  const { outsideIssuer } = settings;
  if (!parts.includes("users")) {
    if (outsideIssuer !== undefined) throw new TypeError('outsideIssuer: this needs the part "users"');
    return withoutUsers(ports, authenticate);
  }
  if (authenticate !== undefined) {
    throw new TypeError('authenticate: the part "users" finds out itself who calls; leave one of the two out');
  }
  const sessions = liveSessions(ports, settings);
  const { storage } = sessions;
  if (outsideIssuer !== undefined) checkOutsideIssuer(outsideIssuer, settings.issuer);
  const outsideParts = { ports: { ...ports, storage }, settings, ownRoles: Object.keys(roles), scopes, mail };
  const outside = outsideIssuer === undefined ? undefined : outsideAuthentication(outsideParts, outsideIssuer);
  const principalOf = authenticateBearer({ ...ports, storage }, tokens, sessions, { settings, outside });
  const byBearer: Authenticate = async ({ credential, facts }) => {
    if (credential instanceof AppError) throw credential;
    return credential === undefined ? undefined : principalOf(credential, facts);
  };
  return { storage, authenticate: byBearer, principalOf };
};
