import type { JwtClaims } from "@postern/core/ports";
import { describe, expect, test } from "vitest";
import type { OutsideIssuer } from "../src/outside/outside-issuer.ts";
import { issuer, scene } from "./outside-issuer-scene.ts";

/**
 * Tokens as the documentation of each issuer shows them: what a user's access token has beside `iss`
 * and `exp`, what a program's has, and the settings that `docs/oauth.md` names.
 */
interface Shown {
  readonly settings: Partial<OutsideIssuer>;
  readonly header?: object;
  readonly person: JwtClaims;
  readonly program: JwtClaims;
  readonly linkedBy: string;
}

/** None of the claims that the scene adds by itself. */
const bare: JwtClaims = { email: undefined, email_verified: undefined, name: undefined, aud: undefined };

const issuers: Readonly<Record<string, Shown>> = {
  Keycloak: {
    settings: { audience: "postern", fullAccess: ["openid"] },
    person: {
      typ: "Bearer",
      aud: ["postern", "account"],
      azp: "web",
      sub: "f1888f4d-5172-4359-be0c-af338505d86c",
      scope: "openid profile email",
      email_verified: true,
      preferred_username: "ada",
      email: "ada@example.com",
    },
    program: {
      typ: "Bearer",
      aud: ["postern", "account"],
      azp: "nightly",
      sub: "0c5a2d1e-3d0e-4c6b-9c92-0f1f6a4b8e11",
      scope: "profile email posts:read",
      client_id: "nightly",
      preferred_username: "service-account-nightly",
    },
    linkedBy: "nightly",
  },
  "Entra ID": {
    settings: {
      audience: "6e74172b-be56-4843-9ff4-e66a39bb12e3",
      fullAccess: ["user_impersonation"],
      trustAddresses: ["example.com"],
      emailClaim: "preferred_username",
    },
    person: {
      aud: "6e74172b-be56-4843-9ff4-e66a39bb12e3",
      azp: "9f7be1a3-0a3f-4f4b-8f0c-5b8a0a2f7a42",
      azpacr: "0",
      name: "Ada Lovelace",
      oid: "690222be-ff1a-4d56-abd1-7e4f7d38e474",
      preferred_username: "ada@example.com",
      scp: "user_impersonation",
      sub: "HKZpfaHyWadeOouYlitjrI-KffTm222X5rrV3xDqfKQ",
      tid: "72f988bf-86f1-41af-91ab-2d7cd011db47",
      ver: "2.0",
    },
    program: {
      aud: "6e74172b-be56-4843-9ff4-e66a39bb12e3",
      azp: "1c0f0b7e-0b07-4c5d-8f39-7fb5c8d3a0c1",
      azpacr: "1",
      idtyp: "app",
      oid: "4a9d5c4c-6c5a-4f0f-9f8a-0a6a9f6f2a11",
      sub: "4a9d5c4c-6c5a-4f0f-9f8a-0a6a9f6f2a11",
      ver: "2.0",
    },
    linkedBy: "1c0f0b7e-0b07-4c5d-8f39-7fb5c8d3a0c1",
  },
  Auth0: {
    settings: { audience: "https://api.example.com", accounts: "subject" },
    header: { typ: "JWT" },
    person: {
      sub: "auth0|602c0dcab993d10073daf680",
      aud: ["https://api.example.com", "https://example.auth0.com/userinfo"],
      azp: "my_client_id",
      scope: "openid profile email",
      permissions: ["posts:read", "posts:write", "users:read"],
    },
    program: {
      sub: "my_machine@clients",
      aud: "https://api.example.com",
      azp: "my_machine",
      gty: "client-credentials",
      scope: "posts:read",
      permissions: ["posts:read"],
    },
    linkedBy: "my_machine",
  },
  Okta: {
    settings: { audience: "api://default", trustAddresses: ["example.com"], emailClaim: "sub" },
    person: {
      ver: 1,
      jti: "AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMf0D7uX39RE",
      aud: "api://default",
      cid: "nmdP1fcyvdVO11AL7ECm",
      uid: "00ugmybgcsK4k4ns30g4",
      scp: ["openid", "posts:read", "posts:write", "users:read"],
      sub: "ada@example.com",
    },
    program: {
      ver: 1,
      aud: "api://default",
      cid: "0oabzljloplvN6d3I5d7",
      scp: ["posts:read"],
      sub: "0oabzljloplvN6d3I5d7",
    },
    linkedBy: "0oabzljloplvN6d3I5d7",
  },
  Cognito: {
    settings: {
      audience: ["1example23456789", "1machine23456789"],
      scopePrefix: "postern/",
      accounts: "subject",
    },
    person: {
      sub: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
      client_id: "1example23456789",
      token_use: "access",
      scope: "openid postern/posts:read postern/posts:write postern/users:read",
      username: "ada",
      version: 2,
    },
    program: {
      sub: "1machine23456789",
      client_id: "1machine23456789",
      token_use: "access",
      scope: "postern/posts:read",
      version: 2,
    },
    linkedBy: "1machine23456789",
  },
  Google: {
    settings: { audience: "1234987819200.apps.googleusercontent.com" },
    person: {
      azp: "1234987819200.apps.googleusercontent.com",
      aud: "1234987819200.apps.googleusercontent.com",
      sub: "10769150350006150715113082367",
      at_hash: "HK6E_P6Dh8Y93mRNtsDB1Q",
      hd: "example.com",
      email: "ada@example.com",
      email_verified: "true",
      nonce: "0394852-3190485-2490358",
    },
    program: {
      azp: "113774264463038321964",
      aud: "1234987819200.apps.googleusercontent.com",
      sub: "113774264463038321964",
      email: "nightly@project.iam.gserviceaccount.com",
      email_verified: true,
    },
    linkedBy: "113774264463038321964",
  },
};

