import type { Ports } from "@postern/core";
import {
  type Answer,
  AppError,
  allRows,
  equals,
  type FieldValue,
  type ResourceRepository,
  type Row,
  type Stores,
} from "@postern/core";
import { canonicalAddress, timestampOf } from "@postern/core/internal";
import type { AuditNote, EngineCall, RequestFacts, Use } from "@postern/rest";
import { challenge, networkOf } from "@postern/rest";
import { z } from "zod";
import type { AccountMail } from "../account/account-mail.ts";
import { countFailure, issueToken, readToken, spendOneToken } from "../account/account-token.ts";
import { checkCode, useCode, wrongCode } from "../account/second-factors.ts";
import { accountToken } from "../resources/account-token.ts";
import { grant } from "../resources/grant.ts";
import { session } from "../resources/session.ts";
import { user } from "../resources/user.ts";
import type { Settings } from "../settings.ts";
import { type AccessTokens, accessTokenSeconds, ownClientId } from "../tokens/access-tokens.ts";
import { noSuccessor } from "../tokens/successor.ts";
import { hashingFor } from "./hashing-for.ts";
import { hashIn } from "./password.ts";

/** The answer to a sign-in, RFC 6749, section 5.1. */
export interface TokenPair {
  readonly access_token: string;
  readonly token_type: "Bearer";
  readonly expires_in: number;
  readonly refresh_token: string;
}

/** The dependencies of sign-in. */
export interface SignInParts {
  readonly ports: Pick<
    Ports,
    "storage" | "clock" | "ids" | "randomness" | "secretBox" | "passwordHasher" | "wakeup" | "oneTimeCodes" | "alerts"
  >;
  readonly tokens: AccessTokens;
  readonly settings: Pick<Settings, "requireVerified" | "sessionMostSeconds" | "sessionSeconds">;
  readonly mail: Pick<AccountMail, "jobsFor">;
}

const system = allRows("sign-in");

/**
 * How long a sign-in waits for the second factor, the wrong codes that end it, and how many of one
 * account wait at once. With five tries, the chance to guess a code is 1 in 60,000.
 */
const challengeBounds = { seconds: 5 * 60, tries: 5, atOnce: 5 };
/** The sessions that a user has at once: one for each device, and some that were forgotten. */
const mostSessions = 20;
/**
 * `prt_<session id>_<256 bits in hex>`: the prefix is for secret scanners, the id finds the
 * session.
 */
export const newRefreshToken = ({ randomness }: Pick<Ports, "randomness">, sessionId: string): string =>
  `prt_${sessionId}_${z.util.uint8ArrayToHex(randomness.bytes(32))}`;

export const tokensFor = async (
  { tokens }: SignInParts,
  userId: string,
  sessionId: string,
  refreshToken: string,
): Promise<TokenPair> => ({
  access_token: await tokens.issue({ subject: userId, clientId: ownClientId, sessionId }),
  token_type: "Bearer",
  expires_in: accessTokenSeconds,
  refresh_token: refreshToken,
});

/** When a session of this sign-in ends unless it is refreshed (again). */
export const expiry = ({ ports, settings }: SignInParts, signedInAt: number): string => {
  const { sessionSeconds, sessionMostSeconds } = settings;
  return timestampOf(Math.min(ports.clock.now() + sessionSeconds * 1000, signedInAt + sessionMostSeconds * 1000));
};

/** The origin of a session's last use. A request need not name its program. */
export const placeOf = ({ agent = "", address }: Pick<RequestFacts, "agent" | "address">) => ({
  device: agent === "" ? null : agent,
  address: address.slice(0, 64),
});

/** Ends the oldest sessions of a user who is held, so that there is room for one more. */
const endOldestSessions = async (
  { resources, audit }: Pick<Stores, "resources" | "audit">,
  call: Pick<EngineCall, "note">,
  userId: string,
  most: number,
): Promise<void> => {
  const ids = await resources.list(session, {
    scope: system,
    where: equals("user_id", userId),
    order: [{ field: "id", direction: "asc" }],
    limit: 1_000,
    fields: ["id"],
  });
  for (const { id } of ids.slice(0, Math.max(0, ids.length - most + 1))) {
    await resources.delete(session, String(id), system);
    await call.note(audit, { ...displaced, actor: { kind: "user", id: userId }, id: String(id) });
  }
};

