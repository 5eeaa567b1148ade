import type { Ports } from "@postern/core";
import type { IdempotentAnswers, RequestLimits, RootedRequest, UserPrincipal } from "@postern/rest";
import type { SettingsInForce } from "../settings.ts";
import type { SignInParts } from "../sign-in/sessions.ts";

/** The dependencies of the endpoints of OAuth 2. */
export interface OAuthParts extends SignInParts {
  readonly settings: SignInParts["settings"] & Pick<SettingsInForce, "product">;
  readonly ports: SignInParts["ports"] & Pick<Ports, "telemetry" | "jwtVerifier">;
  /** Every scope that some operation needs. */
  readonly scopes: readonly string[];
  readonly limitsFor: () => RequestLimits;
  readonly answerOnce: IdempotentAnswers["answerOnce"];
  /** Who a bearer credential acts for. @throws AppError for an invalid credential. */
  readonly principalOf: (token: string) => Promise<UserPrincipal>;
}

/**
 * Takes one use of the rate of a user, for work that is done in the name of the user. Call it
 * before anything is stored or used up. @throws AppError `rate_limited`
 */
export const countForUser = async ({ limitsFor }: Pick<OAuthParts, "limitsFor">, userId: string): Promise<void> => {
  await limitsFor().take("default", userId);
};

/**
 * The form without parameters that have no value: these count as left out (RFC 6749, section 3.2).
 */
export const formOf = async (request: RootedRequest): Promise<ReadonlyMap<string, string>> =>
  new Map([...(await request.form())].filter(([, value]) => value !== ""));
