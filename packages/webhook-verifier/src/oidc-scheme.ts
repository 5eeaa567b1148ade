import { refuse } from "./errors.ts";
import { jwtScheme } from "./jwt-scheme.ts";
import { rsaPublicKey } from "./keys/public.ts";
import { at } from "./places.ts";
import type { Location, Scheme, SettingFacts } from "./scheme.ts";
import { settingOf } from "./settings.ts";

/**
 * Describes a sender that shows an OpenID Connect ID token. The token proves who the sender is;
 * nothing in the request is signed.
 */
export interface OidcLayout {
  readonly name: string;
  readonly title: string;
  /** The issuer of the tokens. Default: the setting `issuer`. */
  readonly issuers?: readonly string[];
  /** The account whose tokens are accepted unless the setting `email` names another. */
  readonly email?: string;
  readonly id?: Location;
  readonly type?: Location;
  readonly methods?: Scheme["methods"];
  readonly parse?: Scheme["parse"];
  readonly json?: Scheme["json"];
  readonly headers?: Scheme["headers"];
  readonly promises?: Scheme["promises"];
  readonly repeats?: Scheme["repeats"];
  readonly settings: Readonly<Record<string, SettingFacts>>;
}

/** Google writes its name both ways. */
export const googleIssuers: readonly string[] = ["https://accounts.google.com", "accounts.google.com"];

/**
 * Makes a scheme that checks issuer, audience, account and life of an ID token (OpenID Connect Core
 * 1.0, 3.1.3.7).
 */
export const oidcScheme = ({ issuers, email, settings, ...layout }: OidcLayout): Scheme =>
  jwtScheme({
    ...layout,
    key: rsaPublicKey("rsa-sha256"),
    header: "Authorization",
    bearer: true,
    alg: "RS256",
    expires: true,
    settings,
    check: (claims, given) => {
      const [issuer, account, subject] = [
        settingOf(given, "issuer"),
        settingOf(given, "email"),
        settingOf(given, "subject"),
      ];
      if (!(issuers ?? [issuer]).includes(String(at(claims, "iss"))))
        refuse("claim_mismatch", "The token is from another issuer.");
      const audience = at(claims, "aud");
      if (!(Array.isArray(audience) ? audience : [audience]).includes(settingOf(given, "audience")))
        refuse("claim_mismatch", "The token is meant for another audience.");
      const wanted = account ?? email;
      if (wanted !== undefined && (at(claims, "email") !== wanted || at(claims, "email_verified") !== true))
        refuse("claim_mismatch", "The token belongs to another account.");
      if (subject !== undefined && at(claims, "sub") !== subject)
        refuse("claim_mismatch", "The token belongs to another subject.");
    },
    claims: (given) => ({
      iss: issuers?.[0] ?? settingOf(given, "issuer"),
      aud: settingOf(given, "audience"),
      email: settingOf(given, "email") ?? email,
      email_verified: true,
      sub: settingOf(given, "subject"),
    }),
  });
