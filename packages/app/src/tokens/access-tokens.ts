import { AppError, type Ports } from "@postern/core";
import type { AccessTokenClaims } from "@postern/core/ports";
import type { Settings } from "../settings.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** The issuer and the audience of tokens of a server without a public URL. */
const unnamed = { issuer: "postern", audience: "postern-api" } as const;

/** The client of tokens that come from a sign-in to the API itself. */
export const ownClientId = "postern";

/** The same for sign-ins to the console. */
export const consoleClientId = "postern-console";

/** The content of a new token. */
interface TokenRequest {
  readonly subject: string;
  readonly clientId: string;
  readonly sessionId?: string;
  readonly scopes?: readonly string[];
}

/** Access tokens of this server. */
export interface AccessTokens {
  /** The URL of this server, or `postern` without one. */
  readonly issuer: string;
  /** The audience of tokens: the API. */
  readonly audience: string;
  issue(request: TokenRequest): Promise<string>;
  /**
   * @throws AppError `token_expired`, or `invalid_token` for anything that is not a token of this
   *   server.
   */
  read(token: string): Promise<AccessTokenClaims>;
}

/**
 * The life of an access token. A token of a session or a grant that was ended is refused at once, so
 * a shorter life would only protect other servers that check tokens by their signature alone.
 */
export const accessTokenSeconds = 10 * 60;

/**
 * Issues access tokens (RFC 9068) with the active key and reads those of all keys that are valid.
 * A server that has a public URL also takes tokens from before it had one.
 */
export const createAccessTokens = (
  { signer, clock, ids }: Pick<Ports, "signer" | "clock" | "ids">,
  keys: SigningKeys,
  { issuer: publicUrl }: Pick<Settings, "issuer">,
  lifeSeconds = accessTokenSeconds,
): AccessTokens => {
  const names = publicUrl === undefined ? unnamed : { issuer: publicUrl, audience: `${publicUrl}/api` };
  const isOurs = ({ issuer, audience }: AccessTokenClaims): boolean =>
    [names, unnamed].some((one) => one.issuer === issuer && one.audience === audience);

  return {
    ...names,
    issue: async ({ subject, clientId, sessionId, scopes }) => {
      const issuedAt = Math.floor(clock.now() / 1000);
      const claims: AccessTokenClaims = {
        ...names,
        subject,
        clientId,
        tokenId: ids.uuid(),
        ...(sessionId === undefined ? {} : { sessionId }),
        ...(scopes === undefined ? {} : { scope: scopes.join(" ") }),
        issuedAt,
        expiresAt: issuedAt + lifeSeconds,
      };
      return signer.issueAccessToken(claims, await keys.active());
    },
    read: async (token) => {
      const claims = await signer.readAccessToken(token, Math.floor(clock.now() / 1000), keys.find);
      if (!isOurs(claims)) throw new AppError("invalid_token");
      return claims;
    },
  };
};