const operator = { kind: "operator", name: "test" } as const;

const withClient = async (settings: Partial<OutsideIssuer>, scopes = ["posts:read", "users:read"]) => {
  const its = scene(settings);
  const owner = await its.user("owner");
  const body = { name: "nightly", user_id: owner.id, scopes };
  const made = await its.app.run({ operation: "admin.clients.create", principal: operator, body });
  const client = String((made.body as { id: string }).id);
  const link = (subject: string) =>
    its.app.run({
      operation: "admin.outside-identities.create",
      principal: operator,
      params: { id: owner.id },
      body: { subject, client_id: client },
    });
  const posts = (token: string) => its.call("GET", "/users/me/posts", { token });
  const write = (token: string) => its.call("POST", "/users/me/posts", { token, body: { title: "T", body: "B" } });
  return { ...its, owner, client, link, posts, write };
};

describe.each(Object.entries(issuers))("tokens of %s", (_name, { settings, header, person, program, linkedBy }) => {
  test("let a person in", async () => {
    const { me, token } = scene(settings);
    const first = await me(token({ ...bare, ...person }, header));
    expect(first.body).toMatchObject({ id: expect.any(String) });
    expect(first.status).toBe(200);
    expect((await me(token({ ...bare, ...person }, header))).body.id).toBe(first.body.id);
    expect((await me(token({ ...bare, ...person, sub: "another", email: undefined }, header))).body.id).not.toBe(
      first.body.id,
    );
  });

  test("let a program act only as the client that it is linked to", async () => {
    const { token, link, posts, write, me, owner, ports, call, app, client } = await withClient({
      ...settings,
      trustAddresses: "*",
    });
    const given = token({ ...bare, ...program }, header);
    const refused = await posts(given);
    expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
    expect(refused.body.detail).toContain(`postern clients link CLIENT --sub ${linkedBy}`);
    // A link of its subject to a person gives it nothing.
    const asPerson = { params: { id: owner.id }, body: { subject: String(program.sub) } };
    await app.run({ operation: "admin.outside-identities.create", principal: operator, ...asPerson });
    expect((await posts(given)).status).toBe(403);
    await link(linkedBy);
    expect((await posts(given)).status).toBe(200);
    expect((await write(given)).body.code).toBe("insufficient_scope");
    const seen = await me(given);
    expect([200, 403]).toContain(seen.status);
    const links = await call("GET", "/users/me/outside-identities", { token: owner.token });
    expect(links.body.data).toContainEqual(expect.objectContaining({ subject: linkedBy, issuer, client_id: client }));
    expect(await ports.storage.audit.list({ limit: 9, action: "outside.create-account" })).toEqual([]);
    expect(await ports.storage.audit.list({ limit: 9, action: "admin.outside-identities.create" })).toHaveLength(2);
  });
});

describe("a program", () => {
  test.each<readonly [string, JwtClaims]>([
    ["idtyp", { idtyp: "app" }],
    ["oid", { oid: "subject-1" }],
    ["gty", { gty: "client-credentials" }],
    ["gty in a list", { gty: ["client_credentials"] }],
    ["azp", { azp: "subject-1" }],
    ["client_id", { client_id: "subject-1" }],
    ["cid", { cid: "subject-1" }],
    ["@clients", { sub: "x@clients" }],
    ["token_use", { token_use: "access" }],
    ["token_use with an empty name", { token_use: "access", username: "" }],
    ["preferred_username", { preferred_username: "service-account-x" }],
  ])("that its token tells by %s gets no account, whatever is trusted", async (_sign, said) => {
    for (const settings of [{ trustAddresses: "*" as const }, { accounts: "subject" as const }]) {
      const { me, token } = scene(settings);
      const refused = await me(token(said));
      expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
    }
  });

  test("has the scopes that token and client share, and ends with its client and with its link", async () => {
    const { token, link, posts, write, client, app, owner, call } = await withClient({ fullAccess: ["all"] });
    const given = (scope: unknown) => token({ sub: "robot@clients", azp: "robot", scope });
    await link("robot");
    expect((await posts(given(undefined))).status).toBe(200);
    expect((await write(given(undefined))).body.code).toBe("insufficient_scope");
    expect((await posts(given("all"))).status).toBe(200);
    expect((await write(given("all"))).status).toBe(403);
    const none = await posts(given("posts:write"));
    expect([none.status, none.body.code]).toEqual([403, "insufficient_scope"]);
    expect((await posts(given("openid"))).body.detail).toContain("outsideIssuer.fullAccess");
    // It never has the rights of the account beyond those of the client.
    await app.run({
      operation: "users.update",
      principal: operator,
      params: { id: owner.id },
      body: { role: "admin" },
    });
    expect((await call("GET", "/admin/audit", { token: given("all") })).status).toBe(403);
    await expect(link("robot")).rejects.toMatchObject({ code: "conflict" });
    await app.run({ operation: "admin.clients.delete", principal: operator, params: { id: client } });
    expect((await posts(given("all"))).body.code).toBe("forbidden");
    const links = await call("GET", "/users/me/outside-identities", { token: owner.token });
    expect(links.body.data).toEqual([]);
  });
});

