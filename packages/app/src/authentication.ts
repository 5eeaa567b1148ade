import { AppError, type Ports, type Resource } from "@postern/core";
import { type Authenticate, challenge, type Roles, type UserPrincipal } from "@postern/rest";
import type { AccountMail } from "./account/account-mail.ts";
import { isKeyText, keyAuthentication } from "./keys/authenticate-key.ts";
import { clientAuthentication } from "./oauth/authenticate-token.ts";
import { type OutsideAuthentication, outsideAuthentication } from "./outside/authenticate-outside.ts";
import type { Origin } from "./outside/outside-accounts.ts";
import { checkOutsideIssuer } from "./outside/outside-issuer.ts";
import type { Settings } from "./settings.ts";
import type { LiveSessions } from "./sign-in/live-sessions.ts";
import { type AccessTokens, consoleClientId, ownClientId } from "./tokens/access-tokens.ts";

/** How callers are found. */
interface SignIn {
  readonly authenticate: Authenticate;
  readonly principalOf: TokenAuthentication;
}

interface SignInOptions {
  readonly ports: Ports;
  /** Says who a request acts for, in an application without the part `users`. */
  readonly authenticate: Authenticate | undefined;
  /** Roles of the application's own. */
  readonly roles: Roles;
  /** `undefined` without the part `users`. */
  readonly sessions: LiveSessions | undefined;
  readonly settings: Settings;
  readonly tokens: AccessTokens;
  /** Every scope that operations require, once the table is complete. */
  readonly scopes: () => readonly string[];
  readonly mail: AccountMail;
  /** The user as the application has it. */
  readonly user: Resource;
}

/**
 * Finds out who a request acts for. With the part `users`, the access token or API key says so.
 * Without that part, `authenticate` of the application decides.
 */
export const signInOf = ({
  ports,
  authenticate,
  roles,
  sessions,
  settings,
  tokens,
  scopes,
  mail,
  user,
}: SignInOptions): SignIn => {
  const { outsideIssuer } = settings;
  if (sessions === undefined) {
    if (outsideIssuer !== undefined) throw new TypeError('outsideIssuer: this needs the part "users"');
    return {
      authenticate: authenticate ?? (async () => undefined),
      principalOf: async () => {
        throw new AppError("invalid_token");
      },
    };
  }
  if (authenticate !== undefined) {
    throw new TypeError('authenticate: the part "users" finds out itself who calls; leave one of the two out');
  }
  if (outsideIssuer !== undefined) checkOutsideIssuer(outsideIssuer, settings.issuer);
  const outsideParts = { ports, settings, ownRoles: Object.keys(roles), scopes, mail, user };
  const outside =
    outsideIssuer === undefined ? undefined : outsideAuthentication({ ...outsideParts, outside: outsideIssuer });
  const principalOf = authenticateBearer(ports, tokens, sessions, { settings, outside });
  const byBearer: Authenticate = async ({ credential, facts }) => {
    if (credential instanceof Error) throw credential;
    return credential === undefined ? undefined : principalOf(credential, facts);
  };
  return { authenticate: byBearer, principalOf };
};

/**
 * Finds out whom a token speaks for. Without an origin, tokens of an outside issuer are refused.
 * @throws AppError `invalid_token`, `token_expired`; for tokens of an outside issuer also
 *   `account_exists`, `address_unverified`, `forbidden`, `insufficient_scope` and `unavailable`.
 */
type TokenAuthentication = (token: string, origin?: Origin) => Promise<UserPrincipal>;

/** Other facts that decide who a token acts for. */
interface TokenSettings {
  readonly settings: Pick<Settings, "adminMfa">;
  readonly outside: OutsideAuthentication | undefined;
}

/**
 * Whom an access token or an API key speaks for. A sign-out, a change of role and a deletion take
 * effect with the next request or, if another process made them, within a second. An API key that
 * ends is refused from the next request on, wherever it was ended. It throws AppError
 * `invalid_token` or `token_expired`.
 */
const authenticateBearer = (
  ports: Pick<Ports, "storage" | "clock" | "secretBox" | "telemetry">,
  tokens: AccessTokens,
  sessions: LiveSessions,
  { settings, outside }: TokenSettings,
): TokenAuthentication => {
  const { clock } = ports;
  const principalOfKey = keyAuthentication(ports, settings);
  const principalOfClient = clientAuthentication(ports, settings);
  return async (token, origin) => {
    if (isKeyText(token)) return principalOfKey(token);
    if (origin !== undefined && outside?.claims(token) === true) return outside.principalOf(token, origin);
    const now = clock.now();
    const claims = await tokens.read(token).catch((thrown: unknown) => {
      if (!(thrown instanceof AppError) || thrown.status !== 401) throw thrown;
      const detail =
        thrown.code === "token_expired"
          ? "This access token has expired; refresh it or sign in again."
          : "This access token is not valid; sign in again.";
      throw new AppError(thrown.code, { detail, headers: challenge("invalid_token"), cause: thrown });
    });
    const ofConsole = claims.clientId === consoleClientId;
    if (claims.clientId !== ownClientId && !ofConsole) return principalOfClient(claims);
    const { sessionId = "", subject: userId } = claims;
    const session = await sessions.find(sessionId, userId);
    if (session === undefined || session.expiresAt <= now) {
      throw new AppError("invalid_token", {
        detail: "The session has ended; sign in again.",
        headers: challenge("invalid_token"),
      });
    }
    const { signedInAt } = session;
    const credential = { kind: "session", id: sessionId, signedInAt, ...(ofConsole ? { ofConsole } : {}) } as const;
    return { kind: "user", userId, credential, ...session.acting };
  };
};
