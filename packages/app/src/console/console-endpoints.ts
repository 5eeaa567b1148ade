import { type Answer, AppError, allRows } from "@postern/core";
import { timestampOf } from "@postern/core/internal";
import { type Api, networkOf, type RootedEndpoint, type RootedRequest } from "@postern/rest";
import {
  type Attempt,
  browserSession,
  finishBrowserSignIn,
  type SessionCookie,
  signInBrowser,
} from "../oauth/browser-session.ts";
import { formOf, type OAuthParts } from "../oauth/oauth-parts.ts";
import { session } from "../resources/session.ts";
import { expiry, placeOf } from "../sign-in/sessions.ts";
import { accessTokenSeconds, consoleClientId } from "../tokens/access-tokens.ts";
import { consolePath } from "./console-files.ts";
import type { SetupLink } from "./setup-link.ts";

/** A session ends when its user has done nothing for this long. */
const idleSeconds = 8 * 3600;

interface ConsoleParts extends OAuthParts {
  readonly run: Api["run"];
  readonly setup: Pick<SetupLink, "isDue" | "use">;
  /** The newest version, which the console uses for everything. */
  readonly version: string;
  /** The name of this installation, such as `production`. */
  readonly environment: string;
  readonly fail: (thrown: unknown, request: { readonly path: string; readonly requestId: string }) => Answer;
}

/**
 * Browsers say where a request comes from; other sites cannot change what they say. A browser that is
 * reached without TLS says only the origin.
 */
const isFromHere = ({ header }: RootedRequest): boolean => {
  const site = header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin";
  const host = /^https?:\/\/(.+)$/.exec(header("origin") ?? "")?.[1];
  return host !== undefined && host === header("host");
};

/** The cookie of this machine needs no TLS; browsers differ in what they take for secure there. */
const cookieOf = ({ header, root }: RootedRequest): SessionCookie =>
  /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/.test(header("origin") ?? "")
    ? { name: "postern-console", attributes: `Path=${root}${consolePath}; HttpOnly; SameSite=Strict` }
    : { name: "__Host-postern-console", attributes: "Path=/; Secure; HttpOnly; SameSite=Strict" };

const noStore = { "cache-control": "no-store" } as const;

/** Gives a new session to the browser: its cookie, and an access token for the API. */
const begun = ({ version }: Pick<ConsoleParts, "version">, cookie: SessionCookie, attempt: Attempt): Answer => {
  if (!("token" in attempt)) return { status: 401, headers: noStore, body: attempt };
  const { token, accessToken } = attempt;
  return {
    status: 200,
    headers: { ...noStore, "set-cookie": `${cookie.name}=${token}; ${cookie.attributes}` },
    body: { version, access_token: accessToken, expires_in: accessTokenSeconds },
  };
};

/** A new access token for the session of the cookie. A person who is there makes the session last. */
const renewed = async (
  parts: ConsoleParts,
  request: RootedRequest,
  cookie: SessionCookie,
  isActive: boolean,
): Promise<Answer> => {
  const { environment, version, ports, tokens, setup } = parts;
  const found = await browserSession(parts, request, cookie);
  const about = { environment, version, setup: found === undefined && (await setup.isDue()) };
  if (found === undefined) return { status: 200, headers: noStore, body: about };
  const { userId, sessionId, startedAt } = found;
  if (isActive) {
    const changes = {
      expires_at: expiry(parts, startedAt),
      last_used_at: timestampOf(ports.clock.now()),
      ...placeOf(request),
    };
    await ports.storage.resources.update(session, { id: sessionId, scope: allRows("console") }, changes);
  }
  const access_token = await tokens.issue({ subject: userId, clientId: consoleClientId, sessionId });
  return { status: 200, headers: noStore, body: { ...about, access_token, expires_in: accessTokenSeconds } };
};

/** What a form asks of `/console/session`. */
const answerSession = async (
  parts: ConsoleParts,
  request: RootedRequest,
  form: ReadonlyMap<string, string>,
): Promise<Answer> => {
  const cookie = cookieOf(request);
  const given = (name: string, longest: number): string => (form.get(name) ?? "").slice(0, longest);
  const step = form.get("step");
  if (step === undefined || step === "active") return renewed(parts, request, cookie, step === "active");
  if (step === "end") {
    const found = await browserSession(parts, request, cookie);
    if (found !== undefined) await parts.ports.storage.resources.delete(session, found.sessionId, allRows("console"));
    const gone = `${cookie.name}=; ${cookie.attributes}; Max-Age=0`;
    return { status: 200, headers: { ...noStore, "set-cookie": gone }, body: {} };
  }
  await parts.limitsFor().take("sign-in", networkOf(request.address));
  const attempt =
    step === "code"
      ? await finishBrowserSignIn(parts, request, { challenge: given("challenge", 256), code: given("code", 32) })
      : await signInBrowser(parts, request, { email: given("email", 254), password: given("password", 1_024) });
  return begun(parts, cookie, attempt);
};

/** Makes the first administrator, and signs them in. */
const answerSetup = async (
  parts: ConsoleParts,
  request: RootedRequest,
  form: ReadonlyMap<string, string>,
): Promise<Answer> => {
  await parts.limitsFor().take("sign-in", networkOf(request.address));
  const { name = "", email = "", password = "", secret = "" } = Object.fromEntries(form);
  await parts.setup.use(secret, () =>
    parts.run({
      operation: "users.create",
      principal: { kind: "operator", name: "console" },
      body: { name, email, password, role: "admin" },
    }),
  );
  return begun(parts, cookieOf(request), await signInBrowser(parts, request, { email, password }));
};

/**
 * `/console/session` keeps a browser signed in, and `/console/setup` makes the first administrator. The
 * cookie opens only these: the API takes the access tokens that they give, and no cookie.
 */
export const consoleEndpoints = (given: ConsoleParts): readonly RootedEndpoint[] => {
  const { tokens } = given;
  const parts: ConsoleParts & { readonly signInAction: string } = {
    ...given,
    // All tokens name the console as their client.
    tokens: { ...tokens, issue: (request) => tokens.issue({ ...request, clientId: consoleClientId }) },
    signInAction: "console.sign-in",
    settings: { ...given.settings, sessionSeconds: idleSeconds },
  };
  const endpoint = (name: string, work: typeof answerSession): RootedEndpoint => {
    const path = `${consolePath}/${name}`;
    return {
      path,
      methods: ["POST"],
      answer: async (request) => {
        try {
          await parts.limitsFor().take("address", networkOf(request.address));
          if (!isFromHere(request)) {
            throw new AppError("forbidden", { detail: "Only the console of this server may ask for this." });
          }
          return await work(parts, request, await formOf(request));
        } catch (thrown) {
          return parts.fail(thrown, { path: request.root + path, requestId: request.id });
        }
      },
    };
  };
  return [endpoint("session", answerSession), endpoint("setup", answerSetup)];
};