/** The audit note of a sign-in that ends the oldest session of a user who has too many. */
const displaced = { action: "sessions.displace", resource: session.name } as const;

const invalidCredentials = (): AppError => new AppError("invalid_credentials", { headers: challenge() });

/**
 * The account's hash. If its parameters are outdated, it is made anew, unless another write has
 * changed the account since it was read.
 */
const currentHash = async (
  { ports }: SignInParts,
  call: SignInCall,
  account: Row,
  password: string,
): Promise<FieldValue | undefined> => {
  const { passwordHasher, storage } = ports;
  if (!passwordHasher.isOutdated(String(account.password))) return account.password;
  const hash = await passwordHasher.hash(password, hashingFor(call));
  const expectedRevision = Number(account.revision);
  const result = await storage.resources.update(
    user,
    { id: String(account.id), scope: system },
    { password: hash },
    { expectedRevision },
  );
  return result === "done" ? hash : account.password;
};

/**
 * Locks an account until the transaction ends, if its password still has this hash. Checking a
 * password takes long. If two callers prove the same password, the second must not undo the first
 * one's change of it.
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

/**
 * Refuses a sign-in with an address that is not verified, and sends a link to it. Only a caller who
 * knows the password learns this.
 * @throws AppError `address_unverified`.
 */
const refuseUnverified = async ({ ports, mail }: SignInParts, call: SignInCall, userId: string): Promise<never> => {
  const jobs = await mail.jobsFor({ about: "verify", userId });
  await ports.storage.transaction(async ({ jobs: queue, audit }) => {
    if (jobs.length > 0) await queue.enqueue(jobs, ports.clock.now());
    await call.note(audit, { resource: user.name, id: userId, result: "address_unverified" });
  });
  ports.wakeup.notify();
  throw new AppError("address_unverified", {
    detail: "Verify your address first: a link is on its way to it, unless several were sent in the last half hour.",
  });
};

/**
 * Answers a right password of an account with a second factor.
 * @throws AppError `mfa_required` with the challenge that `POST /sessions/mfa` takes;
 *   `rate_limited` while too many sign-ins of the account wait for a code.
 */
const askForSecondFactor = async (
  { ports }: SignInParts,
  call: SignInCall,
  userId: string,
  hash: string,
): Promise<never> => {
  const { seconds, atOnce: most } = challengeBounds;
  const issued = await ports.storage.transaction(async ({ resources, audit }) => {
    const bounds = { lifeMs: seconds * 1000, most };
    const token = { purpose: "second-factor", userId, subject: userId, content: hash, ...bounds } as const;
    await call.note(audit, { resource: user.name, id: userId, result: "mfa_required" });
    return issueToken(ports, resources, token);
  });
  if (issued === undefined) {
    throw new AppError("rate_limited", {
      detail: "Too many sign-ins of this account wait for a code; wait a few minutes.",
      headers: { "retry-after": String(seconds) },
    });
  }
  throw new AppError("mfa_required", {
    detail: "Send the challenge with a code of your authenticator app, or a recovery code, to POST /sessions/mfa.",
    headers: { ...challenge(), "cache-control": "no-store" },
    extra: { challenge: issued.text, expires_in: seconds },
  });
};

/** @throws AppError `invalid_token` instead of `not_found`. */
const refuseChallenge = (cause: unknown): never => {
  if (!(cause instanceof AppError) || cause.code !== "not_found") throw cause;
  throw new AppError("invalid_token", {
    detail: "This challenge is not valid, or no longer valid; sign in again.",
    headers: challenge(),
    cause,
  });
};

