import { AppError, allRows, equals, type Row } from "@postern/core";
import { timestampOf, utf8Encode } from "@postern/core/internal";
import type { JwtClaims } from "@postern/core/ports";
import { sha256Hex } from "@postern/webhook-verifier";
import { usedAssertion } from "../resources/used-assertion.ts";
import { keysOf } from "./client-keys.ts";
import type { OAuthParts } from "./oauth-parts.ts";

const system = allRows("OAuth");

/** RFC 7523, section 2.2. */
export const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** How long an assertion may live. It is remembered so long, so that it is used once. */
const assertionSeconds = 5 * 60;
/** Assertions of one client that are remembered. Its rate limit lets it use fewer. */
const mostAssertions = 1_000;
/** How many seconds the client's clock may be ahead of ours. */
const leewaySeconds = 30;
const types: ReadonlySet<string | undefined> = new Set([undefined, "JWT", "client-authentication+jwt"]);

/** The client that an assertion claims to come from. Nothing is proved yet. */
export const clientOfAssertion = ({ ports }: OAuthParts, assertion: string): string | undefined => {
  const said = ports.jwtVerifier.read(assertion)?.claims;
  return typeof said?.iss === "string" && said.iss === said.sub ? said.iss : undefined;
};

const isTime = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

/**
 * Whether every audience of the assertion is this server: its own name, or an endpoint that accepts
 * assertions.
 */
const isForUs = ({ tokens }: OAuthParts, aud: unknown): boolean => {
  const { issuer } = tokens;
  const own = [issuer, ...["token", "revoke", "introspect"].map((endpoint) => `${issuer}/oauth/${endpoint}`)];
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return named.length > 0 && named.length <= own.length && named.every((one) => own.some((url) => url === one));
};

/**
 * What is wrong with the claims of a genuine assertion. Its `iss` and `sub` have already found the
 * client.
 */
const faultOf = (parts: OAuthParts, { aud, exp, nbf, iat, jti }: JwtClaims): string | undefined => {
  const now = parts.ports.clock.now() / 1000;
  if (!isForUs(parts, aud)) return "Its aud must be the issuer of this server, or the endpoint.";
  if (!isTime(exp) || now >= exp) return "It has expired, or does not say when it ends.";
  if (exp > now + assertionSeconds + leewaySeconds) return `It may live ${assertionSeconds} s at most.`;
  if ([nbf, iat].some((from) => from !== undefined && !(isTime(from) && from <= now + leewaySeconds))) {
    return "It is not valid yet.";
  }
  return typeof jti === "string" && jti.length > 0 && jti.length <= 255 ? undefined : "It needs a jti.";
};

/**
 * The claims of an assertion that one of the client's keys has signed; `undefined` for any other.
 */
const genuineClaims = async ({ ports }: OAuthParts, client: Row, assertion: string): Promise<JwtClaims | undefined> => {
  const { jwtVerifier } = ports;
  const said = jwtVerifier.read(assertion);
  if (said === undefined || !types.has(said.type)) return undefined;
  const keys = keysOf(client.jwks).filter(
    ({ kid }) => said.keyId === undefined || kid === undefined || kid === said.keyId,
  );
  for (const key of keys) {
    const claims = await jwtVerifier.verify(assertion, key).catch((thrown: unknown) => {
      if (!(thrown instanceof AppError) || thrown.code !== "invalid_token") throw thrown;
      return undefined;
    });
    if (claims !== undefined) return claims;
  }
  return undefined;
};

/**
 * Uses up an assertion on all nodes. False if it was used before; of two uses at the same time only
 * one succeeds.
 */
const useUp = async ({ ports }: OAuthParts, client: Row, { jti, exp }: JwtClaims): Promise<boolean> => {
  const { storage, clock, ids } = ports;
  const clientId = String(client.id);
  const now = timestampOf(clock.now());
  const row: Row = {
    id: ids.uuid(),
    user_id: String(client.user_id),
    client_id: clientId,
    assertion: await sha256Hex(utf8Encode(`${clientId}\n${String(jti)}`)),
    expires_at: timestampOf(Number(exp) * 1000),
    created_at: now,
    updated_at: now,
  };
  const own = equals("client_id", clientId);
  try {
    await storage.transaction(async ({ resources }) => {
      await resources.deleteWhere(usedAssertion, system, {
        all: [own, { field: "expires_at", op: "lte", value: now }],
      });
      if ((await resources.count(usedAssertion, { scope: system, where: own }, mostAssertions)) >= mostAssertions) {
        throw new AppError("rate_limited", {
          detail: `This client has used ${mostAssertions} assertions in ${assertionSeconds} s. Use each access token until it ends.`,
          headers: { "retry-after": "60" },
        });
      }
      await resources.insert(usedAssertion, row);
    });
    return true;
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === "conflict") return false;
    throw thrown;
  }
};

/**
 * Checks the assertion with which a client proves itself (RFC 7523, section 3) and uses it up. The
 * client's keys decide about the algorithm.
 * @returns What is wrong with it; `undefined` for a good one.
 * @throws AppError `rate_limited` for a client that sends too many.
 */
export const assertionFault = async (
  parts: OAuthParts,
  client: Row | undefined,
  assertion: string,
): Promise<string | undefined> => {
  const claims = client === undefined ? undefined : await genuineClaims(parts, client, assertion);
  // The message is the same for an unknown client and a wrong key, so that nobody learns which
  // clients exist.
  if (client === undefined || claims === undefined) return "It is not signed with a key of this client.";
  const fault = faultOf(parts, claims);
  if (fault !== undefined) return fault;
  return (await useUp(parts, client, claims)) ? undefined : "It was used before: make a new one, with another jti.";
};
