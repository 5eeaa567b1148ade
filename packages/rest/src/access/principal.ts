import { type AccessRule, type AccessScope, AppError, allRows } from "@postern/core";

/** The name of a role: a built-in one such as `user` or `admin`, or one of the configuration. */
type Role = string;

/** The credential of a request. */
export type Credential =
  /** A sign-in. It may do whatever its user may do. */
  | {
      readonly kind: "session";
      readonly id: string;
      /**
       * When the user proved who they are, in milliseconds since the epoch. If absent, the sign-in
       * does not count as recent.
       */
      readonly signedInAt?: number;
    }
  /** A key that may do only what its scopes allow. */
  | { readonly kind: "api-key"; readonly id: string; readonly scopes: readonly string[] }
  /** A token of an OAuth client, also limited to its scopes. `id` is the id of the client. */
  | { readonly kind: "client"; readonly id: string; readonly scopes: readonly string[] }
  /**
   * A token of an outside issuer. `id` is the id of the link to the account. With `scopes` it is
   * limited to these; without, it may do whatever its user may do.
   */
  | { readonly kind: "outside"; readonly id: string; readonly scopes?: readonly string[] };

/** A user of the API. */
export interface UserPrincipal {
  readonly kind: "user";
  readonly userId: string;
  readonly role: Role;
  /** True if the user has a role above `user` that takes effect once they have a second factor. */
  readonly lacksSecondFactor?: true;
  readonly credential: Credential;
}

/**
 * Who a request acts for. An anonymous request has no principal, and without a principal it has no
 * rights.
 */
export type Principal =
  | UserPrincipal
  /** A person at the machine's own command line, who could open the database file as well. */
  | { readonly kind: "operator"; readonly name: string };

/**
 * The caller of an operation that is not public. Dispatch has already refused requests without one;
 * this function tells the compiler so.
 */
export const principalOf = ({ principal }: { readonly principal: Principal | undefined }): Principal => {
  if (principal === undefined) throw new AppError("unauthenticated");
  return principal;
};

export const isAdmin = (principal: Principal | undefined): boolean =>
  principal?.kind === "operator" || (principal?.kind === "user" && principal.role === "admin");

/**
 * The rows that this principal may see or change under `rule`. An administrator may access every
 * row.
 */
export const scopeFor = (principal: Principal, rule: AccessRule): AccessScope => {
  if (principal.kind === "operator") return allRows(`operator ${principal.name}`);
  if (principal.role === "admin") return allRows(`admin ${principal.userId}`);
  return { where: rule({ userId: principal.userId, role: principal.role }) };
};