/**
 * Completes a sign-in that waits for the second factor.
 * @throws AppError `invalid_token` for a challenge that is not valid, or no longer valid;
 * `invalid_credentials` for a wrong code, and for one that was used; `rate_limited`.
 */
export const finishSignIn = async (
  parts: SignInParts,
  call: SignInCall,
  given: { readonly challenge: string; readonly code: string },
  answerWith: (tokens: TokenPair) => Answer,
): Promise<Answer> => {
  const { storage } = parts.ports;
  const token = await readToken(parts.ports, "second-factor", given.challenge).catch(async (cause: unknown) => {
    await call.note(storage.audit, { result: "invalid_token" });
    return refuseChallenge(cause);
  });
  const userId = token.userId ?? "";
  const tried = await takeTry(parts, call, `second-factor ${userId}`, async () => aboutUser(userId));
  const used = await checkCode(parts.ports, userId, given.code);
  if (used === undefined) {
    await storage.transaction(async ({ resources, audit }) => {
      await countFailure(resources, token, challengeBounds.tries);
      await call.note(audit, { resource: user.name, id: userId, result: "invalid_credentials" });
    });
    throw wrongCode();
  }
  await tried.giveBack();
  return startSession(parts, call, {
    userId,
    hash: token.content,
    answerWith,
    first: async (resources) => {
      await useCode(resources, used);
      await spendOneToken(resources, token).catch(refuseChallenge);
    },
  });
};

/** The parts of a request that a sign-in needs. */
export type SignInCall = Pick<EngineCall, "write" | "note" | "limits" | "request">;

/**
 * Starts a session. Nothing distinguishes an unknown address from a wrong password, not even the
 * time taken.
 * @throws AppError `invalid_credentials`; `overloaded` when too many sign-ins are being checked.
 */
export const signIn = async (
  parts: SignInParts,
  call: SignInCall,
  { email: typed, password }: { readonly email: string; readonly password: string },
  answerWith: (tokens: TokenPair) => Answer,
): Promise<Answer> => {
  const { storage, passwordHasher } = parts.ports;
  const email = canonicalAddress(typed);
  const find = async (): Promise<Row | undefined> => {
    const [found] = await storage.resources.list(user, {
      scope: system,
      where: equals("email", email),
      order: [{ field: "id", direction: "asc" }],
      limit: 1,
      fields: ["id", "password", "revision", "email", "verified_email", "second_factor_at"],
    });
    return found;
  };
  const tried = await takeTry(parts, call, email, async () => aboutUser((await find())?.id));
  const account = await find();
  const stored = account === undefined ? undefined : hashIn(account.password);
  const correct = await passwordHasher.verify(password, stored, hashingFor(call));
  if (!correct || account === undefined) {
    await call.note(storage.audit, { ...aboutUser(account?.id), result: "invalid_credentials" });
    throw invalidCredentials();
  }
  await tried.giveBack();
  const userId = String(account.id);
  if (parts.settings.requireVerified && account.verified_email !== account.email) {
    await refuseUnverified(parts, call, userId);
  }
  const hash = await currentHash(parts, call, account, password);
  if ((account.second_factor_at ?? null) !== null) return askForSecondFactor(parts, call, userId, String(hash));
  return startSession(parts, call, { userId, hash, answerWith });
};

/** A user who has proved who they are. */
interface Proved {
  readonly userId: string;
  /** The hash of the password that was right. */
  readonly hash: FieldValue | undefined;
  readonly answerWith: (tokens: TokenPair) => Answer;
  /** Work that the transaction does before it stores the session. */
  readonly first?: (resources: ResourceRepository) => Promise<void>;
}

