import { type Answer, allRows, equals, type ResourceRepository, type Row, type Stores } from "@postern/core";
import { timestampOf } from "@postern/core/internal";
import type { KeyUse, RootedRequest } from "@postern/rest";
import { grant } from "../resources/grant.ts";
import { wordsOf } from "../resources/stored-words.ts";
import { user } from "../resources/user.ts";
import { accessTokenSeconds } from "../tokens/access-tokens.ts";
import { noSuccessor, successorAgain, successorOf } from "../tokens/successor.ts";
import { type EndpointNote, noteAt } from "./audit-note.ts";
import { grantTypesOf, requireGrantType } from "./grant-types.ts";
import { OAuthFault } from "./oauth-fault.ts";
import { countForUser, type OAuthParts } from "./oauth-parts.ts";
import { challengeOf, randomHex } from "./random-text.ts";
import { requestedScopes } from "./scopes.ts";

const system = allRows("OAuth");
const codeForm = /^poc_([0-9a-f-]{36})_[0-9a-f]{64}$/;
/**
 * How long an authorization code can be exchanged: clients do so at once. RFC 6749 recommends ten
 * minutes at most.
 */
const codeMs = 60_000;
/** The grants that a user has at once, at most. One more ends the oldest. */
const mostGrants = 50;
/** The grant, what all refresh tokens of the grant have in common, and what only this one has. */
const refreshForm = /^por_([0-9a-f-]{36})_([0-9a-f]{32})_[0-9a-f]{64}$/;

const invalidGrant = (): OAuthFault =>
  new OAuthFault("invalid_grant", "The code or the refresh token is not valid, or no longer valid, for this client.");

/** The content of a grant. */
export interface Allowed {
  readonly userId: string;
  readonly client: Row;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly challenge: string;
}

/** Deletes the grants of a user that have ended, and ends the oldest ones if there are too many. */
const endOldestGrants = async (
  resources: ResourceRepository,
  userId: string,
  now: string,
  most: number,
): Promise<void> => {
  // The user is held, so that grants made at the same moment are counted one after the other.
  await resources.hold(user, { scope: system, where: equals("id", userId) }, 1);
  const own = equals("user_id", userId);
  await resources.deleteWhere(grant, system, { all: [own, { field: "expires_at", op: "lte", value: now }] });
  const order = [{ field: "id", direction: "asc" }] as const;
  // One by one, because there may be more than are read at once: the bound may have been larger
  // before.
  for (;;) {
    const rows = await resources.list(grant, { scope: system, where: own, order, limit: most, fields: ["id"] });
    const [oldest] = rows;
    if (oldest === undefined || rows.length < most) return;
    await resources.delete(grant, String(oldest.id), system);
  }
};

/** Stores what a user allowed, and returns the code for it. */
export const makeGrant = async (
  parts: OAuthParts,
  request: RootedRequest,
  { userId, client, scopes, redirectUri, challenge }: Allowed,
): Promise<string> => {
  const { ports } = parts;
  await countForUser(parts, userId);
  const { storage, clock, ids, randomness, secretBox } = ports;
  const id = ids.uuid();
  const code = `poc_${id}_${randomHex(randomness, 32)}`;
  const now = timestampOf(clock.now());
  const row: Row = {
    id,
    user_id: userId,
    client_id: String(client.id),
    client_name: String(client.name),
    scopes,
    redirect_uri: redirectUri,
    challenge,
    code_digest: await secretBox.digest(code),
    family_digest: null,
    refresh_digest: null,
    previous_digest: null,
    ...noSuccessor,
    last_used_at: now,
    expires_at: timestampOf(clock.now() + codeMs),
    created_at: now,
    updated_at: now,
  };
  await storage.transaction(async ({ resources, audit }) => {
    await endOldestGrants(resources, userId, now, mostGrants);
    await resources.insert(grant, row);
    await noteAt(audit, clock, request, {
      actor: { kind: "user", id: userId },
      credential: `client:${String(client.id)}`,
      action: "oauth.allow",
      resource: grant.name,
      id,
      fields: ["scopes"],
    });
  });
  return code;
};

