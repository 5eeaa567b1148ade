import { type AccessRule, type AccessScope, AppError, allRows } from "@postern/core";
import { conditionOf, isForNobody, nothing } from "@postern/core/internal";
import { includesScope, type Roles } from "./roles.ts";

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
      /**
       * True for a sign-in to the console. Its requests do not count as use of what is deprecated: the
       * console is a part of the server, and changes with it.
       */
      readonly ofConsole?: true;
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
 * row, but for those that a rule keeps for the application's own code.
 */
export const scopeFor = (principal: Principal, rule: AccessRule): AccessScope => {
  if (isForNobody(rule)) return { where: nothing };
  if (principal.kind === "operator") return allRows(`operator ${principal.name}`);
  if (principal.role === "admin") return allRows(`admin ${principal.userId}`);
  return { where: conditionOf(rule, { userId: principal.userId, role: principal.role }) };
};

/** What the entry of an operation says about who may call it. */
interface Guarded {
  readonly access: "public" | "user" | "admin";
  readonly scope?: string;
  readonly signIn?: true;
  readonly roles?: readonly string[];
}

/** How long a sign-in counts as recent, in seconds (ADR 24). */
const recentSignInSeconds = 300;

const holdsScope = (principal: Principal, scope: string): boolean => {
  if (principal.kind === "operator" || principal.credential.kind === "session") return true;
  const { scopes } = principal.credential;
  return scopes === undefined || scopes.includes(scope);
};

/** The error for a credential that does not cover this scope (RFC 6750, section 3.1). */
const scopeMissing = (scope: string): AppError =>
  new AppError("insufficient_scope", {
    detail: `This credential may not be used for that: it needs the scope ${scope}.`,
    headers: challenge("insufficient_scope", { scope }),
    extra: { scope },
  });

/** @throws AppError `insufficient_scope` unless the credential covers this scope. */
export const requireScope = (principal: Principal, scope: string): void => {
  if (!holdsScope(principal, scope)) throw scopeMissing(scope);
};

/**
 * Whether the caller has proved who they are recently. A person at the command line counts as such.
 */
export const hasSignedInRecently = (principal: Principal, now: number): boolean => {
  if (principal.kind === "operator") return true;
  const { credential } = principal;
  return credential.kind === "session" && now - (credential.signedInAt ?? 0) <= recentSignInSeconds * 1000;
};

/** The error for an operation that needs a more recent sign-in (RFC 9470). */
export const signInTooOld = (): AppError =>
  new AppError("sign_in_too_old", {
    detail: `This needs a sign-in of the last ${recentSignInSeconds / 60} minutes: sign in again with POST /sessions, then repeat the request.`,
    headers: challenge("insufficient_user_authentication", { max_age: recentSignInSeconds }),
  });

const roleGives = (roles: Roles, principal: Principal, scope: string): boolean => {
  if (principal.kind === "operator") return true;
  // A role that is no longer configured allows only what every user may do.
  const role = Object.hasOwn(roles, principal.role) ? roles[principal.role] : undefined;
  return includesScope(role?.scopes ?? [], scope);
};

/**
 * Whether both the role and the credential of a caller include this scope of operations below
 * `/admin`.
 */
export const mayUse = (roles: Roles, principal: Principal | undefined, scope: string): boolean =>
  principal !== undefined && roleGives(roles, principal, scope) && holdsScope(principal, scope);

const roleMissing = (principal: Principal): AppError =>
  new AppError("forbidden", {
    detail: `Your role, ${principal.kind === "user" ? principal.role : principal.kind}, does not allow that.`,
  });

/**
 * The one place that decides whether a request may call an operation: the role must allow it, and
 * so must the credential's scopes. `scopeFor` decides which rows the operation may then access.
 * @throws AppError `unauthenticated`; `forbidden` when the role lacks the right or the operation
 *   needs a sign-in; `insufficient_scope` when only the credential lacks it.
 */
export const requireRight = (known: Roles, operation: Guarded, principal: Principal | undefined): void => {
  const { access, scope, roles } = operation;
  if (principal === undefined) {
    if (access === "public") return;
    throw new AppError("unauthenticated", {
      detail: "Send an access token or an API key as `Authorization: Bearer …`; POST /api/sessions gives a token.",
      headers: challenge(),
    });
  }
  if (access === "admin" && !roleGives(known, principal, scope ?? "")) {
    if (principal.kind === "user" && principal.lacksSecondFactor === true) {
      throw new AppError("forbidden", {
        detail: "Your role takes effect only with a second factor: set one up with POST /users/me/second-factor.",
      });
    }
    throw roleMissing(principal);
  }
  if (roles !== undefined && !isAdmin(principal) && !(principal.kind === "user" && roles.includes(principal.role))) {
    throw roleMissing(principal);
  }
  if (operation.signIn === true && principal.kind === "user" && principal.credential.kind !== "session") {
    throw new AppError("forbidden", {
      detail:
        "This needs a sign-in at this server. API keys, clients and tokens of an outside issuer cannot do it, whatever their scopes.",
    });
  }
  if (scope !== undefined && !holdsScope(principal, scope)) throw scopeMissing(scope);
};

/** What is wrong with a credential: RFC 6750, section 3.1, and RFC 9470, section 3. */
type ChallengeError = "invalid_token" | "insufficient_scope" | "insufficient_user_authentication";

interface ChallengeParameters {
  /** The scope that is missing. */
  readonly scope?: string;
  /** The greatest age of a sign-in, in seconds. */
  readonly max_age?: number;
}

/** The header that asks for a credential (RFC 6750, section 3). */
export const challenge = (
  error?: ChallengeError,
  parameters: ChallengeParameters = {},
): Readonly<Record<string, string>> => {
  const told = Object.entries({ realm: "postern", ...(error === undefined ? {} : { error }), ...parameters });
  return { "www-authenticate": `Bearer ${told.map(([name, value]) => `${name}="${value}"`).join(", ")}` };
};
