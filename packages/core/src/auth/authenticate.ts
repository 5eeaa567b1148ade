import { AppError } from "../errors/index.ts";
import type { Ports } from "../ports/index.ts";
import { allRows } from "../ports/resource-repository.ts";
import { session, timestampOf, user } from "../resources/index.ts";
import type { Principal } from "./principal.ts";

/** How the API asks for a credential, RFC 6750, section 3. */
export const challenge = (error?: "invalid_token"): Readonly<Record<string, string>> => ({
  "www-authenticate": error === undefined ? 'Bearer realm="postern"' : `Bearer realm="postern", error="${error}"`,
});

/**
 * Who an access token speaks for. Session and role are read anew for every request, so that a sign-out, a change of role and a deletion take
 * effect with the next one.
 * @throws AppError `invalid_token` or `token_expired`.
 */
export const authenticate = async (
  { signer, clock, storage }: Pick<Ports, "signer" | "clock" | "storage">,
  token: string,
): Promise<Principal> => {
  const now = clock.now();
  const claims = await signer.readAccessToken(token, Math.floor(now / 1000)).catch((thrown: unknown) => {
    if (thrown instanceof AppError)
      throw new AppError(thrown.code, { headers: challenge("invalid_token"), cause: thrown });
    throw thrown;
  });
  const system = allRows("authentication");
  const [liveSession, account] = await Promise.all([
    storage.resources.find(session, claims.sessionId, system, ["user_id", "expires_at"]),
    storage.resources.find(user, claims.userId, system, ["role"]),
  ]);
  const valid =
    liveSession !== undefined &&
    account !== undefined &&
    liveSession.user_id === claims.userId &&
    String(liveSession.expires_at) > timestampOf(now);
  if (!valid) {
    throw new AppError("invalid_token", {
      detail: "The session has ended; sign in again.",
      headers: challenge("invalid_token"),
    });
  }
  return {
    kind: "user",
    userId: claims.userId,
    role: account.role === "admin" ? "admin" : "user",
    sessionId: claims.sessionId,
  };
};
