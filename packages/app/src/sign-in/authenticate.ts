import { AppError, type Ports } from "@postern/core";
import { challenge, type UserPrincipal } from "@postern/rest";
import { keyAuthentication } from "../keys/authenticate-key.ts";
import { isKeyText } from "../keys/key-text.ts";
import { clientAuthentication } from "../oauth/authenticate-token.ts";
import type { OutsideAuthentication } from "../outside/authenticate-outside.ts";
import type { Origin } from "../outside/outside-accounts.ts";
import type { Settings } from "../settings.ts";
import { type AccessTokens, ownClientId } from "../tokens/access-tokens.ts";
import type { LiveSessions } from "./live-sessions.ts";

/**
 * Finds out whom a token speaks for. Without an origin, tokens of an outside issuer are refused.
 * @throws AppError `invalid_token`, `token_expired`; for tokens of an outside issuer also
 *   `account_exists`, `address_unverified`, `forbidden` and `unavailable`.
 */
export type TokenAuthentication = (token: string, origin?: Origin) => Promise<UserPrincipal>;

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
export const authenticateBearer = (
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
    if (claims.clientId !== ownClientId) return principalOfClient(claims);
    const { sessionId = "", subject: userId } = claims;
    const session = await sessions.find(sessionId, userId);
    if (session === undefined || session.expiresAt <= now) {
      throw new AppError("invalid_token", {
        detail: "The session has ended; sign in again.",
        headers: challenge("invalid_token"),
      });
    }
    const credential = { kind: "session", id: sessionId, signedInAt: session.signedInAt } as const;
    // V8 takes many times as long to spread an object and add members.
    return Object.assign({ kind: "user", userId, credential } as const, session.acting);
  };
};
