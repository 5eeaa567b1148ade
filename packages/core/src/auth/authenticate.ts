import { AppError } from "../errors/index.ts";
import type { Ports } from "../ports/index.ts";
import type { LiveSessions } from "./live-sessions.ts";
import type { Principal } from "./principal.ts";

/** How the API asks for a credential, RFC 6750, section 3. */
export const challenge = (error?: "invalid_token"): Readonly<Record<string, string>> => ({
  "www-authenticate": error === undefined ? 'Bearer realm="postern"' : `Bearer realm="postern", error="${error}"`,
});

/**
 * Who an access token speaks for. A sign-out, a change of role and a deletion hold for the next request; where another process made them, within a second.
 * @throws AppError `invalid_token` or `token_expired`.
 */
export const authenticate = async (
  { signer, clock }: Pick<Ports, "signer" | "clock">,
  sessions: LiveSessions,
  token: string,
): Promise<Principal> => {
  const now = clock.now();
  const { sessionId, userId } = await signer.readAccessToken(token, Math.floor(now / 1000)).catch((thrown: unknown) => {
    if (thrown instanceof AppError)
      throw new AppError(thrown.code, { headers: challenge("invalid_token"), cause: thrown });
    throw thrown;
  });
  const session = await sessions.find(sessionId, userId);
  if (session === undefined || session.expiresAt <= now) {
    throw new AppError("invalid_token", {
      detail: "The session has ended; sign in again.",
      headers: challenge("invalid_token"),
    });
  }
  return { kind: "user", userId, role: session.role, sessionId };
};
