import { AppError } from "@postern/core";
import { uuidPattern } from "@postern/core/parts";
import { defineOperation, type Operation, principalOf, scopeFor } from "@postern/rest";
import { z } from "zod";
import { session } from "../resources/session.ts";
import { presentedPassword } from "./password.ts";
import { refreshSession, type SignInParts, signIn } from "./sessions.ts";

const tokenPair = z.object({
  access_token: z.string().meta({ description: "Send it as `Authorization: Bearer …`." }),
  token_type: z.literal("Bearer"),
  expires_in: z.int().meta({ description: "Seconds." }),
  refresh_token: z.string().meta({ description: "Good for one exchange." }),
});

/** RFC 6749, section 5.1: tokens must not be cached. */
const noStore = { "cache-control": "no-store" } as const;

export const sessionOperations = (parts: SignInParts): readonly Operation[] => [
  defineOperation({
    id: "sessions.create",
    method: "POST",
    path: "/sessions",
    access: "public",
    summary: "Sign in",
    tag: "sessions",
    limit: "sign-in",
    body: z.strictObject({ email: z.string().max(254), password: presentedPassword }),
    success: { status: 201, description: "A pair of tokens.", body: tokenPair },
    errors: ["invalid_credentials", "rate_limited", "overloaded"],
    // Signing in again does no harm, and tokens are kept nowhere.
    idempotent: false,
    handle: (call) => signIn(parts, call, call.body, (body) => ({ status: 201, headers: noStore, body })),
  }),
  defineOperation({
    id: "sessions.refresh",
    method: "POST",
    path: "/sessions/refresh",
    access: "public",
    summary: "Exchange a refresh token for a new pair",
    tag: "sessions",
    limit: "sign-in",
    body: z.strictObject({ refresh_token: z.string().max(256) }),
    success: { status: 200, description: "A new pair of tokens; the old refresh token is used up.", body: tokenPair },
    errors: ["invalid_token", "rate_limited"],
    idempotent: false,
    handle: (call) =>
      refreshSession(parts, call, call.body.refresh_token, (body) => ({ status: 200, headers: noStore, body })),
  }),
  defineOperation({
    id: "sessions.delete",
    method: "DELETE",
    path: "/sessions/{id}",
    access: "user",
    summary: "Sign out: end a session of yours; `current` is the one this request uses",
    tag: "sessions",
    success: { status: 204, description: "It has ended." },
    errors: ["not_found"],
    handle: async (call) => {
      const principal = principalOf(call);
      const named = call.params.id ?? "";
      const id = named === "current" && principal.kind === "user" ? principal.sessionId : named;
      const noSuchSession = new AppError("not_found", { detail: "There is no such session." });
      if (!uuidPattern.test(id)) throw noSuchSession;
      return call.write({ resource: session.name, id }, async ({ resources }) => {
        const result = await resources.delete(session, id, scopeFor(principal, session.access.delete));
        if (result !== "done") throw noSuchSession;
        return { status: 204 };
      });
    },
  }),
];
