import { type Answer, AppError, allRows, equals, type Row } from "@postern/core";
import { timestampOf } from "@postern/core/internal";
import { session } from "../resources/session.ts";
import { successorAgain, successorOf } from "../tokens/successor.ts";
import {
  bySession,
  expiry,
  newRefreshToken,
  placeOf,
  type SignInCall,
  type SignInParts,
  type TokenPair,
  tokensFor,
} from "./sessions.ts";

const system = allRows("refresh");
/** As `newRefreshToken` makes it. */
const refreshTokenForm = /^prt_([0-9a-f-]{36})_[0-9a-f]{64}$/;

const invalidRefreshToken = (): AppError =>
  new AppError("invalid_token", { detail: "The refresh token is not valid, or no longer valid; sign in again." });

/**
 * The session that a refresh token names, as long as it lasts.
 * @throws AppError `invalid_token`.
 */
const sessionOf = async (parts: SignInParts, refreshToken: string): Promise<Row> => {
  const { storage, clock } = parts.ports;
  const id = refreshTokenForm.exec(refreshToken)?.[1];
  const row = id === undefined ? undefined : await storage.resources.find(session, id, system);
  const now = timestampOf(clock.now());
  if (row === undefined || String(row.expires_at) <= now) throw invalidRefreshToken();
  // A bound that was lowered holds for sessions that are there, too.
  if (expiry(parts, Date.parse(String(row.created_at))) <= now) throw invalidRefreshToken();
  return row;
};

/** How often a session is read anew because another request has changed it. */
const mostLooks = 3;

/** The session was changed after it was read. */
class SessionMoved extends Error {
  override readonly name = "SessionMoved";
}

/**
 * Exchanges a refresh token for a new pair of tokens; the old one is used up. For 30 seconds, as
 * long as its successor is unused, the old token gets the same successor again, because an answer
 * can be lost and two programs can refresh at once. Any other used token is a copy, and the session
 * ends for everybody (RFC 9700, section 4.14.2).
 * @throws AppError `invalid_token`.
 */
export const refreshSession = async (
  parts: SignInParts,
  call: SignInCall,
  refreshToken: string,
  answerWith: (tokens: TokenPair) => Answer,
): Promise<Answer> => {
  for (let look = 0; look < mostLooks; look += 1) {
    const current = await sessionOf(parts, refreshToken);
    try {
      return await refreshOnce(parts, call, { refreshToken, current, answerWith });
    } catch (thrown) {
      if (!(thrown instanceof SessionMoved)) throw thrown;
    }
  }
  throw invalidRefreshToken();
};

interface Refresh {
  readonly refreshToken: string;
  readonly current: Row;
  readonly answerWith: (tokens: TokenPair) => Answer;
}

const aboutSession = ({ id, user_id }: Row) => ({
  ...bySession(String(user_id), String(id)),
  resource: session.name,
  id: String(id),
});

/** @throws AppError `invalid_token`; SessionMoved if the session is no longer as in `current`. */
const refreshOnce = async (
  parts: SignInParts,
  call: SignInCall,
  { refreshToken, current, answerWith }: Refresh,
): Promise<Answer> => {
  const { ports } = parts;
  const about = aboutSession(current);
  const { id } = about;
  const isNewest = current.refresh_digest === (await ports.secretBox.digest(refreshToken));
  const again = isNewest ? undefined : await successorAgain(ports, current, refreshToken);
  if (!isNewest && again === undefined) return endMisused(parts, call, about);
  const next = again ?? newRefreshToken(ports, id);
  const answer = answerWith(await tokensFor(parts, String(current.user_id), id, next));
  const now = timestampOf(ports.clock.now());
  const changes = isNewest
    ? {
        ...(await successorOf(ports, { id, presented: refreshToken, next })),
        last_used_at: now,
        ...placeOf(call.request),
        expires_at: expiry(parts, Date.parse(String(current.created_at))),
        updated_at: now,
      }
    : undefined;
  return call.write(about, async ({ resources }) => {
    if (changes === undefined) {
      const where = { all: [equals("id", id), equals("refresh_digest", String(current.refresh_digest))] };
      if ((await resources.hold(session, { scope: system, where }, 1)).length === 0) throw new SessionMoved();
      return answer;
    }
    const expectedRevision = Number(current.revision);
    const result = await resources.update(session, { id, scope: system }, changes, { expectedRevision });
    if (result !== "done") throw new SessionMoved();
    return answer;
  });
};

/**
 * Ends a session whose refresh token came back after its time, because somebody else may have it.
 * @throws AppError `invalid_token`.
 */
const endMisused = async (
  { ports }: SignInParts,
  call: SignInCall,
  about: ReturnType<typeof aboutSession>,
): Promise<never> => {
  await ports.storage.transaction(async ({ resources, audit }) => {
    await resources.delete(session, about.id, system);
    await call.note(audit, { ...about, actor: { kind: "anonymous" }, action: "sessions.reuse-detected" });
  });
  throw invalidRefreshToken();
};

/**
 * Ends a session if a refresh token comes back after its successor was used. For a request that may
 * be answered from a kept answer.
 * @throws AppError `invalid_token`, also for a session that has ended.
 */
export const refuseEarlierExchange = async (
  parts: SignInParts,
  call: SignInCall,
  refreshToken: string,
): Promise<void> => {
  const row = await sessionOf(parts, refreshToken);
  const digest = await parts.ports.secretBox.digest(refreshToken);
  if (row.refresh_digest !== digest && row.previous_digest !== digest)
    return endMisused(parts, call, aboutSession(row));
};
