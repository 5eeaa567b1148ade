import { AppError, allRows, type Ports } from "@postern/core";
import type { ForeignJwk, JwtClaims } from "@postern/core/ports";
import { builtInRoles, networkOf, type UserPrincipal } from "@postern/rest";
import { trustFields } from "../account/trusted-addresses.ts";
import { user } from "../resources/user.ts";
import type { Settings } from "../settings.ts";
import { roleFields } from "../sign-in/role-in-force.ts";
import { issuerKeys } from "./issuer-keys.ts";
import { programPrincipal } from "./machine-tokens.ts";
import { noteVerified, type Origin, type OutsideAccountParts, outsideAccount } from "./outside-accounts.ts";
import { type OutsideClaims, readOutsideClaims, refusedToken } from "./outside-claims.ts";
import { type NamedIssuer, settingName } from "./outside-issuer.ts";
import { grantedScopes } from "./outside-scopes.ts";

const system = allRows("authentication");

/** The dependencies of checking tokens of an outside issuer. */
export interface OutsideParts extends OutsideAccountParts {
  readonly ports: OutsideAccountParts["ports"] & Pick<Ports, "fetcher" | "jwtVerifier" | "telemetry">;
  readonly settings: OutsideAccountParts["settings"] & Pick<Settings, "adminMfa">;
  /** The names of the roles that the application adds. */
  readonly ownRoles: readonly string[];
  /** Every scope that some operation needs. */
  readonly scopes: () => readonly string[];
}

/** A genuine token that is meant for this server. */
interface Checked {
  readonly claims: JwtClaims;
  readonly content: OutsideClaims;
}

/** Tokens of one outside issuer. */
export interface OutsideAuthentication {
  /** Whether a token says that it is of this issuer, or of one that differs by a slash at the end only. */
  claims(token: string): boolean;
  /**
   * Whom such a token speaks for.
   * @throws AppError `invalid_token`, `token_expired`; `insufficient_scope` for a genuine token that
   *   may do nothing; `account_exists`, `address_unverified`, `forbidden` for one without an account;
   *   `unavailable`.
   */
  principalOf(token: string, origin: Origin): Promise<UserPrincipal>;
}

/** If a token has several roles, the last one in this order counts. */
const byRank = (own: readonly string[]): readonly string[] => [
  ...Object.keys(builtInRoles).filter((name) => name !== "admin"),
  ...own,
  "admin",
];

/**
 * How many keys are tried: of one name there is one, or two while the issuer replaces a key without
 * changing the name; of a token without a name, all of the issuer. A key of another kind than the
 * token's algorithm costs nothing.
 */
const mostTries = { named: 3, unnamed: 20 };

const withoutSlash = (issuer: string): string => (issuer.endsWith("/") ? issuer.slice(0, -1) : issuer);

/** OpenID Connect compares issuers letter by letter, and products differ in whether they write the slash. */
const otherSlash = (said: unknown, outside: NamedIssuer): string =>
  `The token's iss is ${JSON.stringify(said)}, and ${settingName(outside, "issuer")} is ${JSON.stringify(outside.issuer)}. They differ by the slash at the end: set it as the tokens have it.`;

/** Checks tokens of an outside issuer against its published keys, and finds their accounts. */
export const outsideAuthentication = (parts: OutsideParts): OutsideAuthentication => {
  const { ports, settings, outside } = parts;
  const keys = issuerKeys(ports, outside);
  const ranked = byRank(parts.ownRoles);

  /** The claims, if one of these keys signed the token. */
  const signed = async (token: string, candidates: readonly ForeignJwk[]): Promise<JwtClaims | undefined> => {
    for (const key of candidates) {
      const claims = await ports.jwtVerifier.verify(token, key).catch((thrown: unknown) => {
        if (!(thrown instanceof AppError) || thrown.code !== "invalid_token") throw thrown;
        return undefined;
      });
      if (claims !== undefined) return claims;
    }
    return undefined;
  };

  const checked = async (token: string, network: string): Promise<Checked> => {
    const said = ports.jwtVerifier.read(token);
    if (said === undefined) throw refusedToken("The token is malformed.");
    const { keyId, type, claims: unproved } = said;
    if (unproved.iss !== outside.issuer) throw refusedToken(otherSlash(unproved.iss, outside));
    const candidates = await keys.find(keyId, network);
    if (candidates.length === 0) {
      throw refusedToken(
        `The issuer did not publish a key of this name when its keys were last read from ${settingName(outside, "issuer")}. They are read at most once a minute; if the key is new, try again in a minute.`,
      );
    }
    const most = keyId === undefined ? mostTries.unnamed : mostTries.named;
    const claims =
      (await signed(token, candidates.slice(0, most))) ??
      (keyId === undefined ? await signed(token, (await keys.renewed(network)).slice(0, most)) : undefined);
    if (claims === undefined) {
      throw refusedToken(
        keyId === undefined
          ? `The token names no key (kid), and none of the ${Math.min(candidates.length, most)} keys of ${settingName(outside, "issuer")} that were tried signed it.`
          : "The token's signature is not valid.",
      );
    }
    return { claims, content: readOutsideClaims({ claims, type }, outside, Math.floor(ports.clock.now() / 1000)) };
  };

  return {
    claims: (token) => {
      const iss = ports.jwtVerifier.read(token)?.claims.iss;
      return typeof iss === "string" && withoutSlash(iss) === withoutSlash(outside.issuer);
    },
    principalOf: async (token, origin) => {
      const { claims: said, content: claims } = await checked(token, networkOf(origin.address));
      const granted = () => grantedScopes(said, outside, parts.scopes());
      if (claims.program !== undefined) {
        return programPrincipal(parts, { issuer: outside.issuer, name: claims.program }, granted);
      }
      const scopes = granted();
      const { id, userId } = await outsideAccount(parts, claims, origin);
      const fields = ["id", ...roleFields, ...trustFields];
      const account = await ports.storage.resources.find(user, userId, system, fields);
      if (account === undefined) throw refusedToken("The account of this token has been deleted.");
      await noteVerified(parts, account, claims, origin);
      const named = ranked.filter((role) => claims.roles.includes(role)).at(-1) ?? "user";
      const role = outside.roleClaim === undefined ? String(account.role) : named;
      const lacks = settings.adminMfa === "required" && role !== "user" && !claims.severalFactors;
      return {
        kind: "user",
        userId,
        ...(lacks ? { role: "user", lacksSecondFactor: true } : { role }),
        credential: { kind: "outside", id, ...(scopes === undefined ? {} : { scopes }) },
      };
    },
  };
};
