import { DeclarationError } from "@postern/core";
import { type OptionRules, oneOf, optionFaults, required } from "@postern/core/parts";
import { longestIssuer } from "../resources/outside-identity.ts";

/** An outside issuer. This server accepts its tokens in addition to its own. */
export interface OutsideIssuer {
  /**
   * Its URL, exactly as its tokens and its discovery document name it. `https`, or `http` on a
   * loopback address. Up to 255 characters.
   */
  readonly issuer: string;
  /** The audience that its tokens must name. Up to 255 characters. */
  readonly audience: string;
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
}

/** The variable that sets a member of `OutsideIssuer`, as errors name it. */
export const settingName = (member: keyof OutsideIssuer): string =>
  `POSTERN_OIDC_${member.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

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

const rules = {
  issuer: required({ is: (url) => typeof url === "string" && isIssuer(url), says: "an https URL without a query" }),
  audience: required(aText),
  roleClaim: aText,
  scopeClaims: textsUpTo(10),
  scopePrefix: aText,
  fullAccess: textsUpTo(100),
  scopes: oneOf("optional", "required"),
} satisfies Record<keyof OutsideIssuer, OptionRules[string]>;

/** @throws DeclarationError for settings that cannot work. */
export const checkOutsideIssuer = (settings: OutsideIssuer, own: string | undefined): void => {
  const faults = [
    ...optionFaults("outsideIssuer", settings, rules),
    ...(settings.issuer === own ? [`outsideIssuer: ${settings.issuer} is this server itself`] : []),
  ];
  if (faults.length > 0) throw new DeclarationError(faults);
};