/** New tokens of a grant. */
export interface GrantTokens {
  readonly row: Row;
  readonly refreshToken: string;
  readonly scopes: readonly string[];
}

/** A code or a refresh token, and how its exchange is answered. */
interface Presented {
  readonly client: Row;
  readonly form: ReadonlyMap<string, string>;
  readonly answerWith: (tokens: GrantTokens) => Promise<Answer>;
  /** Keeps the answer under the idempotency key of the request. */
  readonly claim?: KeyUse;
}

const endGrant = (
  { ports: { storage, clock } }: OAuthParts,
  request: RootedRequest,
  row: Row,
  note: Pick<EndpointNote, "actor" | "action" | "result">,
): Promise<void> => {
  const id = String(row.id);
  return storage.transaction(async ({ resources, audit }) => {
    await resources.delete(grant, id, system);
    const credential = `client:${String(row.client_id)}`;
    await noteAt(audit, clock, request, { ...note, credential, resource: grant.name, id });
  });
};

/** Ends a grant whose code or token was misused, because somebody else may have it. */
const endMisused = async (parts: OAuthParts, request: RootedRequest, row: Row, action: string): Promise<never> => {
  await endGrant(parts, request, row, { actor: { kind: "anonymous" }, action, result: "invalid_grant" });
  throw invalidGrant();
};

/** Says which tokens a grant gives next. */
interface Renewal {
  readonly row: Row;
  readonly scopes: readonly string[];
  /** How long it lasts unless it is renewed. */
  readonly seconds: number;
  /** What the refresh tokens of the grant have in common; absent for its first ones. */
  readonly givenFamily?: string;
  /** The refresh token that is exchanged; absent for a code. */
  readonly token?: string;
}

/** Notes in the audit log that a client got tokens. */
const noteTokens = (
  audit: Stores["audit"],
  { ports: { clock } }: OAuthParts,
  request: RootedRequest,
  row: Row,
  action: "oauth.exchange-code" | "oauth.refresh",
): Promise<void> =>
  noteAt(audit, clock, request, {
    actor: { kind: "user", id: String(row.user_id) },
    credential: `client:${String(row.client_id)}`,
    action,
    resource: grant.name,
    id: String(row.id),
  });

/**
 * Exchanges a code or a refresh token for a new refresh token. `stale` if the grant was changed
 * since `row` was read.
 */
const renew = async (
  parts: OAuthParts,
  request: RootedRequest,
  { answerWith, claim }: Presented,
  { row, scopes, seconds, givenFamily, token }: Renewal,
): Promise<Answer | "stale"> => {
  const { ports, settings } = parts;
  await countForUser(parts, String(row.user_id));
  const { storage, clock, randomness, secretBox } = ports;
  const id = String(row.id);
  const family = givenFamily ?? randomHex(randomness, 16);
  const refreshToken = `por_${id}_${family}_${randomHex(randomness, 32)}`;
  const now = clock.now();
  const lastMoment = Date.parse(String(row.created_at)) + settings.sessionMostSeconds * 1000;
  const exchanged =
    token === undefined
      ? { refresh_digest: await secretBox.digest(refreshToken) }
      : await successorOf(ports, { id, presented: token, next: refreshToken });
  const changes = {
    family_digest: await secretBox.digest(family),
    ...exchanged,
    last_used_at: timestampOf(now),
    expires_at: timestampOf(Math.min(now + seconds * 1000, lastMoment)),
    updated_at: timestampOf(now),
  };
  const expectedRevision = Number(row.revision);
  const answer = await answerWith({ row, refreshToken, scopes });
  const result = await storage.transaction(async ({ resources, audit, answers }) => {
    await claim?.take(answers);
    const written = await resources.update(grant, { id, scope: system }, changes, { expectedRevision });
    if (written !== "done") return written;
    await noteTokens(audit, parts, request, row, token === undefined ? "oauth.exchange-code" : "oauth.refresh");
    await claim?.keep(answers, answer);
    return written;
  });
  if (result === "missing") throw invalidGrant();
  return result === "stale" ? result : answer;
};

