import { AppError, allRows, type Condition, equals } from "@postern/core";
import { uuidPattern } from "@postern/core/internal";
import { type Credential, type Operation, principalOf, scopeFor, tableEntry } from "@postern/rest";
import { z } from "zod";
import { presentedCode } from "../account/second-factors.ts";
import { session } from "../resources/session.ts";
import { presentedPassword } from "./password.ts";
import { refreshSession, refuseEarlierExchange } from "./refresh-session.ts";
import { finishSignIn, type SignInParts, signIn } from "./sessions.ts";

const exampleRefreshToken =
  "prt_019a5e2d-1f60-7a08-8d7c-5a90be3f2c41_4f9d0c7a2be8153640f9d0c7a2be81534f9d0c7a2be8153640f9d0c7a2be8153";

const tokenPair = z.object({
  access_token: z.string().meta({
    description: "Send it as `Authorization: Bearer …`.",
    // A JWT whose signature says that it is an example.
    examples: [
      "eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMTlhNWUyYy03ZDRiLTdjM2UtOWYxMC0yYjZmOGMxZDRlNWEifQ.YW4gZXhhbXBsZSwgbm8gc2lnbmF0dXJl",
    ],
  }),
  token_type: z.literal("Bearer"),
  expires_in: z.int().meta({ description: "Seconds.", examples: [600] }),
  refresh_token: z.string().meta({
    description:
      "Good for one exchange. For 30 seconds, as long as its successor is unused, the same exchange gets the same successor again.",
    examples: [exampleRefreshToken],
  }),
});

/** RFC 6749, section 5.1: tokens must not be cached. */
const noStore = { "cache-control": "no-store" } as const;

const differs = (field: string, value: string): Condition => ({ field, op: "ne", value });

/**
 * The session that a request uses. @throws AppError `invalid_parameter` if the request uses an API
 * key.
 */
const sessionInUse = ({ kind, id }: Credential): string => {
  if (kind === "session") return id;
  const detail = "this request uses no session; leave the parameter out to end all";
  throw new AppError("invalid_parameter", {
    detail: `keep: ${detail}.`,
    faults: [{ parameter: "keep", code: "no_session", detail }],
  });
};

const startSession = (parts: SignInParts): Operation =>
  tableEntry({
    id: "sessions.create",
    method: "POST",
    path: "/sessions",
    access: "public",
    summary: "Sign in",
    tag: "sessions",
    limit: "sign-in",
    body: z
      .strictObject({ email: z.string().max(254), password: presentedPassword })
      .meta({ examples: [{ email: "ada@example.com", password: "correct horse battery" }] }),
    success: { status: 201, description: "A pair of tokens.", body: tokenPair },
    errors: ["invalid_credentials", "address_unverified", "mfa_required", "rate_limited", "overloaded"],
    handle: (call) => signIn(parts, call, call.body, (body) => ({ status: 201, headers: noStore, body })),
  });

const finishSession = (parts: SignInParts): Operation =>
  tableEntry({
    id: "sessions.finish",
    method: "POST",
    path: "/sessions/mfa",
    access: "public",
    summary: "Finish a sign-in with the second factor",
    tag: "sessions",
    limit: "sign-in",
    body: z.strictObject({
      challenge: z
        .string()
        .max(64)
        .meta({
          writeOnly: true,
          description: "`challenge` of the answer to `POST /sessions`.",
          examples: ["act_2zX7mVqN4bKcY9RtWfLhJd_5sPgT8uEoA1iQwZnBxMvCr"],
        }),
      code: presentedCode,
    }),
    success: { status: 201, description: "A pair of tokens.", body: tokenPair },
    errors: ["invalid_token", "invalid_credentials", "rate_limited"],
    handle: (call) => finishSignIn(parts, call, call.body, (body) => ({ status: 201, headers: noStore, body })),
  });

const refresh = (parts: SignInParts): Operation =>
  tableEntry({
    id: "sessions.refresh",
    method: "POST",
    path: "/sessions/refresh",
    access: "public",
    summary: "Exchange a refresh token for a new pair",
    tag: "sessions",
    limit: "sign-in",
    body: z.strictObject({
      refresh_token: z
        .string()
        .max(256)
        .meta({ examples: [exampleRefreshToken] }),
    }),
    success: { status: 200, description: "A new pair of tokens; the old refresh token is used up.", body: tokenPair },
    errors: ["invalid_token", "rate_limited"],
    reach: (call) => refuseEarlierExchange(parts, call, call.body.refresh_token),
    handle: (call) =>
      refreshSession(parts, call, call.body.refresh_token, (body) => ({ status: 200, headers: noStore, body })),
  });

const endAllSessions = (): Operation =>
  tableEntry({
    id: "sessions.deleteAll",
    method: "DELETE",
    path: "/sessions",
    access: "user",
    summary: "Sign out everywhere: end all your sessions",
    confirm: "End all your sessions? You are signed out everywhere, also here.",
    tag: "sessions",
    query: z.strictObject({
      keep: z.enum(["current"]).optional().meta({ description: "`current` keeps the one that this request uses." }),
    }),
    success: { status: 204, description: "They have ended." },
    errors: ["forbidden"],
    handle: async (call) => {
      const principal = principalOf(call);
      if (principal.kind !== "user") throw new AppError("forbidden", { detail: "Only users have sessions." });
      const { userId, credential } = principal;
      const own = equals("user_id", userId);
      const ending = call.query.keep === undefined ? own : { all: [own, differs("id", sessionInUse(credential))] };
      return call.write({ resource: session.name }, async ({ resources }) => {
        await resources.deleteWhere(session, allRows(`sessions of ${userId}`), ending);
        return { status: 204 };
      });
    },
  });

const endSession = (): Operation =>
  tableEntry({
    id: "sessions.delete",
    method: "DELETE",
    path: "/sessions/{id}",
    access: "user",
    summary: "Sign out: end one of your sessions; `current` is the one that this request uses",
    confirm: "End the session {id}? Its user must sign in again.",
    tag: "sessions",
    success: { status: 204, description: "It has ended." },
    errors: ["not_found"],
    handle: async (call) => {
      const principal = principalOf(call);
      const named = call.params.id ?? "";
      const used =
        principal.kind === "user" && principal.credential.kind === "session" ? principal.credential.id : named;
      const id = named === "current" ? used : named;
      const noSuchSession = new AppError("not_found", { detail: "There is no such session." });
      if (!uuidPattern.test(id)) throw noSuchSession;
      return call.write({ resource: session.name, id }, async ({ resources }) => {
        const result = await resources.delete(session, id, scopeFor(principal, session.access.delete));
        if (result !== "done") throw noSuchSession;
        return { status: 204 };
      });
    },
  });

/** Signing in and out: the operations on sessions that are not standard ones. */
export const sessionOperations = (parts: SignInParts): readonly Operation[] => [
  startSession(parts),
  finishSession(parts),
  refresh(parts),
  endAllSessions(),
  endSession(),
];
