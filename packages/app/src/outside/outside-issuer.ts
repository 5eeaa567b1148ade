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
}

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

/** @throws TypeError for settings that cannot work. */
export const checkOutsideIssuer = ({ issuer, audience, roleClaim }: OutsideIssuer, own: string | undefined): void => {
  if (!isIssuer(issuer)) throw new TypeError(`outsideIssuer: "${issuer}" is not an https URL without a query`);
  if (issuer === own) throw new TypeError(`outsideIssuer: ${issuer} is this server itself`);
  if (audience.length === 0 || audience.length > longestIssuer) {
    throw new TypeError(`outsideIssuer: the audience must have 1 to ${longestIssuer} characters`);
  }
  if (roleClaim !== undefined && (roleClaim.length === 0 || roleClaim.length > longestIssuer)) {
    throw new TypeError(`outsideIssuer: the role claim must have 1 to ${longestIssuer} characters`);
  }
};
