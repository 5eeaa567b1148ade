import { allRows, equals, type Row, type Stores } from "@postern/core";
import { timestampOf } from "@postern/core/internal";
import type { EngineCall } from "@postern/rest";
import { user } from "../resources/user.ts";

const system = allRows("addresses on trust");

/** The fields of a user that say whether its address is on trust. */
export const trustFields = ["email", "verified_email", "trusted_email"] as const;

/**
 * Whether an account has its address only because an outside issuer named it. Then nobody has proved
 * that address: no link that gives access goes to it, and no other account is matched by it.
 */
export const isOnTrust = ({ email, verified_email, trusted_email }: Row): boolean =>
  (trusted_email ?? null) !== null && trusted_email === email && verified_email !== email;

/** Whether no mail can arrive at an address (RFC 6761): that of an account without one. */
export const isPlaceholder = (email: string): boolean => email.endsWith(".invalid");

/**
 * Takes an address from the account that has it on trust, for somebody who has proved it. The other
 * account keeps everything else; it gets an address that is never mailed. Call it inside the
 * transaction in which the address gets its owner. An account that has the address for another reason
 * keeps it. Returns whether the address was taken.
 */
export const takeAddress = async (
  { resources, audit }: Pick<Stores, "resources" | "audit">,
  email: string,
  now: number,
  note: EngineCall["note"],
): Promise<boolean> => {
  const [id] = await resources.hold(user, { scope: system, where: equals("email", email) }, 1);
  const account = id === undefined ? undefined : await resources.find(user, id, system, [...trustFields]);
  if (id === undefined || account === undefined || !isOnTrust(account)) return false;
  const changes = { email: `${id}@displaced.invalid`, trusted_email: null, updated_at: timestampOf(now) };
  await resources.update(user, { id, scope: system }, changes);
  await note(audit, { action: "outside.lose-address", resource: user.name, id, fields: ["email"] });
  return true;
};
