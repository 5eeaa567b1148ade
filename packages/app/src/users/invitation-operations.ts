import { AppError, type Resource } from "@postern/core";
import { createRow, type Operation, rowSchema } from "@postern/rest";
import { z } from "zod";
import { enqueuing } from "../account/account-mail.ts";
import { isHeldOnTrust } from "../account/letter-writer.ts";
import { adminOperation } from "../admin-operation.ts";
import { user as builtInUser } from "../resources/user.ts";
import { noPassword } from "../sign-in/password.ts";
import { type AccountParts, typedAddress } from "./password-reset-operations.ts";

/** An invitation gives an account at once, and nobody has proved the address yet. */
const heldOnTrust = (): AppError => {
  const detail =
    "An account has this address only because an outside issuer named it. If that is the person, make the link: postern users link USER --sub SUB. If not, they get the address when they sign up here and open the mailed link; or give that account another address first.";
  return new AppError("conflict", { detail, faults: [{ pointer: "/email", code: "taken", detail: "already in use" }] });
};

/** Accounts that an administrator makes for others, who choose the password themselves. */
export const invitationOperations = (
  { ports, mail }: AccountParts,
  resources: ReadonlyMap<string, Resource>,
): readonly Operation[] => {
  const user = resources.get(builtInUser.name) ?? builtInUser;
  const { name, email, role } = user.fields;
  return [
    adminOperation({
      id: "admin.invitations.create",
      method: "POST",
      path: "/admin/invitations",
      summary: "Invite somebody: make an account whose owner chooses the password by a mailed link",
      body: z
        .strictObject({
          name: name?.schema ?? z.string(),
          email: email?.schema ?? typedAddress,
          role: role?.schema.optional() ?? z.string().optional(),
        })
        .meta({ examples: [{ name: "Grace Hopper", email: "grace@example.com" }] }),
      success: {
        status: 201,
        description: "The new user. A mail is on its way to them.",
        body: z.lazy(() => rowSchema(user)),
      },
      errors: ["conflict", "state_conflict", "sign_in_too_old", "overloaded"],
      handle: async (call) => {
        if (await isHeldOnTrust(ports, String(call.body.email))) throw heldOnTrust();
        const inviting = enqueuing(call, ports, async ({ id = "" }) => mail.jobsFor({ about: "invite", userId: id }));
        return createRow(user, inviting, { given: call.body, filled: { password: noPassword }, shown: undefined });
      },
    }),
  ];
};
