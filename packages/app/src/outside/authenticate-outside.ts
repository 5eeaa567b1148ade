import { AppError, allRows, type Ports } from "@postern/core";
import { builtInRoles, networkOf, type UserPrincipal } from "@postern/rest";
import { user } from "../resources/user.ts";
import type { Settings } from "../settings.ts";
import { roleFields } from "../sign-in/role-in-force.ts";
import { issuerKeys } from "./issuer-keys.ts";
import { noteVerified, type Origin, type OutsideAccountParts, outsideAccount } from "./outside-accounts.ts";
import { type OutsideClaims, readOutsideClaims, refusedToken } from "./outside-claims.ts";
import { grantedScopes } from "./outside-scopes.ts";
import { trustFields } from "./trusted-addresses.ts";

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
  readonly content: OutsideClaims;
  /** What it may do; `undefined` if that is whatever its user may do. */
  readonly scopes: readonly string[] | undefined;
}

/** Tokens of one outside issuer. */
export interface OutsideAuthentication {
  /** Whether a token says that it is of this issuer. */
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
 * How many keys of one name are tried. An issuer has one, or two while it replaces a key without
 * changing the name.
 */
const mostTries = 3;

/** Checks tokens of an outside issuer against its published keys, and finds their accounts. */
export const outsideAuthentication = (parts: OutsideParts): OutsideAuthentication => {
  const { ports, settings, outside } = parts;
  const keys = issuerKeys(ports, outside.issuer);
  const ranked = byRank(parts.ownRoles);

  const checked = async (token: string, network: string): Promise<Checked> => {
    const said = ports.jwtVerifier.read(token);
    if (said === undefined) throw refusedToken("The token is malformed.");
    const candidates = await keys.find(said.keyId, network);
    if (candidates.length === 0) {
      throw refusedToken(
        "The issuer did not publish a key of this name when its keys were last read. They are read at most once a minute; if the key is new, try again in a minute.",
      );
    }
    for (const key of candidates.slice(0, mostTries)) {
      const claims = await ports.jwtVerifier.verify(token, key).catch((thrown: unknown) => {
        if (!(thrown instanceof AppError) || thrown.code !== "invalid_token") throw thrown;
        return undefined;
      });
      if (claims === undefined) continue;
      const content = readOutsideClaims({ claims, type: said.type }, outside, Math.floor(ports.clock.now() / 1000));
      return { content, scopes: grantedScopes(claims, outside, parts.scopes()) };
    }
    throw refusedToken("The token's signature is not valid.");
  };

  return {
    claims: (token) => ports.jwtVerifier.read(token)?.claims.iss === outside.issuer,
    principalOf: async (token, origin) => {
      const { content: claims, scopes } = await checked(token, networkOf(origin.address));
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
