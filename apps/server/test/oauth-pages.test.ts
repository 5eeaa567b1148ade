import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mysqlAnswers } from "./database-servers.ts";
import { callback, challengeOf, insecure, type OauthClients, startClients } from "./oauth-clients.ts";
import { openBrowser } from "./oauth-nodes.ts";

const suite = (kind: "SQLite" | "MariaDB") => {
  let nodes: OauthClients["nodes"];
  let site: OauthClients["site"];
  let app: OauthClients["app"];
  let as: OauthClients["as"];
  let newClient: OauthClients["newClient"];
  let link: OauthClients["link"];

  beforeAll(async () => {
    ({ nodes, site, app, as, newClient, link } = await startClients(kind));
  }, 60_000);
  afterAll(() => nodes.close());

  test("a user allows a client in pages without scripts, it refreshes its tokens, and its end holds on both nodes", async () => {
    const client = { client_id: site.id };
    const proof = oauth.ClientSecretBasic(site.secret);
    const verifier = oauth.generateRandomCodeVerifier();
    const challenge = await oauth.calculatePKCECodeChallenge(verifier);
    const asked = { client_id: site.id, redirect_uri: callback, scope: "posts:read", code_challenge: challenge };
    const back = await openBrowser(nodes).decide(link(asked));
    expect(back.href.startsWith(`${callback}&code=`)).toBe(true);
    const parameters = oauth.validateAuthResponse(as, client, back, "s t&a");
    const answer = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      proof,
      parameters,
      callback,
      verifier,
      insecure,
    );
    const first = await oauth.processAuthorizationCodeResponse(as, client, answer);
    expect(first.scope).toBe("posts:read");
    expect(await nodes.status(first.access_token, "/posts", nodes.other)).toBe(200);
    const again = await oauth.refreshTokenGrantRequest(as, client, proof, first.refresh_token ?? "", insecure);
    const second = await oauth.processRefreshTokenResponse(as, client, again);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await nodes.status(second.access_token)).toBe(200);
    const ended = await oauth.revocationRequest(as, client, proof, second.refresh_token ?? "", insecure);
    await oauth.processRevocationResponse(ended);
    for (const { access_token } of [first, second]) {
      expect([await nodes.status(access_token), await nodes.status(access_token, "/posts", nodes.other)]).toEqual([
        401, 401,
      ]);
    }
    const about = await oauth.introspectionRequest(as, client, proof, second.access_token, insecure);
    expect(await oauth.processIntrospectionResponse(as, client, about)).toEqual({ active: false });
  });

  test("openid-client works as a public client on a loopback port of its own choice", async () => {
    const settings = await openid.discovery(new URL(nodes.issuer), app.id, undefined, openid.None(), {
      algorithm: "oauth2",
      execute: [openid.allowInsecureRequests],
    });
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const url = openid.buildAuthorizationUrl(settings, {
      redirect_uri: "http://127.0.0.1:4599/back",
      scope: "posts:write",
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state,
    });
    const back = await openBrowser(nodes).decide(url);
    const checks = { pkceCodeVerifier: verifier, expectedState: state };
    const tokens = await openid.authorizationCodeGrant(settings, back, checks);
    const renewed = await openid.refreshTokenGrant(settings, tokens.refresh_token ?? "");
    expect(renewed.scope).toBe("posts:write");
    await openid.tokenRevocation(settings, renewed.refresh_token ?? "");
    expect(await nodes.status(renewed.access_token)).toBe(401);
  });

  test("the API names the document that says how to get a token (RFC 9728)", async () => {
    const refused = await fetch(`${nodes.issuer}/api/v2/posts`);
    const [, address = ""] = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "") ?? [];
    const resource = new URL(`${nodes.issuer}/api`);
    const found = await oauth.resourceDiscoveryRequest(resource, insecure);
    const metadata = await oauth.processResourceDiscoveryResponse(resource, found);
    expect(metadata.authorization_servers).toEqual([nodes.issuer]);
    expect(await (await fetch(address)).json()).toEqual(metadata);
  });

  test.each([
    ["http://127.0.0.1:4598/port", 303],
    ["http://127.0.0.1:4597/port", 400],
    ["http://127.0.0.1/port", 400],
    ["http://127.0.0.1:4597/back", 303],
    ["http://127.0.0.1/back", 303],
    ["http://127.0.0.1:4597/back?x", 400],
    ["http://[::1]:4597/back", 400],
    ["http://localhost:4597/named", 303],
    ["http://localhost/named", 303],
    ["http://127.0.0.1:4597/named", 400],
    ["http://localhost:4597/back", 400],
    ["http://localhost.example.com:4597/named", 400],
    ["https://localhost:4597/named", 400],
  ])("a loopback address stands for all ports only where it is registered without one: %s", async (uri, status) => {
    const client = await newClient({
      kind: "public",
      redirect_uris: ["http://127.0.0.1/back", "http://127.0.0.1:4598/port", "http://localhost/named"],
    });
    // The challenge is too short. A registered address gets this fault; for any other address a
    // page shows it.
    const asked = { client_id: client.id, redirect_uri: uri, code_challenge: "short" };
    expect((await openBrowser(nodes).send(link(asked))).answer.status).toBe(status);
    await nodes.run("admin.clients.delete", {}, { id: client.id });
  });

  test.each([
    "https://evil.example.com/back",
    "https://app.example.com/back?x=1&y=2",
    "https://app.example.com/back",
    "https://app.example.com.evil.example/back?x=1",
    "https://app.example.com/back?x=1#f",
    "javascript:alert(1)",
    "//evil.example.com",
  ])("a browser is never sent to %s, which is not registered", async (uri) => {
    const asked = { client_id: site.id, redirect_uri: uri, code_challenge: challengeOf("v") };
    const { answer, location, html } = await openBrowser(nodes).send(link(asked));
    expect([answer.status, location]).toEqual([400, null]);
    expect(html).not.toContain("evil");
  });

  test.each<readonly [string, Record<string, string | undefined>, string]>([
    ["without a challenge (PKCE downgrade)", { code_challenge: undefined }, "invalid_request"],
    ["with the method plain", { code_challenge_method: "plain" }, "invalid_request"],
    ["for a token (implicit)", { response_type: "token" }, "unsupported_response_type"],
    ["for more scopes", { scope: "posts:read events:read" }, "invalid_scope"],
    ["for more scopes beside those of OpenID Connect", { scope: "openid events:read" }, "invalid_scope"],
    ["for no scope of this API", { scope: "openid profile" }, "invalid_scope"],
    ["for a page and for none", { prompt: "none login" }, "invalid_request"],
    ["of nobody who is signed in, for no page", { prompt: "none" }, "login_required"],
    ["that is faulty, for no page", { prompt: "none", scope: "events:read" }, "invalid_scope"],
    ["with a request object", { request: "x" }, "invalid_request"],
  ])("a request %s goes back with the error, the state and the issuer (RFC 9207)", async (_what, more, error) => {
    const asked = { client_id: site.id, redirect_uri: callback, code_challenge: challengeOf("v"), ...more };
    const back = new URL((await openBrowser(nodes).send(link(asked))).location ?? "");
    const { searchParams: told } = back;
    expect([told.get("error"), told.get("state"), told.get("iss")]).toEqual([error, "s t&a", nodes.issuer]);
    expect(`${back.origin}${back.pathname}`).toBe("https://app.example.com/back");
    expect(told.has("code")).toBe(false);
  });

  test("the scopes of OpenID Connect are ignored beside those of the API, and the answer says so", async () => {
    const client = { client_id: site.id };
    const proof = oauth.ClientSecretBasic(site.secret);
    const verifier = oauth.generateRandomCodeVerifier();
    const challenge = await oauth.calculatePKCECodeChallenge(verifier);
    const scope = "openid profile email offline_access posts:read";
    const asked = { client_id: site.id, redirect_uri: callback, scope, code_challenge: challenge };
    const back = await openBrowser(nodes).decide(link(asked));
    const parameters = oauth.validateAuthResponse(as, client, back, "s t&a");
    const code = await oauth.authorizationCodeGrantRequest(as, client, proof, parameters, callback, verifier, insecure);
    const first = await oauth.processAuthorizationCodeResponse(as, client, code);
    expect([first.scope, first.id_token]).toEqual(["posts:read", undefined]);
    const additionalParameters = { scope: "openid posts:read" };
    const again = await oauth.refreshTokenGrantRequest(as, client, proof, first.refresh_token ?? "", {
      ...insecure,
      additionalParameters,
    });
    expect((await oauth.processRefreshTokenResponse(as, client, again)).scope).toBe("posts:read");
  });

  test("a client that wants no page gets no code of a user who did not allow it, signed in or not", async () => {
    const asked = { client_id: site.id, redirect_uri: callback, code_challenge: challengeOf("v") };
    const browser = openBrowser(nodes);
    const errorOf = async () => {
      const { answer, location } = await browser.send(link({ ...asked, prompt: "none" }));
      const { searchParams } = new URL(location ?? "");
      return [answer.status, searchParams.get("error"), searchParams.has("code")];
    };
    expect(await errorOf()).toEqual([303, "login_required", false]);
    await browser.decide(link(asked), "deny");
    expect(await errorOf()).toEqual([303, "consent_required", false]);
    expect((await browser.decide(link({ ...asked, prompt: "consent" }))).searchParams.has("code")).toBe(true);
    expect(await errorOf()).toEqual([303, "consent_required", false]);
  });

  test("the pages cannot be framed, run no script, and show names as text; a refusal goes back to the client", async () => {
    const asked = link({ client_id: site.id, redirect_uri: callback, code_challenge: challengeOf("v") });
    const browser = openBrowser(nodes);
    const shown = await browser.send(asked);
    expect(shown.html).toContain("A &lt;b&gt;client&lt;/b&gt;");
    expect(shown.answer.headers.get("content-security-policy")).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(shown.answer.headers.get("cache-control")).toBe("no-store");
    const denied = await browser.decide(asked, "deny");
    expect(denied.searchParams.get("error")).toBe("access_denied");
    const consent = await browser.send(asked);
    expect(consent.answer.headers.get("content-security-policy")).toContain(
      "form-action 'self' https://app.example.com;",
    );
    expect(consent.html).toContain("ann@example.com");
    expect(consent.html).toContain("See posts <code>posts:read</code>");
    const links = [...consent.html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, target = ""]) => target);
    // The empty icon keeps browsers from asking for one.
    expect(links).toEqual(["data:,", "/api/assets/docs.css"]);
    expect((await fetch(nodes.issuer + links[1])).headers.get("content-type")).toContain("text/css");
    expect(consent.html).toContain("after at most 90 days");
  });

  test("the cookie is for this host only; the API accepts no cookie; a wrong password sets none", async () => {
    const browser = openBrowser(nodes);
    const asked = link({ client_id: site.id, redirect_uri: callback, code_challenge: challengeOf("v") });
    const fields = browser.fieldsOf((await browser.send(asked)).html);
    const wrong = await browser.post({ ...fields, email: "ann@example.com", password: "wrong" });
    expect([wrong.answer.status, browser.cookie]).toEqual([401, ""]);
    const { answer, location } = await browser.post({
      ...fields,
      email: "ann@example.com",
      password: "correct horse battery",
    });
    expect(answer.headers.get("set-cookie")).toMatch(
      /^__Host-postern=prt_[0-9a-f_-]+; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    );
    expect(location?.startsWith("/oauth/authorize?")).toBe(true);
    const api = await fetch(`${nodes.issuer}/api/v2/posts`, { headers: { cookie: browser.cookie } });
    expect(api.status).toBe(401);
  });

  test("forms of other sites, and forms made for another session or request, have no effect", async () => {
    const browser = openBrowser(nodes);
    const asked = { client_id: site.id, redirect_uri: callback, code_challenge: challengeOf("v") };
    await browser.decide(link(asked), "deny");
    const fields = browser.fieldsOf((await browser.send(link(asked))).html);
    const allow = { ...fields, decision: "allow" };
    for (const headers of [
      { origin: "https://evil.example.com" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
    ]) {
      const forged = await browser.post(allow, headers as Record<string, string>);
      expect([forged.answer.status, forged.location]).toEqual([400, null]);
    }
    for (const forged of [
      { ...allow, proof: "x" },
      { ...allow, scope: "posts:write" },
      { ...allow, state: "y" },
    ]) {
      expect((await browser.post(forged)).location).toBeNull();
    }
    const stranger = await openBrowser(nodes).post(allow);
    expect(stranger.html).toContain('name="password"');
    expect((await browser.post(allow)).location).toContain("code=poc_");
  });
};

describe("Pages and clients of OAuth 2 on SQLite", () => suite("SQLite"));
describe.skipIf(!mysqlAnswers)("Pages and clients of OAuth 2 on MariaDB", () => suite("MariaDB"));