/**
 * Gives the successor of a refresh token again. `stale` if the grant was changed since `row` was
 * read.
 */
const giveAgain = async (
  parts: OAuthParts,
  request: RootedRequest,
  { answerWith, claim }: Presented,
  tokens: GrantTokens,
): Promise<Answer | "stale"> => {
  const { row } = tokens;
  await countForUser(parts, String(row.user_id));
  const answer = await answerWith(tokens);
  const where = { all: [equals("id", String(row.id)), equals("refresh_digest", String(row.refresh_digest))] };
  return parts.ports.storage.transaction(async ({ resources, audit, answers }) => {
    await claim?.take(answers);
    if ((await resources.hold(grant, { scope: system, where }, 1)).length === 0) return "stale";
    await noteTokens(audit, parts, request, row, "oauth.refresh");
    await claim?.keep(answers, answer);
    return answer;
  });
};

const mostLooks = 3;

/**
 * Exchanges anew while the grant was changed by somebody else meanwhile. If that was an exchange of
 * the same code, the second look finds that it was used, and ends the grant: of two who have a
 * code, the one who is refused must not be the rightful one.
 */
const exchangeAnew = async (exchange: () => Promise<Answer | "stale">): Promise<Answer> => {
  for (let look = 0; look < mostLooks; look += 1) {
    const answer = await exchange();
    if (answer !== "stale") return answer;
  }
  throw invalidGrant();
};

const isOver = ({ ports }: OAuthParts, row: Row): boolean => Date.parse(String(row.expires_at)) <= ports.clock.now();

/**
 * Exchanges a code. A wrong client, redirect URI or verifier makes the code invalid, and so does a
 * second exchange, which also ends the tokens of the first (RFC 9700, section 2.1.1; RFC 6749,
 * 4.1.2), even if both come at the same moment. If the client is not registered for codes, its
 * codes stay valid.
 * @throws OAuthFault `invalid_grant`, `unauthorized_client`; AppError `rate_limited`.
 */
export const exchangeCode = (parts: OAuthParts, request: RootedRequest, presented: Presented): Promise<Answer> =>
  exchangeAnew(() => exchangeCodeOnce(parts, request, presented));

const exchangeCodeOnce = async (
  parts: OAuthParts,
  request: RootedRequest,
  presented: Presented,
): Promise<Answer | "stale"> => {
  const { client, form } = presented;
  const { storage, secretBox } = parts.ports;
  const code = form.get("code") ?? "";
  const verifier = form.get("code_verifier") ?? "";
  const id = codeForm.exec(code)?.[1];
  const row = id === undefined ? undefined : await storage.resources.find(grant, id, system);
  if (row === undefined || row.code_digest !== (await secretBox.digest(code))) {
    requireGrantType(client, "authorization_code");
    throw invalidGrant();
  }
  if (row.refresh_digest !== null) return endMisused(parts, request, row, "oauth.code-reuse-detected");
  // A code that another client sends is revoked, whatever that client is registered for.
  if (row.client_id === client.id) requireGrantType(client, "authorization_code");
  const fits =
    row.client_id === client.id &&
    row.redirect_uri === form.get("redirect_uri") &&
    /^[A-Za-z0-9._~-]{43,128}$/.test(verifier) &&
    row.challenge === (await challengeOf(verifier));
  if (!fits || isOver(parts, row)) return endMisused(parts, request, row, "oauth.code-refused");
  // Without refresh tokens, nothing of the grant lasts longer than its one access token.
  const mayRefresh = grantTypesOf(client).includes("refresh_token");
  const seconds = mayRefresh ? parts.settings.sessionSeconds : accessTokenSeconds;
  return renew(parts, request, presented, { row, scopes: wordsOf(row.scopes), seconds });
};

/** The grant that a refresh token was made for, however old the token is. */
const grantOfRefreshToken = async (
  { ports: { storage, secretBox } }: OAuthParts,
  token: string,
): Promise<{ readonly row: Row; readonly family: string } | undefined> => {
  const [, id, family = ""] = refreshForm.exec(token) ?? [];
  const row = id === undefined ? undefined : await storage.resources.find(grant, id, system);
  return row === undefined || row.family_digest !== (await secretBox.digest(family)) ? undefined : { row, family };
};

