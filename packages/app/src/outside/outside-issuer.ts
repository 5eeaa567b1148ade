import { DeclarationError, type OptionRules } from "@postern/core";
import { canonicalAddress, emailAddress, oneOf, optionFaults, required } from "@postern/core/internal";
import { longestIssuer } from "../resources/outside-identity.ts";

/** An outside issuer. This server accepts its tokens in addition to its own. */
export interface OutsideIssuer {
  /**
   * Its URL, exactly as its tokens and its discovery document name it. `https`, or `http` on a
   * loopback address. Up to 255 characters.
   */
  readonly issuer: string;
  /**
   * The audience that its tokens must name, or several of which they must name one. Access tokens of
   * Cognito have none; for them it is the id of the app client. Up to 255 characters each, at most 20.
   */
  readonly audience: string | readonly string[];
  /**
   * The URL under which this server reaches the issuer, if that is another one: `http` or `https`, to
   * any address. The issuer may name itself by either. Default: its own URL.
   */
  readonly internalUrl?: string;
  /**
   * The claim with the caller's role or roles: a name, or a JSON Pointer (RFC 6901) such as
   * `/realm_access/roles`. If absent, the account's own role counts.
   */
  readonly roleClaim?: string;
  /**
   * The claims that limit what a token may do: names, or JSON Pointers. The first one that names a
   * scope of this API decides, and nothing but its scopes is granted. If some of the claims are there
   * and none names such a scope, the token may do nothing. Default: `scope`, `scp`, `permissions`. At
   * most 10.
   */
  readonly scopeClaims?: readonly string[];
  /** What stands in front of each scope, such as `api://postern/`. Scopes without it count, too. */
  readonly scopePrefix?: string;
  /**
   * Values of these claims that stand for all the user's rights, such as `user_impersonation` or
   * `openid`. None counts if one of the claims names a scope of this API, is empty, or is neither a
   * text nor a list of texts. Default: none. At most 100.
   */
  readonly fullAccess?: readonly string[];
  /**
   * What a token may do without any of these claims: `optional`, whatever its user may do;
   * `required`, nothing. Default: `optional`.
   */
  readonly scopes?: "optional" | "required";
  /**
   * The domains of the addresses for which accounts are made although the issuer does not say that it
   * has verified them; `*` for all. Such an address is not verified here, and it never links an
   * account that exists. Default: none. At most 100.
   */
  readonly trustAddresses?: "*" | readonly string[];
  /**
   * The claim with the address: a name, or a JSON Pointer. Whether it is verified is in the claim of
   * the same name and `_verified`. Default: `email`.
   */
  readonly emailClaim?: string;
  /**
   * `subject`: a token without an address that counts gets an account without an address. `address`:
   * it gets none. Default: `address`.
   */
  readonly accounts?: "address" | "subject";
}

/** An outside issuer, and what the person who set its members calls them. */
export interface NamedIssuer extends OutsideIssuer {
  /** Default: `outsideIssuer.issuer` for `issuer`. */
  readonly nameOf?: (member: keyof OutsideIssuer) => string;
}

/** What errors call a member of an outside issuer. */
export const settingName = ({ nameOf }: Pick<NamedIssuer, "nameOf">, member: keyof OutsideIssuer): string =>
  nameOf?.(member) ?? `outsideIssuer.${member}`;

/**
 * Scheme and host of a URL without user name, query and fragment; `undefined` for any other text.
 */
export const originOf = (url: string): { readonly scheme: string; readonly host: string } | undefined => {
  const [, scheme, host] =
    /^(https?):\/\/(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?(?:\/[\x21-\x7e]*)?$/i.exec(url) ?? [];
  return scheme === undefined || host === undefined || url.includes("#")
    ? undefined
    : { scheme: scheme.toLowerCase(), host: host.toLowerCase() };
};

const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(host);

/** Where issuers of all tenants of Microsoft are. Their names stand in place of a tenant. */
const ofAllTenants =
  /^https:\/\/(?:[a-z0-9.-]+\.)?(?:microsoftonline\.(?:com|us|cn|de)|windows\.net|ciamlogin\.com)(?::\d+)?\/(?:(?:common|organizations|consumers)(?:\/|$)|%7b|\{)/i;

/** Whether a text is a domain of addresses, without `@`. */
const isDomain = (text: unknown): boolean => typeof text === "string" && emailAddress.safeParse(`a@${text}`).success;

/** Whether an address in its canonical form is in one of these domains. */
export const isTrusted = (email: string, domains: "*" | readonly string[]): boolean =>
  domains === "*" || domains.some((domain) => email.endsWith(canonicalAddress(`@${domain}`)));

/** Whether a URL can be that of an issuer. */
export const isIssuer = (url: string): boolean => {
  const origin = originOf(url);
  if (origin === undefined || url.length > longestIssuer || url.includes("?")) return false;
  return origin.scheme === "https" || isLoopback(origin.host);
};

const isText = (text: unknown): boolean => typeof text === "string" && text.length > 0 && text.length <= longestIssuer;
const aText = { is: isText, says: `a text of 1 to ${longestIssuer} characters` };
const textsUpTo = (most: number) => ({
  is: (list: unknown) => Array.isArray(list) && list.length > 0 && list.length <= most && list.every(isText),
  says: `a list of 1 to ${most} texts of 1 to ${longestIssuer} characters`,
});

/** What each member must be. */
export const outsideIssuerRules = {
  issuer: required({
    is: (url) => typeof url === "string" && isIssuer(url),
    says: "the https URL of an issuer, exactly as its tokens name it, without a query",
  }),
  audience: required({
    is: (given: unknown) => isText(given) || textsUpTo(20).is(given),
    says: `a text of 1 to ${longestIssuer} characters, or a list of 1 to 20 of them`,
  }),
  internalUrl: {
    is: (url: unknown) => isText(url) && originOf(String(url)) !== undefined && !String(url).includes("?"),
    says: "an http or https URL without a query",
  },
  roleClaim: aText,
  scopeClaims: textsUpTo(10),
  scopePrefix: aText,
  fullAccess: textsUpTo(100),
  scopes: oneOf("optional", "required"),
  trustAddresses: {
    is: (given: unknown) =>
      given === "*" || (Array.isArray(given) && given.length > 0 && given.length <= 100 && given.every(isDomain)),
    says: '"*", or a list of 1 to 100 domains such as "example.com"',
  },
  emailClaim: aText,
  accounts: oneOf("address", "subject"),
} satisfies Record<keyof OutsideIssuer, OptionRules[string]>;

/** @throws DeclarationError for settings that cannot work. */
export const checkOutsideIssuer = (outside: NamedIssuer, own: string | undefined): void => {
  const { nameOf: _, ...settings } = outside;
  const name = settingName(outside, "issuer");
  const faults = [
    ...optionFaults("outsideIssuer", settings, outsideIssuerRules),
    ...(ofAllTenants.test(settings.issuer)
      ? [
          `${name}: ${settings.issuer} stands for all tenants, so anybody could make tokens for any address; name your own: https://login.microsoftonline.com/<tenant id>/v2.0`,
        ]
      : []),
    ...(settings.issuer === own ? [`${name}: ${settings.issuer} is this server itself`] : []),
  ];
  if (faults.length > 0) throw new DeclarationError(faults);
};
