import type { Resource } from "@postern/core";
import { createRow, defineOperation, type Operation, rowSchema } from "@postern/rest";
import { z } from "zod";
import { numberOfBytes } from "../keys/base62.ts";
import { user as builtInUser } from "../resources/user.ts";
import { hashingFor } from "../sign-in/hashing-for.ts";
import { enqueuing } from "./account-mail.ts";
import { type AccountParts, typedAddress } from "./password-reset-operations.ts";

/** Accounts that an administrator makes for others, who choose the password themselves. */
export const invitationOperations = (
  { ports, mail }: AccountParts,
  resources: ReadonlyMap<string, Resource>,
): readonly Operation[] => {
  const user = resources.get(builtInUser.name) ?? builtInUser;
  const { name, email, role } = user.fields;
  return [
    defineOperation({
      id: "admin.invitations.create",
      method: "POST",
      path: "/admin/invitations",
      access: "admin",
      summary: "Invite somebody: make an account whose owner chooses the password by a mailed link",
      tag: "admin",
      body: z
        .strictObject({
          name: name?.schema ?? z.string(),
          email: email?.schema ?? typedAddress,
          role: role?.schema.optional() ?? z.string().optional(),
        })
        .meta({ examples: [{ name: "Grace Hopper", email: "grace@example.com" }] }),
      success: { status: 201, description: "The new user. A mail is on its way to them.", body: rowSchema(user) },
      errors: ["conflict", "state_conflict", "sign_in_too_old", "overloaded"],
      handle: async (call) => {
        // Nobody knows this password, and it is never shown.
        const secret = numberOfBytes(ports.randomness.bytes(32)).toString(36);
        const password = await ports.passwordHasher.hash(secret, hashingFor(call));
        const inviting = enqueuing(call, ports, async ({ id = "" }) => mail.jobsFor({ about: "invite", userId: id }));
        return createRow(user, inviting, { given: call.body, filled: { password }, shown: undefined });
      },
    }),
  ];
};
