import type { Ports } from "@postern/core";
import type { RequestLimits, RootedRequest, UserPrincipal } from "@postern/rest";
import type { SignInParts } from "../sign-in/sessions.ts";

/** What the endpoints of OAuth 2 work with. */
export interface OAuthParts extends SignInParts {
  readonly ports: SignInParts["ports"] & Pick<Ports, "telemetry" | "jwtVerifier">;
  /** Every scope that some operation needs. */
  readonly scopes: () => readonly string[];
  readonly limitsFor: () => RequestLimits;
  /** Who a bearer credential speaks for. @throws AppError for one that is not valid. */
  readonly principalOf: (token: string) => Promise<UserPrincipal>;
}

/** A form without the parameters that have no value: they count as left out (RFC 6749, section 3.2). */
export const formOf = async (request: RootedRequest): Promise<ReadonlyMap<string, string>> =>
  new Map([...(await request.form())].filter(([, value]) => value !== ""));
