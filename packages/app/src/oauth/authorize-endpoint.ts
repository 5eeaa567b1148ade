import type { Answer, Row } from "@postern/core";
import { toAppError } from "@postern/core/internal";
import { networkOf, type RootedEndpoint, type RootedRequest } from "@postern/rest";
import { wordsOf } from "../resources/stored-words.ts";
import { findClient } from "./authenticate-client.ts";
import {
  type BrowserSession,
  browserSession,
  finishBrowserSignIn,
  sessionCookie,
  signInBrowser,
} from "./browser-session.ts";
import { type AuthorizeFields, codePage, consentPage, faultPage, signInPage } from "./consent-page.ts";
import { requireGrantType } from "./grant-types.ts";
import { makeGrant } from "./grants.ts";
import { noStore, OAuthFault } from "./oauth-fault.ts";
import { formOf, type OAuthParts } from "./oauth-parts.ts";
import { isRegistered, withParameters } from "./redirect-uri.ts";
import { requestedScopes } from "./scopes.ts";

/** Characters of the `state`, which comes back in a URL. */
const mostStateCharacters = 1_000;
const path = "/oauth/authorize";
const known = [
  "response_type",
  "client_id",
  "redirect_uri",
  "scope",
  "state",
  "code_challenge",
  "code_challenge_method",
] as const;

/**
 * A request that names an existing client and one of its redirect URIs. Errors may be sent to this
 * URI.
 */
interface Addressed {
  readonly client: Row;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly given: ReadonlyMap<string, string>;
}

/** The same, with all its parameters valid. */
interface Valid extends Addressed {
  readonly scopes: readonly string[];
  readonly challenge: string;
}

/**
 * The page that replaces a redirect while it is not known whether the redirect URI belongs to the
 * client.
 */
class NotAddressed extends Error {
  override readonly name = "NotAddressed";
}

const addressed = async (parts: OAuthParts, given: ReadonlyMap<string, string>): Promise<Addressed> => {
  const client = await findClient(parts, given.get("client_id"));
  if (client === undefined) throw new NotAddressed("The link does not name a client of this server.");
  const redirectUri = given.get("redirect_uri");
  if (redirectUri === undefined || !isRegistered(wordsOf(client.redirect_uris), redirectUri)) {
    throw new NotAddressed("The link leads back to an address that is not registered for this client.");
  }
  return { client, redirectUri, state: given.get("state"), given };
};

/** @throws OAuthFault, which is sent to the redirect URI. */
const checked = (request: Addressed): Valid => {
  const { given, client } = request;
  for (const name of ["request", "request_uri", "registration"]) {
    if (given.has(name)) throw new OAuthFault("invalid_request", `This server does not take ${name}.`);
  }
  if (given.get("response_type") !== "code") {
    throw new OAuthFault("unsupported_response_type", "The response_type must be code.");
  }
  requireGrantType(client, "authorization_code");
  const challenge = given.get("code_challenge") ?? "";
  if (given.get("code_challenge_method") !== "S256" || !/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    throw new OAuthFault("invalid_request", "Send a code_challenge with the method S256 (RFC 7636).");
  }
  if ((request.state ?? "").length > mostStateCharacters)
    throw new OAuthFault("invalid_request", "The state is too long.");
  return { ...request, challenge, scopes: requestedScopes(given.get("scope"), wordsOf(client.scopes)) };
};

/** Sends the browser back to the client and names this server as the issuer (RFC 9207). */
const redirect = (
  { tokens }: OAuthParts,
  { redirectUri, state }: Addressed,
  parameters: Readonly<Record<string, string>>,
): Answer => ({
  status: 303,
  headers: { ...noStore, location: withParameters(redirectUri, { ...parameters, state, iss: tokens.issuer }) },
});

const fieldsOf = ({ given }: Addressed): AuthorizeFields =>
  Object.fromEntries(known.flatMap((name) => (given.has(name) ? [[name, given.get(name) ?? ""]] : [])));

/** Proves that a form was made for this session: only this server can make it. */
const proofFor = ({ ports }: OAuthParts, { token }: BrowserSession, { given }: Addressed): Promise<string> =>
  ports.secretBox.digest(`consent ${token} ${known.map((name) => given.get(name) ?? "").join("\n")}`);

/**
 * Where the browser goes afterwards, in the form of a content security policy: an origin, or the
 * scheme of an app.
 */
const leadsTo = (redirectUri: string): string =>
  /^https?:\/\/[^/?]+/.exec(redirectUri)?.[0] ?? `${redirectUri.split(":", 1)[0]}:`;

const ask = async (parts: OAuthParts, request: RootedRequest, valid: Valid, session: BrowserSession): Promise<Answer> =>
  consentPage({
    product: parts.settings.product,
    root: request.root,
    action: `${request.root}${path}`,
    fields: fieldsOf(valid),
    proof: await proofFor(parts, session, valid),
    clientName: String(valid.client.name),
    account: session.email,
    scopes: valid.scopes,
    leadsTo: leadsTo(valid.redirectUri),
    mostDays: Math.ceil(parts.settings.sessionMostSeconds / 86_400),
  });

const askToSignIn = (parts: OAuthParts, request: RootedRequest, valid: Valid, fault?: string): Answer =>
  signInPage(
    { product: parts.settings.product, root: request.root, action: `${request.root}${path}` },
    fieldsOf(valid),
    {
      clientName: String(valid.client.name),
      ...(fault === undefined ? {} : { fault }),
    },
  );

