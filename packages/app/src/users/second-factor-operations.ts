import { AppError, allRows, equals, type Ports, type Stores } from "@postern/core";
import { timestampOf } from "@postern/core/internal";
import {
  type EngineCall,
  hasSignedInRecently,
  idOf,
  isAdmin,
  type Operation,
  principalOf,
  signInTooOld,
  tableEntry,
} from "@postern/rest";
import type { ProductInForce } from "@postern/rest/internal";
import { z } from "zod";
import { type AccountMail, enqueuing } from "../account/account-mail.ts";
import {
  base32,
  checkCode,
  digestOfRecovery,
  newRecoveryCode,
  presentedCode,
  sealSecret,
  useCode,
  wrongCode,
} from "../account/second-factors.ts";
import { secondFactor } from "../resources/second-factor.ts";
import { session } from "../resources/session.ts";
import { user } from "../resources/user.ts";
import type { SettingsInForce } from "../settings.ts";
import { currentPassword, requirePresence } from "../sign-in/recent-sign-in.ts";
import { aboutUser, takeTry } from "../sign-in/sessions.ts";

const system = allRows("second factors");
const recoveryCodes = 10;
/** RFC 4226, section 4: 160 bits are recommended. */
const secretBytes = 20;

/** RFC 6749, section 5.1: secrets must not be cached. */
const noStore = { "cache-control": "no-store" } as const;

export interface SecondFactorParts {
  readonly ports: Pick<
    Ports,
    "storage" | "secretBox" | "clock" | "oneTimeCodes" | "randomness" | "passwordHasher" | "wakeup" | "alerts"
  >;
  readonly mail: AccountMail;
  readonly settings: Pick<SettingsInForce, "product">;
}

/** The secret that RFC 6238 uses in its test vectors. */
const exampleSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

/** The secret for a QR code. A colon ends the issuer of a label, so an issuer has none. */
const uriOf = ({ title }: Pick<ProductInForce, "title">, email: string, secret: string): string => {
  const issuer = title.replaceAll(":", "");
  return `otpauth://totp/${encodeURIComponent(`${issuer}:${email}`)}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
};

/**
 * The caller's own id. @throws AppError `not_found` for another user's id: users set up their own
 * second factor.
 */
const ownId = (call: EngineCall): string => {
  const principal = principalOf(call);
  const id = idOf(user, call, "id");
  if (principal.kind === "user" && principal.userId === id) return id;
  throw new AppError("not_found", { detail: "There is no such user whose second factor you can change." });
};

const enrol = ({ ports, settings }: SecondFactorParts): Operation =>
  tableEntry({
    id: "second-factors.create",
    method: "POST",
    path: "/users/{id}/second-factor",
    access: "user",
    scope: "users:write",
    signIn: true,
    summary: "Begin to set up a second factor; the secret is shown this once",
    tag: "account",
    body: z.strictObject({ current_password: currentPassword }),
    bodyOptional: true,
    success: {
      status: 201,
      description: "The secret for the authenticator app. Once you confirm it, every sign-in needs a code.",
      body: z
        .object({
          secret: z.string().meta({ description: "In base 32, to be typed into the app." }),
          uri: z.string().meta({ description: "The same secret for a QR code: `otpauth://totp/…`." }),
        })
        .meta({
          examples: [{ secret: exampleSecret, uri: uriOf(settings.product, "ada@example.com", exampleSecret) }],
        }),
    },
    errors: ["not_found", "state_conflict", "sign_in_too_old", "invalid_credentials", "overloaded"],
    handle: async (call) => {
      const id = ownId(call);
      await requirePresence(ports, call, call.body.current_password);
      const secret = base32(ports.randomness.bytes(secretBytes));
      const account = await ports.storage.resources.find(user, id, system, ["email"]);
      const now = timestampOf(call.now());
      const row = {
        id,
        user_id: id,
        sealed_secret: await sealSecret(ports, id, secret),
        confirmed_at: null,
        last_step: 0,
        recovery_digests: [],
        created_at: now,
        updated_at: now,
      };
      const uri = uriOf(settings.product, String(account?.email), secret);
      return call.write({ resource: secondFactor.name, id }, async ({ resources }) => {
        const held = await resources.hold(user, { scope: system, where: equals("id", id) }, 1);
        if (held.length === 0) throw new AppError("not_found", { detail: "There is no such user." });
        const before = await resources.find(secondFactor, id, system, ["confirmed_at"]);
        if (before !== undefined && before.confirmed_at !== null) {
          throw new AppError("state_conflict", { detail: "The account has a second factor already; end it first." });
        }
        if (before !== undefined) await resources.delete(secondFactor, id, system);
        await resources.insert(secondFactor, row);
        return { status: 201, headers: noStore, body: { secret, uri } };
      });
    },
  });

