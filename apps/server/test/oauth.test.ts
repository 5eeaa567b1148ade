import { createHash, randomBytes } from "node:crypto";
import { builtInResources } from "@postern/app";
import { allRows, equals } from "@postern/core";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mysqlAnswers } from "./mysql-database.ts";
import { type Nodes, openBrowser, startNodes } from "./oauth-nodes.ts";

const insecure = { [oauth.allowInsecureRequests]: true };
const grant = builtInResources.find(({ name }) => name === "grant");
if (grant === undefined) throw new Error("there are grants");
const callback = "https://app.example.com/back?x=1";
const verifierOf = () => randomBytes(32).toString("base64url");
const challengeOf = (verifier: string) => createHash("sha256").update(verifier).digest("base64url");

interface Client {
  readonly id: string;
  readonly secret: string;
}

const suite = (kind: "SQLite" | "MariaDB") => {
  let nodes: Nodes;
  let service: Client;
  let site: Client;
  let app: Client;
  let as: oauth.AuthorizationServer;
  /** A browser that is signed in from its first page on. */
  let known: ReturnType<typeof openBrowser>;

  const newClient = async (more: object): Promise<Client> => {
    const body = { name: "A <b>client</b>", user_id: nodes.ann, scopes: ["posts:read", "posts:write"], ...more };
    const { id = "", secret = "" } = await nodes.run("admin.clients.create", body);
    return { id, secret };
  };

  beforeAll(async () => {
    nodes = await startNodes(kind);
    known = openBrowser(nodes);
    service = await newClient({});
    site = await newClient({ redirect_uris: [callback] });
    app = await newClient({ kind: "public", redirect_uris: ["http://127.0.0.1/back", "com.example.app:/back"] });
    const issuer = new URL(nodes.issuer);
    const found = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: "oauth2" });
    as = await oauth.processDiscoveryResponse(issuer, found);
  }, 60_000);
  afterAll(() => nodes.close());

  const link = (fields: Record<string, string | undefined>): string => {
    const given = { response_type: "code", code_challenge_method: "S256", state: "s t&a", ...fields };
    const entries = Object.entries(given).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    );
    return `${nodes.issuer}/oauth/authorize?${new URLSearchParams(entries)}`;
  };

  /** Posts a form as a client does, and gives what came back. */
  const post = async (path: string, form: Record<string, string>, base = nodes.issuer) => {
    const answer = await fetch(`${base}/oauth/${path}`, { method: "POST", body: new URLSearchParams(form) });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === "" ? {} : JSON.parse(text) };
  };

  /** A code for the site, and everything that exchanges it. */
  const newCode = async (more: Record<string, string> = {}) => {
    const verifier = verifierOf();
    const asked = { client_id: site.id, redirect_uri: callback, code_challenge: challengeOf(verifier), ...more };
    const back = await known.decide(link(asked));
    return {
      grant_type: "authorization_code",
      client_id: site.id,
      client_secret: site.secret,
      redirect_uri: callback,
      code: back.searchParams.get("code") ?? "",
      code_verifier: verifier,
    };
  };

  test("a service gets a token for its secret, sent in either way, and uses it as far as its scopes go", async () => {
    const client = { client_id: service.id };
    for (const proof of [oauth.ClientSecretBasic(service.secret), oauth.ClientSecretPost(service.secret)]) {
      const answer = await oauth.clientCredentialsGrantRequest(as, client, proof, { scope: "posts:read" }, insecure);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      const { access_token, scope, expires_in } = await oauth.processClientCredentialsResponse(as, client, answer);
      expect([scope, expires_in]).toEqual(["posts:read", 600]);
      const request = new Request(`${nodes.issuer}/api`, { headers: { authorization: `Bearer ${access_token}` } });
      const claims = await oauth.validateJwtAccessToken(as, request, `${nodes.issuer}/api`, insecure);
      expect(claims).toMatchObject({ client_id: service.id, sub: service.id, scope: "posts:read" });
      expect([await nodes.status(access_token), await nodes.status(access_token, "/users/me", nodes.other)]).toEqual([
        200, 403,
      ]);
      const asked = await oauth.introspectionRequest(as, client, proof, access_token, insecure);
      expect(await oauth.processIntrospectionResponse(as, client, asked)).toMatchObject({ active: true });
    }
  });

  test("a user allows a client in pages without scripts; the client refreshes; both nodes know the end", async () => {
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

  test("openid-client is content, with a public client on a loopback port of its own choice", async () => {
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

  test("the API says where to read how to get a token (RFC 9728)", async () => {
    const refused = await fetch(`${nodes.issuer}/api/v2/posts`);
    const [, address = ""] = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "") ?? [];
    const resource = new URL(`${nodes.issuer}/api`);
    const found = await oauth.resourceDiscoveryRequest(resource, insecure);
    const metadata = await oauth.processResourceDiscoveryResponse(resource, found);
    expect(metadata.authorization_servers).toEqual([nodes.issuer]);
    expect(await (await fetch(address)).json()).toEqual(metadata);
  });

  test("a code is good once: a second exchange also ends the tokens of the first", async () => {
    const form = await newCode();
    const first = await post("token", form);
    expect(first.status).toBe(200);
    expect(await nodes.status(first.body.access_token)).toBe(200);
    const second = await post("token", form, nodes.other);
    expect([second.status, second.body.error]).toEqual([400, "invalid_grant"]);
    expect(await nodes.status(first.body.access_token)).toBe(401);
    const refresh = { grant_type: "refresh_token", client_id: site.id, client_secret: site.secret };
    expect((await post("token", { ...refresh, refresh_token: first.body.refresh_token })).status).toBe(400);
  });

  test("of ten exchanges of one code at the same moment at most one succeeds", async () => {
    const form = await newCode();
    const bases = Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? nodes.issuer : nodes.other));
    const answers = await Promise.all(bases.map((base) => post("token", form, base)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  });

  test.each<readonly [string, (form: Record<string, string>) => Promise<Record<string, string>>]>([
    ["another verifier", async (form) => ({ ...form, code_verifier: verifierOf() })],
    ["no verifier (PKCE downgrade)", async ({ code_verifier: _none, ...form }) => form],
    [
      "the challenge as its verifier",
      async (form) => ({ ...form, code_verifier: challengeOf(form.code_verifier ?? "") }),
    ],
    ["another redirect URI", async (form) => ({ ...form, redirect_uri: "https://app.example.com/back" })],
    ["no redirect URI", async ({ redirect_uri: _none, ...form }) => form],
    [
      "another client (code injection)",
      async (form) => ({ ...form, client_id: service.id, client_secret: service.secret }),
    ],
    ["a public client", async ({ client_secret: _none, ...form }) => ({ ...form, client_id: app.id })],
  ])("a code with %s is refused and burnt", async (_what, change) => {
    const form = await newCode();
    const tried = await post("token", await change(form));
    expect([tried.status, tried.body.error]).toEqual([400, "invalid_grant"]);
    expect((await post("token", form)).body.error).toBe("invalid_grant");
  });

  test("a refresh token that was exchanged before ends the whole family", async () => {
    const first = await post("token", await newCode());
    const refresh = { grant_type: "refresh_token", client_id: site.id, client_secret: site.secret };
    const second = await post("token", { ...refresh, refresh_token: first.body.refresh_token });
    expect(second.status).toBe(200);
    const stolen = await post("token", { ...refresh, refresh_token: first.body.refresh_token }, nodes.other);
    expect([stolen.status, stolen.body.error]).toEqual([400, "invalid_grant"]);
    expect(await nodes.status(second.body.access_token)).toBe(401);
    expect((await post("token", { ...refresh, refresh_token: second.body.refresh_token })).status).toBe(400);
  });

  test("everything that clients get, give back and misuse is in the audit log", async () => {
    const secret = { client_id: site.id, client_secret: site.secret };
    const code = await newCode();
    const first = await post("token", code);
    const second = await post("token", {
      ...secret,
      grant_type: "refresh_token",
      refresh_token: first.body.refresh_token,
    });
    await post("revoke", { ...secret, token: second.body.refresh_token });
    await post("token", { grant_type: "client_credentials", client_id: service.id, client_secret: service.secret });
    await post("token", { grant_type: "client_credentials", client_id: service.id, client_secret: "wrong" });
    await post("token", await newCode().then((form) => ({ ...form, code_verifier: verifierOf() })));
    const { data } = (await nodes.run("admin.audit.list", {})) as unknown as {
      data: readonly Record<string, string>[];
    };
    const log = data.filter(({ action = "" }) => action.startsWith("oauth.")).slice(0, 8);
    expect(log.map(({ action, credential, result }) => [action, credential, result]).toReversed()).toEqual([
      ["oauth.allow", `client:${site.id}`, "done"],
      ["oauth.exchange-code", `client:${site.id}`, "done"],
      ["oauth.refresh", `client:${site.id}`, "done"],
      ["oauth.revoke", `client:${site.id}`, "done"],
      ["oauth.client-token", `client:${service.id}`, "done"],
      ["oauth.authenticate-client", null, "invalid_client"],
      ["oauth.allow", `client:${site.id}`, "done"],
      ["oauth.code-refused", `client:${site.id}`, "invalid_grant"],
    ]);
    expect(JSON.stringify(data)).not.toMatch(/po[cr]_|pcs_/);
  });

  test("a made-up refresh token of a known grant does not end it", async () => {
    const { body } = await post("token", await newCode());
    const forged = body.refresh_token.replace(/[0-9a-f]{32}_[0-9a-f]{64}$/, `${"0".repeat(32)}_${"0".repeat(64)}`);
    const refresh = { grant_type: "refresh_token", client_id: site.id, client_secret: site.secret };
    expect((await post("token", { ...refresh, refresh_token: forged })).body.error).toBe("invalid_grant");
    expect(await nodes.status(body.access_token)).toBe(200);
  });

  test("no request gets more scopes than its client and its user have", async () => {
    const secret = { client_id: service.id, client_secret: service.secret };
    const more = await post("token", { grant_type: "client_credentials", ...secret, scope: "posts:read users:write" });
    expect([more.status, more.body.error]).toEqual([400, "invalid_scope"]);
    const { body } = await post("token", await newCode({ scope: "posts:read" }));
    const wider = { grant_type: "refresh_token", client_id: site.id, client_secret: site.secret };
    const asked = await post("token", { ...wider, refresh_token: body.refresh_token, scope: "posts:read posts:write" });
    expect(asked.body.error).toBe("invalid_scope");
    const write = await fetch(`${nodes.issuer}/api/v2/users/me/posts`, {
      method: "POST",
      headers: { authorization: `Bearer ${body.access_token}`, "content-type": "application/json" },
      body: JSON.stringify({ title: "T", body: "B" }),
    });
    expect(write.status).toBe(403);
    const root = await newClient({ scopes: ["events:read"] });
    const given = { grant_type: "client_credentials", client_id: root.id, client_secret: root.secret };
    const admin = await post("token", given);
    expect(await nodes.status(admin.body.access_token, "/admin/events")).toBe(403);
  });

  test.each<readonly [string, () => Record<string, string>, string]>([
    ["a wrong secret", () => ({ client_id: service.id, client_secret: "x" }), "invalid_client"],
    ["another client's secret", () => ({ client_id: service.id, client_secret: site.secret }), "invalid_client"],
    ["no secret", () => ({ client_id: service.id }), "invalid_client"],
    ["a secret of a public client", () => ({ client_id: app.id, client_secret: "x" }), "invalid_client"],
    ["an unknown client", () => ({ client_id: nodes.ann, client_secret: "x" }), "invalid_client"],
    ["no client", () => ({}), "invalid_client"],
    ["a public client", () => ({ client_id: app.id }), "unauthorized_client"],
    ["an assertion", () => ({ client_id: service.id, client_assertion: "x" }), "invalid_request"],
  ])("client credentials of %s are refused", async (_what, form, error) => {
    const answer = await post("token", { grant_type: "client_credentials", ...form() });
    expect(answer.body.error).toBe(error);
    expect(answer.status).toBe(error === "invalid_client" ? 401 : 400);
    if (error === "invalid_client") expect(answer.headers.get("www-authenticate")).toMatch(/^Basic /);
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test("a client uses no grant type that it is not registered for, and its code stays good", async () => {
    const secret = { client_id: site.id, client_secret: site.secret };
    const own = await post("token", { grant_type: "client_credentials", ...secret });
    expect([own.status, own.body.error]).toEqual([400, "unauthorized_client"]);
    const form = await newCode();
    const register = (grant_types: readonly string[]) =>
      nodes.run("admin.clients.replace-grant-types", { grant_types }, { id: site.id });
    await register(["client_credentials"]);
    expect((await post("token", { grant_type: "client_credentials", ...secret })).status).toBe(200);
    expect((await post("token", form)).body.error).toBe("unauthorized_client");
    const asked = { client_id: site.id, redirect_uri: callback, code_challenge: challengeOf("v") };
    const back = new URL((await known.send(link(asked))).location ?? "");
    expect([back.searchParams.get("error"), back.searchParams.get("state")]).toEqual(["unauthorized_client", "s t&a"]);
    await register(["authorization_code"]);
    const { status, body } = await post("token", form, nodes.other);
    expect([status, body.refresh_token]).toEqual([200, undefined]);
    expect(await nodes.status(body.access_token)).toBe(200);
    await register(["authorization_code", "refresh_token"]);
    expect((await post("token", await newCode())).body.refresh_token).toMatch(/^por_/);
  });

  test("a stolen code or refresh token ends its grant, whatever the thief's client is registered for", async () => {
    const thief = { client_id: service.id, client_secret: service.secret };
    const code = await newCode();
    expect((await post("token", { ...code, ...thief })).body.error).toBe("invalid_grant");
    expect((await post("token", code)).body.error).toBe("invalid_grant");
    const { body } = await post("token", await newCode());
    const refresh = { grant_type: "refresh_token", refresh_token: body.refresh_token };
    expect((await post("token", { ...refresh, ...thief })).body.error).toBe("invalid_grant");
    expect(await nodes.status(body.access_token)).toBe(401);
    for (const junk of [
      { grant_type: "refresh_token", refresh_token: "x" },
      { ...code, ...thief, code: "x" },
    ]) {
      expect((await post("token", { ...junk, ...thief })).body.error).toBe("unauthorized_client");
    }
  });

  test("a user takes scopes back: tokens lose them at once, on both nodes, and nothing gives them back", async () => {
    const { body } = await post("token", await newCode());
    const [row] = await nodes.storage.resources.list(grant, {
      scope: allRows("test"),
      where: equals("user_id", nodes.ann),
      order: [{ field: "id", direction: "desc" }],
      limit: 1,
    });
    const narrow = (scopes: readonly string[]) => nodes.run("grants.narrow", { scopes }, { id: String(row?.id) });
    const write = async (base: string, token: string) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const draft = { method: "POST", headers, body: JSON.stringify({ title: "T", body: "B" }) };
      return (await fetch(`${base}/api/v2/users/me/posts`, draft)).status;
    };
    expect(await write(nodes.issuer, body.access_token)).toBe(201);
    await narrow(["posts:read"]);
    for (const base of [nodes.issuer, nodes.other]) {
      expect([await write(base, body.access_token), await nodes.status(body.access_token, "/posts", base)]).toEqual([
        403, 200,
      ]);
    }
    await expect(narrow(["posts:read", "posts:write"])).rejects.toMatchObject({ code: "validation_failed" });
    await expect(narrow(["posts:write"])).rejects.toMatchObject({ code: "validation_failed" });
    const refresh = { grant_type: "refresh_token", client_id: site.id, client_secret: site.secret };
    const next = await post("token", { ...refresh, refresh_token: body.refresh_token });
    expect([next.status, next.body.scope]).toEqual([200, "posts:read"]);
    expect(await write(nodes.other, next.body.access_token)).toBe(403);
  });

  test.each([
    ["http://127.0.0.1:4598/port", 303],
    ["http://127.0.0.1:4597/port", 400],
    ["http://127.0.0.1/port", 400],
    ["http://127.0.0.1:4597/back", 303],
    ["http://127.0.0.1/back", 303],
    ["http://127.0.0.1:4597/back?x", 400],
    ["http://[::1]:4597/back", 400],
  ])("a loopback address stands for all ports only where it is registered without one: %s", async (uri, status) => {
    const client = await newClient({
      kind: "public",
      redirect_uris: ["http://127.0.0.1/back", "http://127.0.0.1:4598/port"],
    });
    // The challenge is too short: that is told at a registered address, and shown on a page for any other.
    const asked = { client_id: client.id, redirect_uri: uri, code_challenge: "short" };
    expect((await openBrowser(nodes).send(link(asked))).answer.status).toBe(status);
    await nodes.run("admin.clients.delete", {}, { id: client.id });
  });

  test("there is no password grant, and nothing but a form is taken", async () => {
    const secret = { client_id: service.id, client_secret: service.secret };
    const password = { grant_type: "password", username: "ann@example.com", password: "correct horse battery" };
    expect((await post("token", { ...secret, ...password })).body.error).toBe("unsupported_grant_type");
    const json = await fetch(`${nodes.issuer}/oauth/token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...secret, grant_type: "client_credentials" }),
    });
    expect([json.status, ((await json.json()) as { error: string }).error]).toEqual([415, "invalid_request"]);
    const twice = await fetch(`${nodes.issuer}/oauth/token`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "grant_type=client_credentials&scope=a&scope=b",
    });
    expect([twice.status, ((await twice.json()) as { error: string }).error]).toEqual([400, "invalid_request"]);
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
    ["with a request object", { request: "x" }, "invalid_request"],
  ])("a request %s goes back with the error, the state and the issuer (RFC 9207)", async (_what, more, error) => {
    const asked = { client_id: site.id, redirect_uri: callback, code_challenge: challengeOf("v"), ...more };
    const back = new URL((await openBrowser(nodes).send(link(asked))).location ?? "");
    const { searchParams: told } = back;
    expect([told.get("error"), told.get("state"), told.get("iss")]).toEqual([error, "s t&a", nodes.issuer]);
    expect(`${back.origin}${back.pathname}`).toBe("https://app.example.com/back");
    expect(told.has("code")).toBe(false);
  });

  test("the pages cannot be framed, run nothing, and show names as text; a refusal goes back", async () => {
    const asked = link({ client_id: site.id, redirect_uri: callback, code_challenge: challengeOf("v") });
    const browser = openBrowser(nodes);
    const shown = await browser.send(asked);
    expect(shown.html).toContain("A &lt;b&gt;client&lt;/b&gt;");
    expect(shown.answer.headers.get("content-security-policy")).toBe(
      "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(shown.answer.headers.get("cache-control")).toBe("no-store");
    const denied = await browser.decide(asked, "deny");
    expect(denied.searchParams.get("error")).toBe("access_denied");
    const consent = await browser.send(asked);
    expect(consent.answer.headers.get("content-security-policy")).toContain(
      "form-action 'self' https://app.example.com;",
    );
    expect(consent.html).toContain("ann@example.com");
    expect(consent.html).toContain("<code>posts:read</code>");
    expect(consent.html).toContain("after at most 90 days");
  });

  test("the cookie is of this host alone; the API takes none; a wrong password gives none", async () => {
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

  test("forms of other sites, and forms that were made for another session or request, allow nothing", async () => {
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

  test("a token of a client is no session, and ends with its client, its grant and its user's password", async () => {
    const { body } = await post("token", await newCode());
    const me = await fetch(`${nodes.issuer}/api/v2/api-keys`, {
      method: "POST",
      headers: { authorization: `Bearer ${body.access_token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "k", scopes: ["posts:read"] }),
    });
    expect(me.status).toBe(403);
    const removed = await newClient({});
    const given = { grant_type: "client_credentials", client_id: removed.id, client_secret: removed.secret };
    const token = (await post("token", given)).body.access_token;
    expect(await nodes.status(token, "/posts", nodes.other)).toBe(200);
    await nodes.run("admin.clients.delete", {}, { id: removed.id }).catch(() => undefined);
    expect([await nodes.status(token), await nodes.status(token, "/posts", nodes.other)]).toEqual([401, 401]);
    const bearer = { authorization: `Bearer ${body.access_token}` };
    const grants = await fetch(`${nodes.issuer}/api/v2/grants`, { headers: bearer });
    expect(grants.status).toBe(403);
    await nodes.run("users.change-password", { new_password: "another horse battery" }, { id: nodes.ann });
    expect(await nodes.status(body.access_token, "/posts", nodes.other)).toBe(401);
    await nodes.run("users.change-password", { new_password: "correct horse battery" }, { id: nodes.ann });
  });
};

describe("OAuth 2 on SQLite", () => suite("SQLite"));
describe.skipIf(!mysqlAnswers)("OAuth 2 on MariaDB", () => suite("MariaDB"));

test("failed proofs of clients are throttled by address; the right secret still works", async () => {
  const nodes = await startNodes("SQLite", { rateLimits: "on" });
  const made = await nodes.run("admin.clients.create", { name: "c", user_id: nodes.ann, scopes: ["posts:read"] });
  const tryWith = async (secret: string) => {
    const form = { grant_type: "client_credentials", client_id: `${made.id}`, client_secret: secret };
    return (await fetch(`${nodes.issuer}/oauth/token`, { method: "POST", body: new URLSearchParams(form) })).status;
  };
  const failures = [];
  for (let n = 0; n < 22; n += 1) failures.push(await tryWith("wrong"));
  expect(failures.filter((status) => status === 401).length).toBeLessThanOrEqual(21);
  expect(failures.at(-1)).toBe(429);
  expect(await tryWith(`${made.secret}`)).toBe(200);
  await nodes.close();
}, 30_000);
