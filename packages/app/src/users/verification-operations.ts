import { AppError, allRows } from "@postern/core";
import { timestampOf } from "@postern/core/internal";
import { type Operation, principalOf, tableEntry } from "@postern/rest";
import { enqueuing } from "../account/account-mail.ts";
import { readToken, requireSubject, spendToken } from "../account/account-token.ts";
import { user } from "../resources/user.ts";
import type { AccountParts } from "./password-reset-operations.ts";

const system = allRows("account tokens");

/** Operations that verify the address of an account. */
export const verificationOperations = ({ ports, mail }: AccountParts): readonly Operation[] => [
  tableEntry({
    id: "email-verifications.create",
    method: "POST",
    path: "/email-verifications",
    access: "user",
    scope: "users:write",
    summary: "Ask for a link with which to verify your address",
    tag: "account",
    limit: "sign-in",
    success: { status: 202, description: "If the address is not verified yet, a mail is on its way to it." },
    errors: ["forbidden", "rate_limited"],
    handle: async (call) => {
      const principal = principalOf(call);
      if (principal.kind !== "user") throw new AppError("forbidden", { detail: "Only users have an address." });
      const jobs = await mail.jobsFor({ about: "verify", userId: principal.userId });
      const about = { resource: user.name, id: principal.userId };
      return enqueuing(call, ports, async () => jobs).write(about, async () => ({ status: 202 }));
    },
  }),
  tableEntry({
    id: "email-verifications.finish",
    method: "POST",
    path: "/email-verifications/{token}",
    access: "public",
    summary: "Verify an address with the token of a mailed link",
    tag: "account",
    limit: "sign-in",
    success: { status: 204, description: "The address is verified." },
    errors: ["not_found", "rate_limited"],
    handle: async (call) => {
      const token = await readToken(ports, "verify", call.params.token ?? "");
      const found = await ports.storage.resources.find(user, token.userId ?? "", system, ["id", "email", "revision"]);
      const { id: userId, email = null, revision } = await requireSubject(ports, "verify", token, found);
      const id = String(userId);
      const about = { actor: { kind: "user", id }, resource: user.name, id, fields: ["verified_email"] } as const;
      return call.write(about, async ({ resources }) => {
        await spendToken(resources, token);
        const changes = { verified_email: email, updated_at: timestampOf(call.now()) };
        const expectedRevision = Number(revision);
        const result = await resources.update(user, { id, scope: system }, changes, { expectedRevision });
        if (result !== "done")
          throw new AppError("state_conflict", { detail: "The account is being changed; try again." });
        return { status: 204 };
      });
    },
  }),
];
