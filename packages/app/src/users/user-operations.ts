import type { Ports } from "@postern/core";
import { AppError, type Resource } from "@postern/core";
import { timestampOf } from "@postern/core/internal";
import {
  challenge,
  createRow,
  createSchema,
  type EngineCall,
  fieldsParameter,
  idOf,
  isAdmin,
  marks,
  type Operation,
  principalOf,
  readOnlyFields,
  rowSchema,
  scopeFor,
  tableEntry,
} from "@postern/rest";
import { z } from "zod";
import { type AccountMail, enqueuing } from "../account/account-mail.ts";
import { isHeldOnTrust } from "../account/letter-writer.ts";
import { endKeys, revokeApiKeys, toldOfKeys } from "../keys/keys-after-password.ts";
import { user as builtInUser, newUserOf } from "../resources/user.ts";
import type { Settings } from "../settings.ts";
import { hashingFor } from "../sign-in/hashing-for.ts";
import { guessableCodes, hashIn, passwordText, presentedPassword, refuseGuessable } from "../sign-in/password.ts";
import { requirePresence } from "../sign-in/recent-sign-in.ts";
import { aboutUser, endSessions, holdPassword, takeTry } from "../sign-in/sessions.ts";
import { signUpContent } from "./confirmed-operations.ts";

const noSuchUser = (): AppError => new AppError("not_found", { detail: "There is no such user." });

const requireSignUp = (signup: "open" | "admin", { principal }: EngineCall): void => {
  if (signup === "open" || isAdmin(principal)) return;
  throw principal === undefined
    ? new AppError("unauthenticated", { detail: "Only administrators create users here.", headers: challenge() })
    : new AppError("forbidden", { detail: "Only administrators create users here." });
};

/** The dependencies of these operations. */
export interface UserParts {
  readonly ports: Pick<Ports, "storage" | "passwordHasher" | "commonPasswords" | "secretBox" | "wakeup" | "alerts">;
  readonly mail: AccountMail;
  readonly settings: Pick<Settings, "signup" | "confirmAddresses">;
  readonly resources: ReadonlyMap<string, Resource>;
}

/**
 * Members that only administrators may write. Documents show them as read-only, because most users
 * are not administrators.
 */
const forAdministrators = (user: Resource) =>
  Object.fromEntries(
    Object.entries(createSchema(user).shape).flatMap(([name, schema]) =>
      user.fields[name]?.write === "admin" ? [[name, (schema as z.ZodType).meta({ readOnly: true })]] : [],
    ),
  );

/** `user` as sign-up takes and answers it. */
const signUp = (parts: UserParts, user: Resource): Operation =>
  tableEntry({
    id: "users.create",
    method: "POST",
    path: "/users",
    access: "public",
    scope: "users:write",
    summary: "Sign up",
    tag: "users",
    limit: "sign-up",
    query: z.strictObject({ fields: fieldsParameter }),
    body: z.lazy(() =>
      createSchema(user)
        .extend({ ...forAdministrators(user), password: passwordText })
        .meta({ id: "user_sign_up", [marks.resource]: user.name }),
    ),
    readOnlyFields: readOnlyFields(user),
    checkedAfterSchema: guessableCodes,
    minimal: true,
    success: { status: 201, description: "The new user.", body: z.lazy(() => rowSchema(user)) },
    accepted:
      "Where the server confirms addresses: the account is made as soon as the owner of the address opens the mailed link.",
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
      refuseGuessable(String(password), {
        common: ports.commonPasswords,
        member: "password",
        own: [given.name, given.email],
      });
      const hash = await ports.passwordHasher.hash(String(password), hashingFor(call));
      const email = String(given.email);
      const waits = parts.settings.confirmAddresses || (parts.mail.active && (await isHeldOnTrust(ports, email)));
      if (waits && call.principal === undefined) {
        const content = signUpContent(given, hash);
        const waiting = await parts.mail.jobsFor({ about: "sign-up", email, content });
        const about = { resource: user.name, fields: Object.keys(given) };
        return enqueuing(call, ports, async () => waiting).write(about, async () => ({ status: 202 }));
      }
      const made = enqueuing(call, ports, async ({ id = "" }) => parts.mail.jobsFor({ about: "verify", userId: id }));
      // The operator of the machine answers for the address.
      const verified_email = call.principal?.kind === "operator" ? email : null;
      return createRow(user, made, { given, filled: { password: hash, verified_email }, shown: call.query.fields });
    },
  });

