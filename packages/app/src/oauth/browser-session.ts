import { AppError, type AuditEntry, allRows } from "@postern/core";
import type { AuditNote, RootedRequest } from "@postern/rest";
import { session } from "../resources/session.ts";
import { user } from "../resources/user.ts";
import { signIn } from "../sign-in/sessions.ts";
import type { OAuthParts } from "./oauth-parts.ts";

const system = allRows("consent");
const cookieName = "__Host-postern";
const tokenForm = /^prt_([0-9a-f-]{36})_[0-9a-f]{64}$/;

/** A session that a browser proves with its cookie. */
export interface BrowserSession {
  readonly userId: string;
  readonly email: string;
  /** The secret of the cookie. */
  readonly token: string;
}

/** The cookie: only for this host, over TLS (or to a loopback address), unreadable for scripts, and not sent with forms of other sites. */
export const sessionCookie = (token: string): string =>
  `${cookieName}=${token}; Path=/; Secure; HttpOnly; SameSite=Lax`;

const tokenIn = (header: string | undefined): string | undefined => {
  const found = (header ?? "")
    .split(/; */)
    .filter((pair) => pair.startsWith(`${cookieName}=`))
    .map((pair) => pair.slice(cookieName.length + 1));
  return found.length === 1 ? found[0] : undefined;
};

/** The session of a request; `undefined` without one that is good. */
export const browserSession = async (
  { ports }: OAuthParts,
  request: RootedRequest,
): Promise<BrowserSession | undefined> => {
  const { storage, secretBox, clock } = ports;
  const token = tokenIn(request.header("cookie"));
  const id = tokenForm.exec(token ?? "")?.[1];
  if (id === undefined || token === undefined) return undefined;
  const row = await storage.resources.find(session, id, system);
  if (row === undefined || row.refresh_digest !== (await secretBox.digest(token))) return undefined;
  if (Date.parse(String(row.expires_at)) <= clock.now()) return undefined;
  const account = await storage.resources.find(user, String(row.user_id), system, ["email"]);
  return account === undefined ? undefined : { userId: String(row.user_id), email: String(account.email), token };
};

/** What becomes of an attempt to sign in: the secret of the new cookie, or what to tell. */
export type Attempt = { readonly token: string } | { readonly fault: string };

/** What a person reads in place of what a program is told. */
const told: Readonly<Record<string, string>> = {
  invalid_credentials: "The email or the password is wrong.",
  mfa_required: "This account has a second factor, and this page cannot ask for it. No access was given.",
};

/** Signs in as `POST /sessions` does, with all its limits. */
export const signInBrowser = async (
  parts: OAuthParts,
  request: RootedRequest,
  credentials: { readonly email: string; readonly password: string },
): Promise<Attempt> => {
  const { storage, clock } = parts.ports;
  const note = async (log: { append(entry: AuditEntry): Promise<void> }, told: AuditNote): Promise<void> => {
    const { action = "oauth.sign-in", actor = { kind: "anonymous" }, credential, resource, id, fields = [] } = told;
    await log.append({
      at: clock.now(),
      actor,
      action,
      result: told.result ?? "done",
      requestId: request.id,
      address: request.address,
      fields,
      ...(credential === undefined ? {} : { credential }),
      ...(resource === undefined ? {} : { resource }),
      ...(id === undefined ? {} : { resourceId: id }),
    });
  };
  let token = "";
  try {
    await signIn(
      parts,
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
          storage.transaction(async (stores) => {
            const answer = await work(stores);
            await note(stores.audit, what);
            return answer;
          }),
      },
      credentials,
      ({ refresh_token }) => {
        token = refresh_token;
        return { status: 200 };
      },
    );
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.status >= 500) throw thrown;
    return { fault: told[thrown.code] ?? thrown.message };
  }
  return { token };
};
