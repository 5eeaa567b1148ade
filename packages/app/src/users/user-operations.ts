import type { Ports } from "@postern/core";
import { AppError } from "@postern/core";
import { timestampOf } from "@postern/core/parts";
import {
  type Call,
  challenge,
  createRow,
  createSchema,
  defineOperation,
  fieldsParameter,
  idOf,
  isAdmin,
  marks,
  type Operation,
  principalOf,
  readOnlyFields,
  rowSchema,
  scopeFor,
} from "@postern/rest";
import { z } from "zod";
import { user } from "../resources/user.ts";
import type { Settings } from "../settings.ts";
import { passwordText, presentedPassword, refuseCommon } from "../sign-in/password.ts";
import { endSessions, holdPassword, takeTry } from "../sign-in/sessions.ts";

const noSuchUser = (): AppError => new AppError("not_found", { detail: "There is no such user." });

const requireSignUp = (signup: "open" | "admin", { principal }: Call): void => {
  if (signup === "open" || isAdmin(principal)) return;
  throw principal === undefined
    ? new AppError("unauthenticated", { detail: "Only administrators create users here.", headers: challenge() })
    : new AppError("forbidden", { detail: "Only administrators create users here." });
};

/** What these operations work with. */
export interface UserParts {
  readonly ports: Pick<Ports, "storage" | "passwordHasher" | "commonPasswords" | "secretBox">;
  readonly settings: Pick<Settings, "signup">;
}

/** What users have beyond the standard operations: sign-up, which takes a password, and the change of it. */
export const userOperations = (parts: UserParts): readonly Operation[] => [
  defineOperation({
    id: "users.create",
    method: "POST",
    path: "/users",
    access: "public",
    summary: "Sign up",
    tag: "users",
    limit: "sign-up",
    query: z.strictObject({ fields: fieldsParameter }),
    body: createSchema(user)
      .extend({ password: passwordText })
      .meta({ id: "user_sign_up", [marks.resource]: user.name }),
    readOnlyFields: readOnlyFields(user),
    minimal: true,
    success: { status: 201, description: "The new user.", body: rowSchema(user) },
    errors: [
      "conflict",
      "field_read_only",
      "invalid_fields",
      "unauthenticated",
      "forbidden",
      "rate_limited",
      "overloaded",
    ],
    reach: async (call) => requireSignUp(parts.settings.signup, call),
    handle: async (call) => {
      requireSignUp(parts.settings.signup, call);
      const { ports } = parts;
      const { password, ...given } = call.body;
      refuseCommon(ports.commonPasswords, String(password), "password");
      const hash = await ports.passwordHasher.hash(String(password));
      return createRow(user, call, { given, filled: { password: hash }, shown: call.query.fields });
    },
  }),
  defineOperation({
    id: "users.change-password",
    method: "PUT",
    path: "/users/{id}/password",
    access: "user",
    summary: "Change the password; every session of the user ends",
    tag: "users",
    limit: "sign-in",
    body: z.strictObject({ current_password: presentedPassword.optional(), new_password: passwordText }),
    success: { status: 204, description: "Changed. Sign in with the new one." },
    errors: ["not_found", "invalid_credentials", "validation_failed", "overloaded", "rate_limited"],
    handle: async (call) => {
      const principal = principalOf(call);
      const { storage, passwordHasher, commonPasswords } = parts.ports;
      const id = idOf(user, call, "id");
      const scope = scopeFor(principal, user.access.update);
      const account = await storage.resources.find(user, id, scope, ["password"]);
      if (account === undefined) throw noSuchUser();
      const own = principal.kind === "user" && principal.userId === id;
      if (own) {
        if (call.body.current_password === undefined) {
          throw new AppError("validation_failed", {
            detail: "current_password: this is required.",
            faults: [{ pointer: "/current_password", code: "required", detail: "this is required" }],
          });
        }
        const tried = await takeTry(parts, call, id);
        const correct = await passwordHasher.verify(call.body.current_password, String(account.password));
        if (!correct) {
          await call.note(storage.audit, { resource: user.name, id, result: "invalid_credentials" });
          throw new AppError("invalid_credentials", { detail: "The current password is wrong.", headers: challenge() });
        }
        await tried.giveBack();
      }
      refuseCommon(commonPasswords, call.body.new_password, "new_password");
      const hash = await passwordHasher.hash(call.body.new_password);
      return call.write({ resource: user.name, id, fields: ["password"] }, async ({ resources }) => {
        if (own) await holdPassword(resources, id, account.password);
        const changes = { password: hash, updated_at: timestampOf(call.now()) };
        if ((await resources.update(user, id, scope, changes)) !== "done") throw noSuchUser();
        await endSessions(resources, id);
        return { status: 204 };
      });
    },
  }),
];
