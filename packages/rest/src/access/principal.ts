import type { AccessRule } from "@postern/core";
import { type AccessScope, allRows, scopeOf } from "@postern/core";

export type Role = "user" | "admin";

/** Who a request acts for. There is none for an anonymous request: no principal means no rights, never all of them. */
export type Principal =
  | { readonly kind: "user"; readonly userId: string; readonly role: Role; readonly sessionId: string }
  /** Someone at the machine's own command line, who could open the database file just as well. */
  | { readonly kind: "operator"; readonly name: string };

export const isAdmin = (principal: Principal | undefined): boolean =>
  principal?.kind === "operator" || (principal?.kind === "user" && principal.role === "admin");

/** The rows this principal may touch under `rule`: every row for an administrator, none for nobody. */
export const scopeFor = (principal: Principal, rule: AccessRule): AccessScope => {
  if (principal.kind === "operator") return allRows(`operator ${principal.name}`);
  if (principal.role === "admin") return allRows(`admin ${principal.userId}`);
  return scopeOf(rule({ userId: principal.userId }));
};