/**
 * Exchanges a refresh token. For 30 seconds, as long as its successor is unused, the same token
 * gets the same successor again. Any other token that was exchanged before, or that another client
 * presents, is a copy, and the grant ends (RFC 9700, section 4.14.2).
 * @throws OAuthFault `invalid_grant`, `invalid_scope`, `unauthorized_client`; AppError
 *   `rate_limited`.
 */
export const exchangeRefreshToken = (
  parts: OAuthParts,
  request: RootedRequest,
  presented: Presented,
): Promise<Answer> => exchangeAnew(() => exchangeRefreshTokenOnce(parts, request, presented));

const exchangeRefreshTokenOnce = async (
  parts: OAuthParts,
  request: RootedRequest,
  presented: Presented,
): Promise<Answer | "stale"> => {
  const { client, form } = presented;
  const token = form.get("refresh_token") ?? "";
  const found = await grantOfRefreshToken(parts, token);
  if (found === undefined) {
    requireGrantType(client, "refresh_token");
    throw invalidGrant();
  }
  const { row, family } = found;
  const isNewest = row.refresh_digest === (await parts.ports.secretBox.digest(token));
  const again = isNewest ? undefined : await successorAgain(parts.ports, row, token);
  if ((!isNewest && again === undefined) || row.client_id !== client.id) {
    return endMisused(parts, request, row, "oauth.refresh-reuse-detected");
  }
  requireGrantType(client, "refresh_token");
  if (isOver(parts, row)) throw invalidGrant();
  const scopes = requestedScopes(form.get("scope"), wordsOf(row.scopes));
  if (again !== undefined) return giveAgain(parts, request, presented, { row, refreshToken: again, scopes });
  const { sessionSeconds: seconds } = parts.settings;
  return renew(parts, request, presented, { row, scopes, seconds, givenFamily: family, token });
};

/**
 * Ends a grant if a refresh token comes back after its successor was used. For a request that may
 * be answered from a kept answer. Returns the user of the grant.
 * @throws OAuthFault `invalid_grant`, also for a grant that has ended.
 */
export const refuseEarlierExchange = async (
  parts: OAuthParts,
  request: RootedRequest,
  { client, form }: Pick<Presented, "client" | "form">,
): Promise<string> => {
  const token = form.get("refresh_token") ?? "";
  const row = (await grantOfRefreshToken(parts, token))?.row;
  if (row === undefined || isOver(parts, row)) throw invalidGrant();
  const digest = await parts.ports.secretBox.digest(token);
  const isLast = row.refresh_digest === digest || row.previous_digest === digest;
  if (!isLast || row.client_id !== client.id) return endMisused(parts, request, row, "oauth.refresh-reuse-detected");
  return String(row.user_id);
};

/** The grant that a token of this client belongs to. */
const grantToEnd = async (parts: OAuthParts, client: Row, token: string): Promise<Row | undefined> => {
  const refresh = await grantOfRefreshToken(parts, token);
  if (refresh !== undefined) return refresh.row.client_id === client.id ? refresh.row : undefined;
  const claims = await parts.tokens.read(token).catch(() => undefined);
  if (claims === undefined || claims.clientId !== client.id) return undefined;
  if (claims.sessionId === undefined) {
    throw new OAuthFault(
      "unsupported_token_type",
      "A token of client credentials ends by itself; it cannot be revoked.",
    );
  }
  const row = await parts.ports.storage.resources.find(grant, claims.sessionId, system);
  return row?.client_id === client.id ? row : undefined;
};

/**
 * Ends the grant that a token of this client belongs to. An unknown token is not an error (RFC
 * 7009, section 2.2).
 */
export const revokeToken = async (
  parts: OAuthParts,
  request: RootedRequest,
  client: Row,
  token: string,
): Promise<void> => {
  const row = await grantToEnd(parts, client, token);
  if (row === undefined) return;
  await endGrant(parts, request, row, { actor: { kind: "user", id: String(row.user_id) }, action: "oauth.revoke" });
};