const startSession = async (
  parts: SignInParts,
  call: SignInCall,
  { userId, hash, answerWith, first }: Proved,
): Promise<Answer> => {
  const { secretBox, ids, clock } = parts.ports;
  const now = timestampOf(clock.now());
  const sessionId = ids.uuid();
  const refreshToken = newRefreshToken(parts.ports, sessionId);
  const row = {
    id: sessionId,
    user_id: userId,
    refresh_digest: await secretBox.digest(refreshToken),
    previous_digest: null,
    ...noSuccessor,
    last_used_at: now,
    ...placeOf(call.request),
    expires_at: expiry(parts, clock.now()),
    created_at: now,
    updated_at: now,
  };
  const answer = answerWith(await tokensFor(parts, userId, sessionId, refreshToken));
  return call.write({ ...bySession(userId, sessionId), resource: session.name, id: sessionId }, async (stores) => {
    const { resources } = stores;
    await first?.(resources);
    // The password may have been changed since then, which ends all sessions. That must include
    // this one.
    await holdPassword(resources, userId, hash);
    await endOldestSessions(stores, call, userId, mostSessions);
    await resources.insert(session, row);
    return answer;
  });
};

/** Names a user in a note for the audit log. Without an id, the note names no resource. */
export const aboutUser = (id: FieldValue | undefined): Pick<AuditNote, "resource" | "id"> =>
  id === undefined ? {} : { resource: user.name, id: String(id) };

/** The waits of one address at one account, shortest first. */
const pairPolicies = ["sign-in-pair", "sign-in-pair-slower", "sign-in-pair-slowest"] as const;

/**
 * Takes one try at an account's password. Give it back if the password was right.
 *
 * Each address waits longer and longer between its failures at one account. When an account's tries
 * over all addresses are used up, each address that is new to the account still has a few. So an
 * attacker elsewhere cannot lock out the owner.
 *
 * A try that comes too soon is answered like a wrong password, also for an unknown account. One
 * entry in the audit log, `rate_limited`, stands for all such tries at an account within 15
 * minutes; `about` names the account in it.
 * @throws AppError `invalid_credentials` with `Retry-After`.
 */
export const takeTry = async (
  { ports: { secretBox, alerts, storage } }: { readonly ports: Pick<Ports, "secretBox" | "alerts" | "storage"> },
  { limits, request, note }: Pick<EngineCall, "limits" | "request" | "note">,
  account: string,
  about: () => Promise<Pick<AuditNote, "resource" | "id">>,
): Promise<Use> => {
  const key = await secretBox.digest(account);
  const network = networkOf(request.address);
  const pair = `${key}:${network}`;
  try {
    const byPair = pairPolicies.map((policy) => [policy, pair] as const);
    const taken = await limits.takeEach(byPair, [
      ["sign-in-account", key],
      ["sign-in-newcomer", pair],
    ]);
    if (taken.instead === true) {
      const details = { network };
      const text = "Somebody is guessing the password of an account from several addresses.";
      const raise = () => alerts.raise({ kind: "sign-in.attack", text, details });
      // Reported only once in a while.
      await limits.take("sign-in-alert", key).then(raise, () => undefined);
    }
    return taken;
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== "rate_limited") throw cause;
    // There is a bound, so that an attacker who continues does not fill the log.
    const isFirst = await limits.take("sign-in-alert", `refused:${key}`).then(
      () => true,
      () => false,
    );
    if (isFirst) await note(storage.audit, { ...(await about()), result: "rate_limited" });
    const { "retry-after": wait = "60" } = cause.headers;
    throw new AppError("invalid_credentials", { headers: { ...challenge(), "retry-after": wait }, cause });
  }
};

/** The actor of a request without an access token, once it is known. */
export const bySession = (userId: string, sessionId: string): Pick<AuditNote, "actor" | "credential"> => ({
  actor: { kind: "user", id: userId },
  credential: `session:${sessionId}`,
});

/**
 * Ends all sessions and grants of a user at once after a change of password, and the links that give
 * the account another address or password: somebody else may have asked for them.
 */
export const endSessions = async (resources: ResourceRepository, userId: string): Promise<void> => {
  const own = equals("user_id", userId);
  await resources.deleteWhere(grant, system, own);
  await resources.deleteWhere(session, system, own);
  await resources.deleteWhere(accountToken, system, { all: [own, { field: "purpose", in: ["address", "reset"] }] });
};