/**
 * Checks the current password of a user who changes their own. Each wrong one counts as a failed
 * sign-in.
 * @throws AppError `validation_failed` without one; `invalid_credentials`; as `takeTry`.
 */
const requireOldPassword = async (
  parts: UserParts,
  call: EngineCall,
  { user, id, stored, given }: { user: Resource; id: string; stored: string | undefined; given: string | undefined },
): Promise<void> => {
  if (given === undefined) {
    throw new AppError("validation_failed", {
      detail: "current_password: this is required.",
      faults: [{ pointer: "/current_password", code: "required", detail: "this is required" }],
    });
  }
  const tried = await takeTry(parts, call, id, async () => aboutUser(id));
  if (!(await parts.ports.passwordHasher.verify(given, stored, hashingFor(call)))) {
    await call.note(parts.ports.storage.audit, { resource: user.name, id, result: "invalid_credentials" });
    throw new AppError("invalid_credentials", { detail: "The current password is wrong.", headers: challenge() });
  }
  await tried.giveBack();
};

const changePassword = (parts: UserParts, user: Resource): Operation =>
  tableEntry({
    id: "users.change-password",
    method: "PUT",
    path: "/users/{id}/password",
    access: "user",
    signIn: true,
    summary: "Change the password; every session of the user ends",
    confirm: "Set another password for the user {id}? The old one is lost, and every session of the user ends.",
    tag: "users",
    limit: "sign-in",
    body: z
      .strictObject({
        current_password: presentedPassword.optional(),
        new_password: passwordText,
        revoke_api_keys: revokeApiKeys,
      })
      .meta({ examples: [{ current_password: "correct horse battery", new_password: "nine loud violet kettles" }] }),
    // An administrator need not know the old password. The rest is about passwords that are easy to
    // guess.
    checkedAfterSchema: ["required", ...guessableCodes],
    success: { status: 204, description: "Changed. Sign in with the new one." },
    errors: ["not_found", "invalid_credentials", "sign_in_too_old", "validation_failed", "overloaded", "rate_limited"],
    handle: async (call) => {
      const principal = principalOf(call);
      const { storage, passwordHasher, commonPasswords } = parts.ports;
      const { current_password: given, new_password, revoke_api_keys: revoked } = call.body;
      const id = idOf(user, call, "id");
      const scope = scopeFor(principal, user.access.update);
      const account = await storage.resources.find(user, id, scope, ["password", "name", "email"]);
      if (account === undefined) throw noSuchUser();
      const own = principal.kind === "user" && principal.userId === id;
      if (own) await requireOldPassword(parts, call, { user, id, stored: hashIn(account.password), given });
      else await requirePresence(parts.ports, call, given);
      refuseGuessable(new_password, {
        common: commonPasswords,
        member: "new_password",
        own: [account.name, account.email],
      });
      const hash = await passwordHasher.hash(new_password, hashingFor(call));
      const keys = await toldOfKeys(storage.resources, { userId: id, revoked, now: call.now() });
      const notices = await parts.mail.noticesFor(call, id, ["password"], keys);
      const telling = enqueuing(call, parts.ports, async () => notices);
      const fields = ["password", ...(revoked ? ["api_keys"] : [])];
      return telling.write({ resource: user.name, id, fields }, async ({ resources }) => {
        if (own) await holdPassword(resources, id, account.password);
        const changes = { password: hash, updated_at: timestampOf(call.now()) };
        if ((await resources.update(user, { id, scope }, changes)) !== "done") throw noSuchUser();
        await endSessions(resources, id);
        if (revoked) await endKeys(resources, id);
        return { status: 204 };
      });
    },
  });

/**
 * The operations of users beyond the standard ones: sign-up, which takes a password, and the change
 * of the password.
 */
export const userOperations = (parts: UserParts): readonly Operation[] => {
  const user = parts.resources.get(builtInUser.name) ?? builtInUser;
  return [signUp(parts, newUserOf(user)), changePassword(parts, user)];
};