/** Forms of other sites are refused: browsers say where a form comes from. */
const isFromHere = ({ tokens }: OAuthParts, request: RootedRequest): boolean => {
  const origin = /^https?:\/\/[^/]+/.exec(tokens.issuer)?.[0];
  const site = request.header("sec-fetch-site");
  return request.header("origin") === origin && (site === undefined || site === "same-origin");
};

/** A user sends email and password, or the code that is asked for after these. */
const answerSignIn = async (
  parts: OAuthParts,
  request: RootedRequest,
  valid: Valid,
  form: ReadonlyMap<string, string>,
): Promise<Answer> => {
  await parts.limitsFor().take("sign-in", networkOf(request.address));
  const given = (name: string, longest: number): string => (form.get(name) ?? "").slice(0, longest);
  const attempt =
    form.get("step") === "code"
      ? await finishBrowserSignIn(parts, request, { challenge: given("challenge", 256), code: given("code", 32) })
      : await signInBrowser(parts, request, { email: given("email", 254), password: given("password", 1_024) });
  if ("token" in attempt) {
    const location = `${request.root}${path}${withParameters("", fieldsOf(valid))}`;
    return { status: 303, headers: { ...noStore, location, "set-cookie": sessionCookie(attempt.token) } };
  }
  if (!("challenge" in attempt)) return askToSignIn(parts, request, valid, attempt.fault);
  return codePage(
    { product: parts.settings.product, root: request.root, action: `${request.root}${path}` },
    fieldsOf(valid),
    {
      clientName: String(valid.client.name),
      ...attempt,
    },
  );
};

/** A user has answered, or signs in. */
const answerForm = async (
  parts: OAuthParts,
  request: RootedRequest,
  valid: Valid,
  form: ReadonlyMap<string, string>,
): Promise<Answer> => {
  if (!isFromHere(parts, request))
    throw new NotAddressed("The form does not come from this server. Go back and try again.");
  const step = form.get("step");
  if (step === "sign-in" || step === "code") return answerSignIn(parts, request, valid, form);
  const session = await browserSession(parts, request);
  if (session === undefined) return askToSignIn(parts, request, valid);
  if (form.get("proof") !== (await proofFor(parts, session, valid))) return ask(parts, request, valid, session);
  if (form.get("decision") !== "allow") throw new OAuthFault("access_denied", "The user did not allow it.");
  const { userId } = session;
  const { client, scopes, redirectUri, challenge } = valid;
  const code = await makeGrant(parts, request, { userId, client, scopes, redirectUri, challenge });
  return redirect(parts, valid, { code });
};

/**
 * Whether the client wants an answer without any page (OpenID Connect Core 1.0, section 3.1.2.1).
 * @throws OAuthFault `invalid_request` if it wants a page, too.
 */
const isQuiet = ({ given }: Addressed): boolean => {
  const prompts = (given.get("prompt") ?? "").split(" ").filter((prompt) => prompt !== "");
  if (!prompts.includes("none")) return false;
  if (prompts.length === 1) return true;
  throw new OAuthFault("invalid_request", "The prompt none goes with no other one.");
};

/** A user allows each grant anew, so that no program gets one while nobody looks (RFC 8252, section 8.6). */
const notAsked = (session: BrowserSession | undefined): OAuthFault =>
  session === undefined
    ? new OAuthFault("login_required", "The user is not signed in here.")
    : new OAuthFault("consent_required", "The user must allow it on the page of this server.");

const answer = async (parts: OAuthParts, request: RootedRequest): Promise<Answer> => {
  await parts.limitsFor().take("address", networkOf(request.address));
  const form = request.method === "POST" ? await formOf(request) : undefined;
  const given = form ?? new Map([...request.query()].filter(([, value]) => value !== ""));
  const one = await addressed(parts, given);
  try {
    const valid = checked(one);
    if (form !== undefined) return await answerForm(parts, request, valid, form);
    const session = await browserSession(parts, request);
    if (isQuiet(valid)) throw notAsked(session);
    return session === undefined ? askToSignIn(parts, request, valid) : await ask(parts, request, valid, session);
  } catch (thrown) {
    if (!(thrown instanceof OAuthFault)) throw thrown;
    return redirect(parts, one, { error: thrown.code, error_description: thrown.message });
  }
};

/**
 * `GET` and `POST /oauth/authorize`: asks a user, in pages that need no scripts, whether a client
 * may act for them, and sends them back with a code (RFC 6749, section 4.1; RFC 9700).
 */
export const authorizeEndpoint = (parts: OAuthParts): RootedEndpoint => ({
  path,
  methods: ["GET", "POST"],
  answer: async (request) => {
    try {
      return await answer(parts, request);
    } catch (thrown) {
      if (thrown instanceof NotAddressed) return faultPage(parts.settings.product, request.root, 400, thrown.message);
      const error = toAppError(thrown);
      if (error.status === 500) {
        parts.ports.telemetry.log("error", "a request to authorize failed", { request_id: request.id }, thrown);
      }
      const shown = faultPage(parts.settings.product, request.root, error.status, error.message);
      return { ...shown, headers: { ...shown.headers, ...error.headers } };
    }
  },
});
