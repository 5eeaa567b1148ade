import { AppError, allRows, type Resource } from "@postern/core";
import { timestampOf } from "@postern/core/internal";
import { createRow, type EngineCall, type Operation, rowSchema, tableEntry } from "@postern/rest";
import { z } from "zod";
import { type LiveToken, readToken, spendToken } from "../account/account-token.ts";
import { takeAddress } from "../account/trusted-addresses.ts";
import { user as builtInUser, newUserOf } from "../resources/user.ts";
import type { AccountParts } from "./password-reset-operations.ts";

const system = allRows("account tokens");

/** The content of a sign-up that waits until its address is confirmed. */
const signUp = z.object({ given: z.record(z.string(), z.unknown()), password: z.string() });

/** A sign-up as the token that confirms it keeps it. */
export const signUpContent = (given: Readonly<Record<string, unknown>>, password: string): string =>
  JSON.stringify({ given, password });

/** A call whose write uses up a token, which proves an address. */
const spending = <One extends Pick<EngineCall, "write" | "note" | "now">>(
  call: One,
  token: LiveToken,
  email: string,
): One => ({
  ...call,
  write: (about, work) =>
    call.write(about, async (stores, own) => {
      await spendToken(stores.resources, token);
      await takeAddress(stores, email, call.now(), call.note);
      return work(stores, own);
    }),
});

/**
 * The operations that begin with a mail to an address and take effect when its owner confirms it
 * (`POSTERN_SIGNUP_CONFIRM=on`).
 */
export const confirmedOperations = (
  { ports }: Pick<AccountParts, "ports">,
  resources: ReadonlyMap<string, Resource>,
): readonly Operation[] => {
  const user = resources.get(builtInUser.name) ?? builtInUser;
  const newUser = newUserOf(user);
  return [
    tableEntry({
      id: "sign-ups.finish",
      method: "POST",
      path: "/sign-ups/{token}",
      access: "public",
      summary: "Finish a sign-up with the token of a mailed link",
      tag: "account",
      limit: "sign-in",
      success: { status: 201, description: "The new user.", body: z.lazy(() => rowSchema(user)) },
      errors: ["not_found", "conflict", "quota_exceeded", "rate_limited"],
      handle: async (call) => {
        const token = await readToken(ports, "sign-up", call.params.token ?? "");
        const { given, password } = signUp.parse(JSON.parse(token.content ?? ""));
        const filled = { password, verified_email: String(given.email) };
        return createRow(newUser, spending(call, token, String(given.email)), { given, filled, shown: undefined });
      },
    }),
    tableEntry({
      id: "email-changes.finish",
      method: "POST",
      path: "/email-changes/{token}",
      access: "public",
      summary: "Finish a change of address with the token of a mailed link",
      tag: "account",
      limit: "sign-in",
      success: { status: 204, description: "The account has the new address, and it is verified." },
      errors: ["not_found", "conflict", "rate_limited"],
      handle: async (call) => {
        const token = await readToken(ports, "address", call.params.token ?? "");
        const { userId: id, content: email } = token;
        if (id === null || email === undefined) throw new AppError("not_found");
        const about = {
          actor: { kind: "user", id },
          resource: user.name,
          id,
          fields: ["email", "verified_email"],
        } as const;
        return spending(call, token, email).write(about, async (stores) => {
          const changes = { email, verified_email: email, updated_at: timestampOf(call.now()) };
          await stores.resources.update(user, { id, scope: system }, changes);
          return { status: 204 };
        });
      },
    }),
  ];
};
