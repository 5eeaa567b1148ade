import { builtInResources } from "@postern/app";
import { allRows, equals } from "@postern/core";
import * as oauth from "oauth4webapi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mysqlAnswers } from "./database-servers.ts";
import { callback, challengeOf, insecure, type OauthClients, startClients, verifierOf } from "./oauth-clients.ts";
import { startNodes } from "./oauth-nodes.ts";

const grant = builtInResources.find(({ name }) => name === "grant");
if (grant === undefined) throw new Error("there are grants");

const suite = (kind: "SQLite" | "MariaDB") => {
  let nodes: OauthClients["nodes"];
  let service: OauthClients["service"];
  let site: OauthClients["site"];
  let app: OauthClients["app"];
  let as: OauthClients["as"];
  let known: OauthClients["known"];
  let newClient: OauthClients["newClient"];
  let link: OauthClients["link"];
  let post: OauthClients["post"];
  let newCode: OauthClients["newCode"];

  beforeAll(async () => {
    ({ nodes, service, site, app, as, known, newClient, link, post, newCode } = await startClients(kind));
  }, 60_000);
  afterAll(() => nodes.close());

  test("a service gets a token for its secret, sent in either way, and may use it within its scopes", async () => {
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

  test("a code works once, and a second exchange also ends the tokens of the first", async () => {
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
    // Nobody knows which of them was the thief's.
    for (const { status, body } of answers) if (status === 200) expect(await nodes.status(body.access_token)).toBe(401);
  });

  test("ten exchanges of one refresh token at the same moment get the same successor, on two servers", async () => {
    const { body: first } = await post("token", await newCode());
    const refresh = (token: string, base: string) =>
      post(
        "token",
        { grant_type: "refresh_token", client_id: site.id, client_secret: site.secret, refresh_token: token },
        base,
      );
    const bases = Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? nodes.issuer : nodes.other));
    const answers = await Promise.all(bases.map((base) => refresh(first.refresh_token, base)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const [next = "", ...others] = new Set(answers.map(({ body }) => String(body.refresh_token)));
    expect(others).toEqual([]);
    for (const { body } of answers) expect(await nodes.status(body.access_token)).toBe(200);
    expect((await refresh(next, nodes.other)).status).toBe(200);
    expect((await refresh(first.refresh_token, nodes.issuer)).body.error).toBe("invalid_grant");
    expect(await nodes.status(first.access_token)).toBe(401);
  });

  test("an Idempotency-Key answers the same exchange of a refresh token again, and none of a code", async () => {
    const code = await newCode();
    const { body: first } = await post("token", code);
    const send = async (form: Record<string, string>, key: string, base = nodes.issuer) => {
      const answer = await fetch(`${base}/oauth/token`, {
        method: "POST",
        headers: { "idempotency-key": key },
        body: new URLSearchParams({ client_id: site.id, client_secret: site.secret, ...form }),
      });
      return { headers: answer.headers, body: (await answer.json()) as Record<string, string> };
    };
    const refresh = { grant_type: "refresh_token", refresh_token: first.refresh_token };
    const given = await send(refresh, "lost");
    const again = await send(refresh, "lost", nodes.other);
    expect([again.body, again.headers.get("idempotency-replayed")]).toEqual([given.body, "true"]);
    expect((await send({ ...refresh, scope: "posts:read" }, "lost")).body.error).toBe("invalid_request");
    expect((await send(code, "code")).body.error).toBe("invalid_grant");
    expect((await send(refresh, "lost")).body.error).toBe("invalid_grant");
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

  test("a refresh token whose successor was used ends the whole family", async () => {
    const first = await post("token", await newCode());
    const refresh = { grant_type: "refresh_token", client_id: site.id, client_secret: site.secret };
    const second = await post("token", { ...refresh, refresh_token: first.body.refresh_token });
    expect(second.status).toBe(200);
    const third = await post("token", { ...refresh, refresh_token: second.body.refresh_token });
    expect(third.status).toBe(200);
    const stolen = await post("token", { ...refresh, refresh_token: first.body.refresh_token }, nodes.other);
    expect([stolen.status, stolen.body.error]).toEqual([400, "invalid_grant"]);
    expect(await nodes.status(third.body.access_token)).toBe(401);
    expect((await post("token", { ...refresh, refresh_token: third.body.refresh_token })).status).toBe(400);
  });

  test("the audit log shows everything that clients get, give back and misuse", async () => {
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

  test("a client cannot use a grant type that it is not registered for, and its code stays valid", async () => {
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

  test("when a user takes scopes back, tokens lose them at once on both nodes, and nothing restores them", async () => {
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

  test("there is no password grant, and only a form is accepted", async () => {
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

  test("a client's token is not a session, and ends with its client, its grant and its user's password", async () => {
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

describe("Tokens of OAuth 2 on SQLite", () => suite("SQLite"));
describe.skipIf(!mysqlAnswers)("Tokens of OAuth 2 on MariaDB", () => suite("MariaDB"));

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
