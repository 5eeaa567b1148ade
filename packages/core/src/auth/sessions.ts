import type { Environment } from "../environment.ts";
import { AppError } from "../errors/index.ts";
import { equals } from "../ports/condition.ts";
import { allRows, type ResourceRepository, type Row } from "../ports/resource-repository.ts";
import { session, timestampOf, user } from "../resources/index.ts";

/** What a sign-in answers, RFC 6749, section 5.1. */
export interface TokenPair {
  readonly access_token: string;
  readonly token_type: "Bearer";
  readonly expires_in: number;
  readonly refresh_token: string;
}

const system = allRows("sign-in");
const refreshTokenPrefix = "prt_";

/** 256 bits in hex behind a prefix that secret scanners can find. */
const newRefreshToken = ({ randomness }: Environment["ports"]): string =>
  refreshTokenPrefix + Array.from(randomness.bytes(32), (byte) => byte.toString(16).padStart(2, "0")).join("");

const tokensFor = async (
  { ports, settings }: Environment,
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

const expiry = ({ ports, settings }: Environment): string =>
  timestampOf(ports.clock.now() + settings.sessionSeconds * 1000);

/**
 * Starts a session. An unknown address and a wrong password are told apart by nothing, the time taken included.
 * @throws AppError `invalid_credentials`; `overloaded` when too many sign-ins are being checked.
 */
export const signIn = async (
  environment: Environment,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<TokenPair> => {
  const { storage, passwordHasher, secretBox, ids, clock } = environment.ports;
  const [account] = await storage.resources.list(user, {
    scope: system,
    where: equals("email", email.toLowerCase()),
    order: [{ field: "id", direction: "asc" }],
    limit: 1,
    fields: ["id", "password"],
  });
  const correct = await passwordHasher.verify(password, account === undefined ? undefined : String(account.password));
  if (!correct || account === undefined) {
    throw new AppError("invalid_credentials", { headers: { "www-authenticate": 'Bearer realm="postern"' } });
  }
  const userId = String(account.id);
  if (passwordHasher.isOutdated(String(account.password))) {
    await storage.resources.update(user, userId, system, { password: await passwordHasher.hash(password) });
  }
  const now = timestampOf(clock.now());
  const sessionId = ids.uuid();
  const refreshToken = newRefreshToken(environment.ports);
  await storage.resources.insert(session, {
    id: sessionId,
    user_id: userId,
    refresh_digest: await secretBox.digest(refreshToken),
    previous_digest: "",
    last_used_at: now,
    expires_at: expiry(environment),
    created_at: now,
    updated_at: now,
  });
  return tokensFor(environment, userId, sessionId, refreshToken);
};

const invalidRefreshToken = (): AppError =>
  new AppError("invalid_token", { detail: "The refresh token is not valid (any more); sign in again." });

const findSession = async ({ ports }: Environment, field: string, digest: string): Promise<Row | undefined> => {
  const [found] = await ports.storage.resources.list(session, {
    scope: system,
    where: equals(field, digest),
    order: [{ field: "id", direction: "asc" }],
    limit: 1,
  });
  return found;
};

/**
 * Exchanges a refresh token for a new pair; the old one is used up. Presenting a used one means that a copy is about: the session ends for
 * everybody (RFC 9700, section 4.14.2). Of two exchanges racing with the same token one succeeds.
 * @throws AppError `invalid_token`.
 */
export const refreshSession = async (environment: Environment, refreshToken: string): Promise<TokenPair> => {
  const { storage, secretBox, clock } = environment.ports;
  const digest = await secretBox.digest(refreshToken);
  const current = await findSession(environment, "refresh_digest", digest);
  if (current === undefined) {
    const stolen = await findSession(environment, "previous_digest", digest);
    if (stolen !== undefined) await storage.resources.delete(session, String(stolen.id), system);
    throw invalidRefreshToken();
  }
  const now = timestampOf(clock.now());
  if (String(current.expires_at) <= now) throw invalidRefreshToken();
  const next = newRefreshToken(environment.ports);
  const result = await storage.resources.update(
    session,
    String(current.id),
    system,
    {
      refresh_digest: await secretBox.digest(next),
      previous_digest: digest,
      last_used_at: now,
      expires_at: expiry(environment),
      updated_at: now,
    },
    { expectedRevision: Number(current.revision) },
  );
  if (result !== "done") throw invalidRefreshToken();
  return tokensFor(environment, String(current.user_id), String(current.id), next);
};

/** Ends every session of a user at once: after a change of password, say. */
export const endSessions = (resources: ResourceRepository, userId: string): Promise<number> =>
  resources.deleteWhere(session, system, equals("user_id", userId));
