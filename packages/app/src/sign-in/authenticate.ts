import { AppError, type Ports } from "@postern/core";
import { type Authenticate, challenge } from "@postern/rest";
import type { LiveSessions } from "./live-sessions.ts";

/**
 * Who the access token of a request speaks for; `undefined` for a request without one. A sign-out, a
 * change of role and a deletion hold for the next request; where another process made them, within a
 * second. It throws AppError `invalid_token` or `token_expired`.
 */
export const authenticateBearer =
  ({ signer, clock }: Pick<Ports, "signer" | "clock">, sessions: LiveSessions): Authenticate =>
  async ({ credential }) => {
    const token = typeof credential === "function" ? credential() : undefined;
    if (token === undefined) return undefined;
    const now = clock.now();
    const { sessionId, userId } = await signer
      .readAccessToken(token, Math.floor(now / 1000))
      .catch((thrown: unknown) => {
        if (!(thrown instanceof AppError)) throw thrown;
        throw new AppError(thrown.code, { headers: challenge("invalid_token"), cause: thrown });
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