/**
 * Ends the sessions of a user that began without the second factor: all except the one that has
 * just proved it.
 */
const endOtherSessions = async (
  { resources }: Pick<Stores, "resources">,
  call: EngineCall,
  id: string,
): Promise<void> => {
  const principal = principalOf(call);
  const kept = principal.kind === "user" ? principal.credential.id : "";
  const where = { all: [equals("user_id", id), { field: "id", op: "ne", value: kept } as const] };
  await resources.deleteWhere(session, system, where);
};

const confirm = ({ ports, mail }: SecondFactorParts): Operation =>
  tableEntry({
    id: "second-factors.confirm",
    method: "POST",
    path: "/users/{id}/second-factor/confirmation",
    access: "user",
    scope: "users:write",
    signIn: true,
    summary: "Confirm the second factor with a code; every other session ends",
    tag: "account",
    limit: "sign-in",
    body: z.strictObject({ code: presentedCode }),
    success: {
      status: 200,
      description: "Sign-ins need the second factor from now on. The recovery codes are shown this once.",
      body: z.object({
        recovery_codes: z
          .array(z.string())
          .max(recoveryCodes)
          .meta({ examples: [["MFRG-GZDF-MZTW-Q2LK", "NNWG-23TP-OBYX-E43U"]] }),
      }),
    },
    errors: ["not_found", "invalid_credentials", "state_conflict", "rate_limited"],
    handle: async (call) => {
      const id = ownId(call);
      const tried = await takeTry({ ports }, call, `second-factor ${id}`, async () => aboutUser(id));
      const pending = await ports.storage.resources.find(secondFactor, id, system, ["confirmed_at"]);
      if (pending?.confirmed_at !== null) {
        throw new AppError("state_conflict", {
          detail: "There is nothing to confirm; begin with POST /users/me/second-factor.",
        });
      }
      const used = await checkCode(ports, id, call.body.code);
      if (used === undefined) {
        await call.note(ports.storage.audit, { resource: secondFactor.name, id, result: "invalid_credentials" });
        throw wrongCode();
      }
      await tried.giveBack();
      const codes = Array.from({ length: recoveryCodes }, () => newRecoveryCode(ports));
      const now = timestampOf(call.now());
      const recovery_digests = await Promise.all(codes.map((code) => digestOfRecovery(ports, id, code)));
      const notices = await mail.noticesFor(call, id, ["second factor on"]);
      const telling = enqueuing(call, ports, async () => notices);
      return telling.write({ resource: secondFactor.name, id, fields: ["confirmed_at"] }, async (stores) => {
        await useCode(stores.resources, used, { confirmed_at: now, recovery_digests, updated_at: now });
        await stores.resources.update(user, { id, scope: system }, { second_factor_at: now, updated_at: now });
        await endOtherSessions(stores, call, id);
        return { status: 200, headers: noStore, body: { recovery_codes: codes } };
      });
    },
  });

const end = ({ ports, mail }: SecondFactorParts): Operation =>
  tableEntry({
    id: "second-factors.delete",
    method: "DELETE",
    path: "/users/{id}/second-factor",
    access: "user",
    scope: "users:write",
    signIn: true,
    summary: "End your second factor; administrators can end that of a user who has lost it",
    confirm: "End the second factor of {id}? The password is enough then.",
    tag: "account",
    success: { status: 204, description: "Sign-ins need the password alone." },
    errors: ["not_found", "sign_in_too_old"],
    handle: async (call) => {
      const principal = principalOf(call);
      const id = isAdmin(principal) ? idOf(user, call, "id") : ownId(call);
      // A password alone is not enough here: a recent sign-in has also proved the second factor.
      if (!hasSignedInRecently(principal, call.now())) throw signInTooOld();
      const notices = await mail.noticesFor(call, id, ["second factor off"]);
      const telling = enqueuing(call, ports, async () => notices);
      return telling.write({ resource: secondFactor.name, id }, async ({ resources }) => {
        if ((await resources.delete(secondFactor, id, system)) !== "done") {
          throw new AppError("not_found", { detail: "There is no second factor." });
        }
        const changes = { second_factor_at: null, updated_at: timestampOf(call.now()) };
        await resources.update(user, { id, scope: system }, changes);
        return { status: 204 };
      });
    },
  });

/** Operations that set up, confirm and end the second factor of an account. */
export const secondFactorOperations = (parts: SecondFactorParts): readonly Operation[] => [
  enrol(parts),
  confirm(parts),
  end(parts),
];
