import type { Answer, Ports } from "@postern/core";
import { AppError, allRows, equals, type FieldValue, type ResourceRepository, type Row } from "@postern/core";
import { timestampOf } from "@postern/core/parts";
import type { AuditNote, Call, Use } from "@postern/rest";
import { challenge, networkOf } from "@postern/rest";
import { session } from "../resources/session.ts";
import { user } from "../resources/user.ts";
import type { Settings } from "../settings.ts";

/** What a sign-in answers, RFC 6749, section 5.1. */
export interface TokenPair {
  readonly access_token: string;
  readonly token_type: "Bearer";
  readonly expires_in: number;
  readonly refresh_token: string;
}

/** What signing in works with. */
export interface SignInParts {
  readonly ports: Pick<Ports, "storage" | "signer" | "clock" | "ids" | "randomness" | "secretBox" | "passwordHasher">;
  readonly settings: Pick<Settings, "accessTokenSeconds" | "sessionSeconds">;
}

const system = allRows("sign-in");
/** `prt_<session id>_<256 bits in hex>`: the prefix is for secret scanners, the id finds the session. */
const refreshTokenForm = /^prt_([0-9a-f-]{36})_[0-9a-f]{64}$/;

const newRefreshToken = ({ randomness }: Pick<Ports, "randomness">, sessionId: string): string =>
  `prt_${sessionId}_${Array.from(randomness.bytes(32), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;

const tokensFor = async (
  { ports, settings }: SignInParts,
  userId: string,
  sessionId: string,
  refreshToken: string,
): Promise<TokenPair> => {
  const issuedAt = Math.floor(ports.clock.now() / 1000);
  const expiresAt = issuedAt + settings.accessTokenSeconds;
  return {
    access_token: await ports.signer.issueAccessToken({ userId, sessionId, issuedAt, expiresAt }),
    token_type: "Bearer",
    expires_in: settings.accessTokenSeconds,
    refresh_token: refreshToken,
  };
};

const expiry = ({ ports, settings }: SignInParts): string =>
  timestampOf(ports.clock.now() + settings.sessionSeconds * 1000);

const invalidCredentials = (): AppError => new AppError("invalid_credentials", { headers: challenge() });

/** The account's hash, made anew with today's parameters where they have changed, unless the account was written to meanwhile. */
const currentHash = async ({ ports }: SignInParts, account: Row, password: string): Promise<FieldValue | undefined> => {
  const { passwordHasher, storage } = ports;
  if (!passwordHasher.isOutdated(String(account.password))) return account.password;
  const hash = await passwordHasher.hash(password);
  const expectedRevision = Number(account.revision);
  const result = await storage.resources.update(
    user,
    String(account.id),
    system,
    { password: hash },
    { expectedRevision },
  );
  return result === "done" ? hash : account.password;
};

/**
 * Holds an account until the transaction ends, if its password is still the one with this hash: a check takes long, and of what two callers do who proved the
 * same password the second must not undo the first's change of it.
 * @throws AppError `invalid_credentials`.
 */
export const holdPassword = async (
  resources: ResourceRepository,
  userId: string,
  hash: FieldValue | undefined,
): Promise<void> => {
  const where = { all: [equals("id", userId), equals("password", String(hash))] };
  const held = await resources.hold(user, { scope: system, where }, 1);
  if (held.length === 0) throw invalidCredentials();
};

/** What a sign-in needs of its request. */
type SignInCall = Pick<Call, "write" | "note" | "limits" | "request">;

/**
 * Starts a session. An unknown address and a wrong password are told apart by nothing, the time taken included.
 * @throws AppError `invalid_credentials`; `overloaded` when too many sign-ins are being checked.
 */
export const signIn = async (
  parts: SignInParts,
  call: SignInCall,
  { email, password }: { readonly email: string; readonly password: string },
  answerWith: (tokens: TokenPair) => Answer,
): Promise<Answer> => {
  const { storage, passwordHasher, secretBox, ids, clock } = parts.ports;
  const tried = await takeTry(parts, call, email.toLowerCase());
  const [account] = await storage.resources.list(user, {
    scope: system,
    where: equals("email", email.toLowerCase()),
    order: [{ field: "id", direction: "asc" }],
    limit: 1,
    fields: ["id", "password", "revision"],
  });
  const correct = await passwordHasher.verify(password, account === undefined ? undefined : String(account.password));
  if (!correct || account === undefined) {
    const about = account === undefined ? {} : { resource: user.name, id: String(account.id) };
    await call.note(storage.audit, { ...about, result: "invalid_credentials" });
    throw invalidCredentials();
  }
  await tried.giveBack();
  const userId = String(account.id);
  const hash = await currentHash(parts, account, password);
  const now = timestampOf(clock.now());
  const sessionId = ids.uuid();
  const refreshToken = newRefreshToken(parts.ports, sessionId);
  const row = {
    id: sessionId,
    user_id: userId,
    refresh_digest: await secretBox.digest(refreshToken),
    last_used_at: now,
    expires_at: expiry(parts),
    created_at: now,
    updated_at: now,
  };
  const answer = answerWith(await tokensFor(parts, userId, sessionId, refreshToken));
  return call.write(
    { ...bySession(userId, sessionId), resource: session.name, id: sessionId },
    async ({ resources }) => {
      // A change of password may have come between; its end of all sessions must hold for this one, too.
      await holdPassword(resources, userId, hash);
      await resources.insert(session, row);
      return answer;
    },
  );
};

/**
 * A try at an account's password; give it back when it was right. An account whose tries are used up can still be tried a few times from each address, so
 * that whoever guesses from elsewhere does not lock its owner out.
 * @throws AppError `rate_limited`.
 */
export const takeTry = async (
  { ports: { secretBox } }: { readonly ports: Pick<Ports, "secretBox"> },
  { limits, request }: Pick<Call, "limits" | "request">,
  account: string,
): Promise<Use> => {
  const key = await secretBox.digest(account);
  return limits.takeEither(["sign-in-account", key], ["sign-in-pair", `${key}:${networkOf(request.address)}`]);
};

/** Who a request without an access token turned out to act for. */
const bySession = (userId: string, sessionId: string): Pick<AuditNote, "actor" | "credential"> => ({
  actor: { kind: "user", id: userId },
  credential: `session:${sessionId}`,
});

const invalidRefreshToken = (): AppError =>
  new AppError("invalid_token", { detail: "The refresh token is not valid (any more); sign in again." });

/**
 * Exchanges a refresh token for a new pair; the old one is used up. Presenting a used one means that a copy is about: the session ends for
 * everybody (RFC 9700, section 4.14.2). Of two exchanges racing with the same token one succeeds at most.
 * @throws AppError `invalid_token`.
 */
export const refreshSession = async (
  parts: SignInParts,
  call: SignInCall,
  refreshToken: string,
  answerWith: (tokens: TokenPair) => Answer,
): Promise<Answer> => {
  const { storage, secretBox, clock } = parts.ports;
  const sessionId = refreshTokenForm.exec(refreshToken)?.[1];
  const current = sessionId === undefined ? undefined : await storage.resources.find(session, sessionId, system);
  const now = timestampOf(clock.now());
  if (sessionId === undefined || current === undefined || String(current.expires_at) <= now)
    throw invalidRefreshToken();
  const userId = String(current.user_id);
  const about = { ...bySession(userId, sessionId), resource: session.name, id: sessionId };
  if (current.refresh_digest !== (await secretBox.digest(refreshToken))) {
    await storage.transaction(async ({ resources, audit }) => {
      await resources.delete(session, sessionId, system);
      await call.note(audit, { ...about, actor: { kind: "anonymous" }, action: "sessions.reuse-detected" });
    });
    throw invalidRefreshToken();
  }
  const next = newRefreshToken(parts.ports, sessionId);
  const changes = {
    refresh_digest: await secretBox.digest(next),
    last_used_at: now,
    expires_at: expiry(parts),
    updated_at: now,
  };
  const answer = answerWith(await tokensFor(parts, userId, sessionId, next));
  const expectedRevision = Number(current.revision);
  return call.write(about, async ({ resources }) => {
    const result = await resources.update(session, sessionId, system, changes, { expectedRevision });
    if (result !== "done") throw invalidRefreshToken();
    return answer;
  });
};

/** Ends every session of a user at once: after a change of password, say. */
export const endSessions = (resources: ResourceRepository, userId: string): Promise<number> =>
  resources.deleteWhere(session, system, equals("user_id", userId));
