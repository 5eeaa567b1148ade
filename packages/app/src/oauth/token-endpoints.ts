import type { Answer, Row } from "@postern/core";
import { networkOf, type RootedEndpoint, type RootedRequest } from "@postern/rest";
import { parseIdempotencyKey } from "@postern/rest/internal";
import { client } from "../resources/client.ts";
import { wordsOf } from "../resources/stored-words.ts";
import { accessTokenSeconds } from "../tokens/access-tokens.ts";
import { noteAt } from "./audit-note.ts";
import { authenticateClient } from "./authenticate-client.ts";
import { grantTypesOf, requireGrantType } from "./grant-types.ts";
import { exchangeCode, exchangeRefreshToken, type GrantTokens, refuseEarlierExchange, revokeToken } from "./grants.ts";
import { noStore, OAuthFault, oauthAnswer } from "./oauth-fault.ts";
import { countForUser, formOf, type OAuthParts } from "./oauth-parts.ts";
import { requestedScopes } from "./scopes.ts";

/** An authenticated request of a client. */
interface ClientRequest {
  readonly request: RootedRequest;
  readonly client: Row;
  readonly form: ReadonlyMap<string, string>;
}

/** An endpoint that clients send forms to. */
const formEndpoint = (
  parts: OAuthParts,
  path: string,
  answer: (given: ClientRequest) => Promise<Answer>,
): RootedEndpoint => ({
  path,
  methods: ["POST"],
  answer: async (request) => {
    try {
      await parts.limitsFor().take("address", networkOf(request.address));
      const form = await formOf(request);
      return await answer({ request, form, client: await authenticateClient(parts, request, form) });
    } catch (thrown) {
      return oauthAnswer(parts.ports.telemetry, thrown, request.id);
    }
  },
});

const tokenAnswer = (token: string, scopes: readonly string[], refreshToken?: string): Answer => ({
  status: 200,
  headers: noStore,
  body: {
    access_token: token,
    token_type: "Bearer",
    expires_in: accessTokenSeconds,
    scope: scopes.join(" "),
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
  },
});

/** A token with which the client acts for its own account (RFC 6749, section 4.4). */
const clientToken = async (parts: OAuthParts, { request, client: asking, form }: ClientRequest): Promise<Answer> => {
  if (asking.kind === "public") {
    throw new OAuthFault("unauthorized_client", "A public client has no secret, so it cannot act for itself.");
  }
  requireGrantType(asking, "client_credentials");
  const scopes = requestedScopes(form.get("scope"), wordsOf(asking.scopes));
  await countForUser(parts, String(asking.user_id));
  const id = String(asking.id);
  const token = await parts.tokens.issue({ subject: id, clientId: id, scopes });
  await noteAt(parts.ports.storage.audit, parts.ports.clock, request, {
    actor: { kind: "user", id: String(asking.user_id) },
    credential: `client:${id}`,
    action: "oauth.client-token",
    resource: client.name,
    id,
  });
  return tokenAnswer(token, scopes);
};

/** How a client is answered that exchanged a code or a refresh token. */
const grantAnswer =
  (parts: OAuthParts, asking: Row) =>
  async ({ row, refreshToken, scopes }: GrantTokens): Promise<Answer> => {
    const subject = String(row.user_id);
    const token = await parts.tokens.issue({
      subject,
      clientId: String(row.client_id),
      sessionId: String(row.id),
      scopes,
    });
    return tokenAnswer(token, scopes, grantTypesOf(asking).includes("refresh_token") ? refreshToken : undefined);
  };

/** Exchanges a refresh token, once for each `Idempotency-Key`. */
const refreshed = async (parts: OAuthParts, { request, client: asking, form }: ClientRequest): Promise<Answer> => {
  const presented = { client: asking, form, answerWith: grantAnswer(parts, asking) };
  const header = request.header("idempotency-key");
  if (header === undefined) return exchangeRefreshToken(parts, request, presented);
  const userId = await refuseEarlierExchange(parts, request, presented);
  const path = "/oauth/token";
  const keyed = {
    key: parseIdempotencyKey(header),
    caller: `client ${String(asking.id)}`,
    admin: false,
    sharer: { who: `user ${userId}` },
    address: request.address,
    method: "POST",
    path,
    version: "",
    target: path,
    base: "",
    bodyText: JSON.stringify([form.get("refresh_token"), form.get("scope")]),
  };
  return parts.answerOnce(keyed, (claim) => exchangeRefreshToken(parts, request, { ...presented, claim }));
};

/**
 * `POST /oauth/token`: gives tokens for a client's own secret, a code or a refresh token. An
 * `Idempotency-Key` has an effect on refresh tokens only: a code is exchanged once, and a client can
 * always get another token for its secret.
 */
export const tokenEndpoint = (parts: OAuthParts): RootedEndpoint =>
  formEndpoint(parts, "/oauth/token", async (given) => {
    const { request, client: asking, form } = given;
    const type = form.get("grant_type");
    if (type === "client_credentials") return clientToken(parts, given);
    if (type === "authorization_code") {
      return exchangeCode(parts, request, { client: asking, form, answerWith: grantAnswer(parts, asking) });
    }
    if (type === "refresh_token") return refreshed(parts, given);
    throw type === undefined
      ? new OAuthFault("invalid_request", "Send a grant_type.")
      : new OAuthFault(
          "unsupported_grant_type",
          "This server knows client_credentials, authorization_code and refresh_token.",
        );
  });

/** `POST /oauth/revoke` (RFC 7009). */
export const revokeEndpoint = (parts: OAuthParts): RootedEndpoint =>
  formEndpoint(parts, "/oauth/revoke", async ({ request, client, form }) => {
    const token = form.get("token");
    if (token === undefined) throw new OAuthFault("invalid_request", "Send the token that you want to revoke.");
    await revokeToken(parts, request, client, token);
    return { status: 200, headers: noStore };
  });

/**
 * `POST /oauth/introspect` (RFC 7662): what an access token says. If there is any doubt about a
 * token, it is not active.
 */
export const introspectEndpoint = (parts: OAuthParts): RootedEndpoint =>
  formEndpoint(parts, "/oauth/introspect", async ({ client, form }) => {
    if (client.kind === "public") {
      throw new OAuthFault("unauthorized_client", "Only a client with a secret may ask about tokens.");
    }
    const token = form.get("token");
    if (token === undefined) throw new OAuthFault("invalid_request", "Send the token that you ask about.");
    return { status: 200, headers: noStore, body: await introspected(parts, token) };
  });

const introspected = async (parts: OAuthParts, token: string): Promise<object> => {
  try {
    const claims = await parts.tokens.read(token);
    await parts.principalOf(token);
    return {
      active: true,
      token_type: "Bearer",
      iss: claims.issuer,
      aud: claims.audience,
      sub: claims.subject,
      client_id: claims.clientId,
      jti: claims.tokenId,
      iat: claims.issuedAt,
      exp: claims.expiresAt,
      ...(claims.scope === undefined ? {} : { scope: claims.scope }),
      ...(claims.sessionId === undefined ? {} : { sid: claims.sessionId }),
    };
  } catch {
    return { active: false };
  }
};
