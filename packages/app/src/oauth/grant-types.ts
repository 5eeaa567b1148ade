import type { Row } from "@postern/core";
import { wordsOf } from "../resources/stored-words.ts";
import { OAuthFault } from "./oauth-fault.ts";

/**
 * The ways in which clients can get tokens. There is neither a password grant nor an implicit
 * grant.
 */
export const grantTypes = ["authorization_code", "client_credentials", "refresh_token"] as const;
export type GrantType = (typeof grantTypes)[number];

/** The facts that decide which grant types a client can have. */
interface Registered {
  readonly kind: string;
  readonly redirectUris: readonly string[];
}

const registeredOf = (client: Row): Registered => ({
  kind: String(client.kind),
  redirectUris: wordsOf(client.redirect_uris),
});

/**
 * The default of a new client: it acts for users if it is public or has redirect URIs, otherwise
 * for itself, never for both.
 */
export const usualGrantTypes = ({ kind, redirectUris }: Registered): readonly GrantType[] =>
  kind === "public" || redirectUris.length > 0 ? ["authorization_code", "refresh_token"] : ["client_credentials"];

/** The grant types that a client may use. */
export const grantTypesOf = (client: Row): readonly GrantType[] => {
  const registered = wordsOf(client.grant_types);
  return grantTypes.filter((type) => registered.includes(type));
};

/** Why a client cannot have these grant types; `undefined` if it can. */
export const grantTypesFault = (
  types: readonly GrantType[],
  { kind, redirectUris }: Registered,
): string | undefined => {
  if (kind === "public" && types.includes("client_credentials")) {
    return "a public client has no secret, so it cannot use client_credentials";
  }
  if (types.includes("authorization_code") && redirectUris.length === 0) {
    return "authorization_code needs redirect_uris";
  }
  if (types.includes("refresh_token") && !types.includes("authorization_code")) {
    return "refresh_token goes with authorization_code";
  }
  return undefined;
};

/** The same for a stored client. */
export const grantTypesFaultOf = (types: readonly GrantType[], client: Row): string | undefined =>
  grantTypesFault(types, registeredOf(client));

/** @throws OAuthFault `unauthorized_client` (RFC 6749, sections 4.1.2.1 and 5.2). */
export const requireGrantType = (client: Row, type: GrantType): void => {
  if (grantTypesOf(client).includes(type)) return;
  throw new OAuthFault("unauthorized_client", `This client is not registered for the grant type ${type}.`);
};
