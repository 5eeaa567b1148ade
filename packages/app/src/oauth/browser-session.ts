import { AppError, allRows } from "@postern/core";
import type { RootedRequest } from "@postern/rest";
import { auditTrail } from "@postern/rest/internal";
import { session } from "../resources/session.ts";
import { user } from "../resources/user.ts";
import { finishSignIn, signIn } from "../sign-in/sessions.ts";
import type { OAuthParts } from "./oauth-parts.ts";

const system = allRows("consent");

/** The cookie of one kind of page: its name, and what browsers may do with it. */
export interface SessionCookie {
  readonly name: string;
  readonly attributes: string;
}

/**
 * The cookie of the consent page. It is sent only to this host, only over TLS (or to a loopback
 * address), and not with forms of other sites. Scripts cannot read it.
 */
const consentCookie: SessionCookie = {
  name: "__Host-postern",
  attributes: "Path=/; Secure; HttpOnly; SameSite=Lax",
};
const tokenForm = /^prt_([0-9a-f-]{36})_[0-9a-f]{64}$/;

/** A session that a browser proves with its cookie. */
export interface BrowserSession {
  readonly userId: string;
  readonly email: string;
  /** The secret of the cookie. */
  readonly token: string;
  readonly sessionId: string;
  /** In milliseconds since the epoch. */
  readonly startedAt: number;
}

/** The consent page's cookie, to be set. */
export const sessionCookie = (token: string): string => `${consentCookie.name}=${token}; ${consentCookie.attributes}`;

const tokenIn = (header: string | undefined, cookieName: string): string | undefined => {
  const found = (header ?? "")
    .split(/; */)
    .filter((pair) => pair.startsWith(`${cookieName}=`))
    .map((pair) => pair.slice(cookieName.length + 1));
  return found.length === 1 ? found[0] : undefined;
};

/** The session of a request; `undefined` if it has no valid one. */
export const browserSession = async (
  { ports }: OAuthParts,
  request: RootedRequest,
  { name }: SessionCookie = consentCookie,
): Promise<BrowserSession | undefined> => {
  const { storage, secretBox, clock } = ports;
  const token = tokenIn(request.header("cookie"), name);
  const id = tokenForm.exec(token ?? "")?.[1];
  if (id === undefined || token === undefined) return undefined;
  const row = await storage.resources.find(session, id, system);
  if (row === undefined || row.refresh_digest !== (await secretBox.digest(token))) return undefined;
  if (Date.parse(String(row.expires_at)) <= clock.now()) return undefined;
  const account = await storage.resources.find(user, String(row.user_id), system, ["email"]);
  if (account === undefined) return undefined;
  const startedAt = Date.parse(String(row.created_at));
  return { userId: String(row.user_id), email: String(account.email), token, sessionId: id, startedAt };
};

/**
 * The result of an attempt to sign in: the secret of the new cookie, a challenge that asks for a
 * code of the second factor, or a text for the user.
 */
export type Attempt =
  | { readonly token: string; readonly accessToken: string }
  | { readonly challenge: string; readonly fault?: string }
  | { readonly fault: string };

type Tokens = Extract<Attempt, { readonly token: string }>;

/** A sign-in to the API, run for a page. */
type SignInSteps = (
  call: Parameters<typeof signIn>[1],
  answerWith: Parameters<typeof signIn>[3],
) => ReturnType<typeof signIn>;

/**
 * Runs a sign-in as the API does, with all its limits and notes. Gives the secret of the cookie,
 * and an access token.
 * @throws AppError what the sign-in throws.
 */
const tokensOf = async (parts: SigningInParts, request: RootedRequest, steps: SignInSteps): Promise<Tokens> => {
  const { storage, clock } = parts.ports;
  const note = auditTrail(clock, { id: parts.signInAction ?? "oauth.sign-in" }, request, undefined);
  let tokens: Tokens = { token: "", accessToken: "" };
  await steps(
    {
      note,
      limits: parts.limitsFor(),
      request: {
        id: request.id,
        version: { id: "v1" },
        base: "",
        target: "",
        address: request.address,
        agent: request.agent,
      },
      write: (what, work) =>
        storage.transaction(async (stores, own) => {
          const answer = await work(stores, own);
          await note(stores.audit, what);
          return answer;
        }),
    },
    ({ refresh_token, access_token }) => {
      tokens = { token: refresh_token, accessToken: access_token };
      return { status: 200 };
    },
  );
  return tokens;
};

/** The dependencies of a sign-in, and its name in the audit log. Default: `oauth.sign-in`. */
interface SigningInParts extends OAuthParts {
  readonly signInAction?: string;
}

/** The failure of a sign-in that a person can do something about. @throws any other. */
const expected = (thrown: unknown): AppError => {
  if (!(thrown instanceof AppError) || thrown.status >= 500) throw thrown;
  return thrown;
};

/** Signs in as `POST /sessions` does. */
export const signInBrowser = async (
  parts: SigningInParts,
  request: RootedRequest,
  credentials: { readonly email: string; readonly password: string },
): Promise<Attempt> => {
  try {
    return await tokensOf(parts, request, (call, answerWith) => signIn(parts, call, credentials, answerWith));
  } catch (thrown) {
    const { code, message, extra } = expected(thrown);
    if (code === "mfa_required") return { challenge: String(extra.challenge) };
    return { fault: code === "invalid_credentials" ? "The email or the password is wrong." : message };
  }
};

/** Ends a sign-in that waits for the second factor, as `POST /sessions/mfa` does. */
export const finishBrowserSignIn = async (
  parts: SigningInParts,
  request: RootedRequest,
  given: { readonly challenge: string; readonly code: string },
): Promise<Attempt> => {
  try {
    return await tokensOf(parts, request, (call, answerWith) => finishSignIn(parts, call, given, answerWith));
  } catch (thrown) {
    const { code, message } = expected(thrown);
    if (code !== "invalid_credentials") return { fault: message };
    return { challenge: given.challenge, fault: "The code is wrong or was already used." };
  }
};
