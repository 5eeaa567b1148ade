import { allRows, type Ports } from "@postern/core";
import { canonicalAddress, timestampOf } from "@postern/core/internal";
import { type Operation, tableEntry } from "@postern/rest";
import { z } from "zod";
import { type AccountMail, enqueuing } from "../account/account-mail.ts";
import { readToken, requireSubject, spendToken } from "../account/account-token.ts";
import { endKeys, revokeApiKeys, toldOfKeys } from "../keys/keys-after-password.ts";
import type { TokenPurpose } from "../resources/account-token.ts";
import { user } from "../resources/user.ts";
import { hashingFor } from "../sign-in/hashing-for.ts";
import { passwordText, refuseGuessable } from "../sign-in/password.ts";
import { endSessions } from "../sign-in/sessions.ts";

const system = allRows("account tokens");

export interface AccountParts {
  readonly ports: Pick<
    Ports,
    "storage" | "secretBox" | "clock" | "ids" | "passwordHasher" | "commonPasswords" | "wakeup" | "randomness"
  >;
  readonly mail: AccountMail;
}

/** The content of a token that a person was handed, and that no mail took to the address. */
export const handedOver = "handed over";

/** The address that a caller types to get a mail. */
export const typedAddress = z.string().max(254).meta({ description: "The address to sign in with." });

const askForReset = ({ ports, mail }: AccountParts): Operation =>
  tableEntry({
    id: "password-resets.create",
    method: "POST",
    path: "/password-resets",
    access: "public",
    summary: "Ask for a link with which to set a new password",
    tag: "account",
    limit: "sign-in",
    body: z.strictObject({ email: typedAddress }).meta({ examples: [{ email: "ada@example.com" }] }),
    success: { status: 202, description: "If the address has an account, a mail is on its way to it." },
    errors: ["rate_limited"],
    handle: async (call) => {
      // The job looks up whether there is an account, so that the answer does not depend on it.
      const jobs = await mail.jobsFor({ about: "reset", email: canonicalAddress(call.body.email) });
      return enqueuing(call, ports, async () => jobs).write({ resource: user.name }, async () => ({ status: 202 }));
    },
  });

/** How a password is set with a mailed token: by whom, and with which body. */
interface PasswordStep extends Pick<Operation, "id" | "path" | "summary"> {
  readonly purpose: TokenPurpose;
  readonly body: typeof firstPassword | typeof anotherPassword;
}

const firstPassword = z.strictObject({ new_password: passwordText });
const anotherPassword = firstPassword.extend({ revoke_api_keys: revokeApiKeys });

/** Sets a password with a token. If it came by mail, that proves control of the address, too. */
const passwordByToken = ({ ports, mail }: AccountParts, { purpose, ...described }: PasswordStep): Operation =>
  tableEntry({
    ...described,
    method: "POST",
    access: "public",
    tag: "account",
    limit: "sign-in",
    success: { status: 204, description: "Set. Every session of the user has ended; sign in with the new password." },
    errors: ["not_found", "validation_failed", "overloaded", "rate_limited"],
    handle: async (call) => {
      const { storage, passwordHasher, commonPasswords } = ports;
      const token = await readToken(ports, purpose, call.params.token ?? "");
      const fields = ["id", "email", "name"];
      const found = await storage.resources.find(user, token.userId ?? "", system, fields);
      const { id: userId, email, name } = await requireSubject(ports, purpose, token, found);
      const id = String(userId);
      const { new_password } = call.body;
      const revoked = "revoke_api_keys" in call.body && call.body.revoke_api_keys === true;
      refuseGuessable(new_password, { common: commonPasswords, member: "new_password", own: [name, email] });
      const password = await passwordHasher.hash(new_password, hashingFor(call));
      const actor = { kind: "user", id } as const;
      const keys = await toldOfKeys(storage.resources, { userId: id, revoked, now: call.now() });
      const isMailed = token.content !== handedOver;
      const proved = isMailed ? { verified_email: email ?? null } : {};
      const jobs = purpose === "invite" ? [] : await mail.noticesFor(call, id, ["password"], keys);
      return enqueuing(call, ports, async () => jobs).write(
        {
          actor,
          resource: user.name,
          id,
          fields: ["password", ...Object.keys(proved), ...(revoked ? ["api_keys"] : [])],
        },
        async ({ resources }) => {
          await spendToken(resources, token);
          const changes = { password, ...proved, updated_at: timestampOf(call.now()) };
          await resources.update(user, { id, scope: system }, changes);
          await endSessions(resources, id);
          if (revoked) await endKeys(resources, id);
          return { status: 204 };
        },
      );
    },
  });

/** Operations with which the owner of an address sets a password without knowing the old one. */
export const passwordResetOperations = (parts: AccountParts): readonly Operation[] => [
  askForReset(parts),
  passwordByToken(parts, {
    id: "password-resets.finish",
    path: "/password-resets/{token}",
    summary: "Set a new password with the token of a mailed link",
    purpose: "reset",
    body: anotherPassword,
  }),
  passwordByToken(parts, {
    id: "invitations.accept",
    path: "/invitations/{token}",
    summary: "Accept an invitation: set the first password with the token of its link",
    purpose: "invite",
    body: firstPassword,
  }),
];
