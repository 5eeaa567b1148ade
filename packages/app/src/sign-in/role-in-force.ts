import type { Row } from "@postern/core";
import type { UserPrincipal } from "@postern/rest";
import type { Settings } from "../settings.ts";

/** The fields of a user that decide about their role. */
export const roleFields = ["role", "second_factor_at"] as const;

export type RoleInForce = Pick<UserPrincipal, "role" | "lacksSecondFactor">;

/**
 * The role that a user acts with. If administrators need a second factor, roles above `user` have
 * effect only with one (ADR 27).
 */
export const roleInForce = (account: Row, { adminMfa }: Pick<Settings, "adminMfa">): RoleInForce => {
  const role = String(account.role);
  const lacks = adminMfa === "required" && role !== "user" && (account.second_factor_at ?? null) === null;
  return lacks ? { role: "user", lacksSecondFactor: true } : { role };
};