describe("a link by an administrator", () => {
  test("lets the tokens of a subject act for an account, without any address", async () => {
    const { me, token, app, user: make, admin, call, ports } = scene();
    const eve = await make("eve");
    const root = await admin();
    expect((await me(token({ email_verified: false }))).body.code).toBe("account_exists");
    const path = `/admin/users/${eve.id}/outside-identities`;
    const body = { subject: "subject-1" };
    expect((await call("POST", path, { token: eve.token, body })).status).toBe(403);
    const made = await call("POST", path, { token: root.token, body });
    expect([made.status, made.body.issuer, made.body.client_id]).toEqual([201, issuer, null]);
    expect((await me(token({ email: undefined }))).body.id).toBe(eve.id);
    expect((await call("POST", path, { token: root.token, body })).body.code).toBe("conflict");
    const [entry] = await ports.storage.audit.list({ limit: 1, action: "admin.outside-identities.create" });
    expect(entry).toMatchObject({ actor: { kind: "user", id: root.id } });
    await ports.clock.advance(0);
    const stranger = { body: { subject: "y", client_id: "019a5e2f-0b3d-7e44-b1a6-64d2f09c8e57" } };
    expect((await call("POST", path, { token: root.token, ...stranger })).body.code).toBe("validation_failed");
    const nobody = "/admin/users/019a5e2f-0b3d-7e44-b1a6-64d2f09c8e57/outside-identities";
    expect((await call("POST", nobody, { token: root.token, body: { subject: "y" } })).status).toBe(404);
    void app;
  });

  test("is not made by another role, nor after an old sign-in", async () => {
    const roles = { linker: { scopes: ["outside-identities:write"], description: "Links." } };
    const { user: make, admin, call, clock, app } = scene({}, { roles });
    const [eve, root] = [await make("eve"), await admin()];
    const linker = await make("linker");
    await app.run({
      operation: "users.update",
      principal: operator,
      params: { id: linker.id },
      body: { role: "linker" },
    });
    const path = `/admin/users/${root.id}/outside-identities`;
    const body = { subject: "mine" };
    expect((await call("POST", path, { token: linker.token, body })).status).toBe(403);
    await clock.advance(6 * 60_000);
    const late = await call("POST", `/admin/users/${eve.id}/outside-identities`, { token: root.token, body });
    expect(late.body.code).toBe("sign_in_too_old");
  });
});

describe("a token that is not taken", () => {
  test.each<readonly [string, JwtClaims, object, string]>([
    ["another audience", { aud: ["a", "b"] }, {}, 'its aud is ["a","b"]. outsideIssuer.audience'],
    ["another client of Cognito", { aud: undefined, client_id: "x", token_use: "access" }, {}, 'its client_id is "x"'],
    ["no audience", { aud: undefined, client_id: "postern-test" }, {}, "its aud is missing"],
    ["an ID token of Cognito", { token_use: "id" }, {}, "not an access token"],
    ["an ID token of Keycloak", { typ: "ID" }, {}, "not an access token"],
    ["Okta's own server", {}, { typ: "application/okta-internal-at+jwt" }, "outsideIssuer.issuer must be a custom"],
    ["an unknown key", {}, { kid: "x" }, "outsideIssuer.issuer"],
  ])("says why: %s", async (_what, said, header, detail) => {
    const { me, token } = scene();
    const refused = await me(token(said, header));
    expect([refused.status, refused.body.code]).toEqual([401, "invalid_token"]);
    expect(refused.body.detail).toContain(detail);
  });

  test("names no key: each of the issuer's keys is tried, also a new one", async () => {
    const { me, token, published, jwts, clock, asked } = scene();
    published.keys = Array.from({ length: 5 }, (_, n) => jwts.newKey(`key-${n}`));
    const unnamed = { kid: undefined };
    for (const key of published.keys) expect((await me(token({}, unnamed, key))).status).toBe(200);
    const next = jwts.newKey("next");
    const refused = await me(token({}, unnamed, next));
    expect(refused.body.detail).toContain("names no key (kid), and none of the 5 keys of outsideIssuer.issuer");
    expect(asked.keys).toBe(1);
    published.keys = [...published.keys, next];
    await clock.advance(60_000);
    expect((await me(token({}, unnamed, next))).status).toBe(200);
    expect(asked.keys).toBe(2);
  });
});
