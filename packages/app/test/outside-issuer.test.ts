import type { JwtClaims } from "@postern/core/ports";
import { describe, expect, test } from "vitest";
import { audience, issuer, scene } from "./outside-issuer-scene.ts";

const minute = 60_000;

describe("a token of the outside issuer", () => {
  test("makes an account with a verified address on its first use, and finds it again", async () => {
    const { me, token, ports } = scene();
    const first = await me(token());
    expect([first.status, first.body.name, first.body.email, first.body.verified_email, first.body.role]).toEqual([
      200,
      "Eve",
      "eve@example.com",
      "eve@example.com",
      "user",
    ]);
    // The link counts from now on, whatever the address is.
    const again = await me(token({ email: "new@example.com", email_verified: false }));
    expect(again.body.id).toBe(first.body.id);
    const [entry] = await ports.storage.audit.list({ limit: 1, action: "outside.create-account" });
    expect(entry).toMatchObject({ actor: { kind: "user", id: first.body.id }, result: "done" });
  });

  test("tells the owner of an account by mail when it is linked, and once", async () => {
    const accountPage = "https://api.example.com/api/account";
    const { me, token, user: make, verify, app, ports } = scene({}, { settings: { accountPage } });
    const worker = app.worker({ name: "only", concurrency: 10 });
    await worker.start();
    const told = async () => {
      await worker.runDue();
      await ports.clock.advance(0);
      return ports.mailer.sent.filter(
        ({ to, text }) => to === "eve@example.com" && text.includes("another sign-in service"),
      );
    };
    const eve = await make("eve");
    expect((await me(token())).status).toBe(409);
    expect(await told()).toEqual([]);
    await verify(eve.id, "eve@example.com");
    expect((await me(token())).status).toBe(200);
    expect((await me(token())).status).toBe(200);
    expect(await told()).toHaveLength(1);
    await worker.stop(0);
  });

  test("is linked to the account with its address only if both sides have verified it", async () => {
    const { me, token, user: make, verify, call } = scene();
    const eve = await make("eve");
    const unproved = await me(token());
    expect([unproved.status, unproved.body.code]).toEqual([409, "account_exists"]);
    await verify(eve.id, "eve@example.com");
    expect((await me(token({ email_verified: false }))).body.code).toBe("account_exists");
    expect((await me(token({ email_verified: "yes" }))).body.code).toBe("account_exists");
    const linked = await me(token({ email: "EVE@example.com" }));
    expect([linked.status, linked.body.id]).toEqual([200, eve.id]);
    // A second person to whom the issuer gave the address later.
    expect((await me(token({ sub: "subject-2" }))).body.code).toBe("account_exists");
    expect((await call("GET", "/users/me", { token: eve.token })).status).toBe(200);
  });

  test("makes no account without a verified address, or where only administrators make some", async () => {
    const { me, token } = scene();
    for (const given of [{ email: undefined }, { email_verified: false }, { email: "no address" }]) {
      const refused = await me(token(given));
      expect([refused.status, refused.body.code]).toEqual([403, "address_unverified"]);
    }
    const closed = scene({}, { settings: { signup: "admin" } });
    expect((await closed.me(closed.token())).body.code).toBe("forbidden");
  });

  test("does not tell whether an address has an account where addresses are kept secret", async () => {
    const { me, token, app } = scene({}, { settings: { confirmAddresses: true } });
    const principal = { kind: "operator", name: "test" } as const;
    const body = { name: "Ann", email: "ann@example.com", password: "correct horse battery" };
    await app.run({ operation: "users.create", principal, body });
    for (const email of ["ann@example.com", "nobody@example.com"]) {
      expect((await me(token({ email, email_verified: false }))).body.code).toBe("address_unverified");
    }
  });

  test("makes one account when many requests use it first at the same moment", async () => {
    const { me, token } = scene();
    const answers = await Promise.all(Array.from({ length: 8 }, () => me(token())));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
  });

  test.each<readonly [string, JwtClaims, object, string]>([
    ["for another audience", { aud: "other" }, {}, "invalid_token"],
    ["for no audience", { aud: undefined }, {}, "invalid_token"],
    ["that has expired", { exp: 1 }, {}, "token_expired"],
    ["that does not end", { exp: undefined }, {}, "invalid_token"],
    ["that ends at a text", { exp: "2100" }, {}, "invalid_token"],
    ["that begins later", { nbf: 4_000_000_000 }, {}, "invalid_token"],
    ["that was issued later", { iat: 4_000_000_000 }, {}, "invalid_token"],
    ["without a subject", { sub: undefined }, {}, "invalid_token"],
    ["with an empty subject", { sub: "" }, {}, "invalid_token"],
    ["with a subject that is too long", { sub: "x".repeat(256) }, {}, "invalid_token"],
    ["for a sign-out", {}, { typ: "logout+jwt" }, "invalid_token"],
    ["that is bound to a key", { cnf: { jkt: "x" } }, {}, "invalid_token"],
    ["of an unknown key", {}, { kid: "unknown" }, "invalid_token"],
    ["of another algorithm", {}, { alg: "none" }, "invalid_token"],
  ])("%s is refused", async (_what, given, header, code) => {
    const { me, token } = scene();
    const refused = await me(token(given, header));
    expect([refused.status, refused.body.code]).toEqual([401, code]);
    expect(refused.headers["www-authenticate"]).toContain("invalid_token");
    expect((await me(token({ aud: ["x", audience] }, { typ: "at+JWT" }))).status).toBe(200);
  });

  test("of another issuer is no token at all here", async () => {
    const { me, token } = scene();
    for (const iss of [undefined, "https://id.example.com", `${issuer}/`, [issuer]]) {
      expect((await me(token({ iss }))).body.code).toBe("invalid_token");
    }
    const { detail } = (await me(token({ iss: `${issuer}/` }))).body;
    expect(detail).toBe(
      `The token's iss is "${issuer}/", and outsideIssuer.issuer is "${issuer}". They differ by the slash at the end: set it as the tokens have it.`,
    );
  });

  test("gives the role that its claim names, if there is such a role, for as long as it is good", async () => {
    const roles = { support: { scopes: ["events:read"], description: "Helps." } };
    const { me, token, call } = scene({ roleClaim: "/realm/roles" }, { roles });
    const roleOf = async (given: unknown) => {
      const listed = await call("GET", "/admin/events", { token: token({ realm: given }) });
      const reached = await call("GET", "/admin/audit", { token: token({ realm: given }) });
      return [listed.status, reached.status];
    };
    await me(token());
    expect(await roleOf({ roles: ["admin", "other"] })).toEqual([200, 200]);
    expect(await roleOf({ roles: ["support", "user", "constructor"] })).toEqual([200, 403]);
    for (const none of [{}, { roles: ["root"] }, { roles: { admin: true } }, { roles: "ADMIN" }, "admin", undefined]) {
      expect(await roleOf(none)).toEqual([403, 403]);
    }
    expect((await me(token())).body.role).toBe("user");
  });

  test("has the account's own role where no claim is configured", async () => {
    const { me, token, app, call } = scene();
    const { id } = (await me(token({ role: "admin", roles: ["admin"] }))).body;
    expect((await call("GET", "/admin/audit", { token: token({ role: "admin" }) })).status).toBe(403);
    const principal = { kind: "operator", name: "test" } as const;
    await app.run({ operation: "users.update", principal, params: { id }, body: { role: "admin" } });
    expect((await call("GET", "/admin/audit", { token: token() })).status).toBe(200);
  });

  test("needs several factors at the issuer where administrators need two here", async () => {
    const { token, call } = scene({ roleClaim: "role" }, { settings: { adminMfa: "required" } });
    const statusOf = async (given: JwtClaims) =>
      (await call("GET", "/admin/audit", { token: token({ role: "admin", ...given }) })).status;
    expect(await statusOf({})).toBe(403);
    expect(await statusOf({ amr: ["pwd"] })).toBe(403);
    expect(await statusOf({ amr: ["pwd", "mfa"] })).toBe(200);
  });

  test("is bounded by the scopes of this API that it names, and is no sign-in", async () => {
    const { token, call } = scene();
    const body = { title: "T", body: "B" };
    const post = (scope: unknown) => call("POST", "/users/me/posts", { token: token({ scope }), body });
    expect((await post(undefined)).status).toBe(201);
    expect((await post("openid posts:write")).status).toBe(201);
    expect((await post("openid posts:read")).body.code).toBe("insufficient_scope");
    expect((await post(["posts:read"])).body.code).toBe("insufficient_scope");
    const key = { name: "k", scopes: ["posts:read"] };
    expect((await call("POST", "/api-keys", { token: token(), body: key })).body.code).toBe("forbidden");
  });

  test("ends with its account", async () => {
    const { me, token, app } = scene();
    const { id } = (await me(token())).body;
    const principal = { kind: "operator", name: "test" } as const;
    await app.run({ operation: "users.delete", principal, params: { id } });
    const after = await me(token());
    // The link goes with the account, so that a later token begins a new one.
    expect(after.body.id).not.toBe(id);
  });
});

describe("a link to an outside account", () => {
  const password = "correct horse battery";
  const linked = async () => {
    const its = scene();
    const eve = await its.user("eve");
    await its.verify(eve.id, "eve@example.com");
    await its.me(its.token());
    const list = (token: string, whose = "me") => its.call("GET", `/users/${whose}/outside-identities`, { token });
    const id = String((await list(eve.token)).body.data[0].id);
    const end = (token: string, query = "", whose = "me") =>
      its.call("DELETE", `/users/${whose}/outside-identities/${id}${query}`, { token });
    return { ...its, eve, list, id, end };
  };

  test("is listed to its user and to administrators, without its digest", async () => {
    const { eve, list, id, admin, user: make, token } = await linked();
    const { status, body } = await list(eve.token);
    expect(status).toBe(200);
    expect(body.data).toEqual([
      {
        id,
        user_id: eve.id,
        issuer,
        subject: "subject-1",
        client_id: null,
        state: "linked",
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    expect((await list(token())).body.data).toHaveLength(1);
    expect((await list((await admin()).token, eve.id)).body.data).toHaveLength(1);
    expect((await list((await make("other")).token, eve.id)).status).toBe(404);
  });

  test("ends for all its tokens, and stays ended; the audit log says so", async () => {
    const { eve, list, id, end, me, token, ports } = await linked();
    expect((await end(eve.token)).status).toBe(204);
    const refused = await me(token());
    expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
    expect(refused.body.detail).toContain("relink=allowed");
    expect((await end(eve.token)).status).toBe(204);
    expect((await me(token())).status).toBe(403);
    expect((await list(eve.token)).body.data).toMatchObject([{ id, state: "ended" }]);
    const entries = await ports.storage.audit.list({ limit: 9, action: "outside-identities.delete" });
    expect(entries).toMatchObject([
      { actor: { kind: "user", id: eve.id }, resource: "outside_identity", resourceId: id, fields: ["state"] },
    ]);
    // The issuer may know the person under another subject.
    expect((await me(token({ sub: "subject-2" }))).body.id).toBe(eve.id);
  });

  test("is made anew once its user allows it", async () => {
    const { eve, list, end, me, token } = await linked();
    await end(eve.token);
    expect((await end(eve.token, "?relink=allowed")).status).toBe(204);
    expect((await list(eve.token)).body.data).toEqual([]);
    expect((await me(token())).body.id).toBe(eve.id);
    expect((await end(eve.token)).status).toBe(404);
  });

  test("is ended by its user and by administrators, in person and after a recent sign-in", async () => {
    const { eve, end, me, token, user: make, admin, clock, call } = await linked();
    expect((await end((await make("other")).token, "", eve.id)).status).toBe(404);
    expect((await end(token())).body.code).toBe("forbidden");
    await clock.advance(6 * minute);
    expect((await end(eve.token)).body.code).toBe("sign_in_too_old");
    expect((await me(token())).status).toBe(200);
    const root = await admin();
    // The link belongs to another user than the path says.
    expect((await end(root.token)).status).toBe(404);
    expect((await end(root.token, "", eve.id)).status).toBe(204);
    const again = await call("POST", "/sessions", { body: { email: "eve@example.com", password } });
    expect([again.status, (await me(token())).status]).toEqual([201, 403]);
  });

  test("is not ended while it is the only way to sign in", async () => {
    const { me, token, admin, call } = scene();
    const { id } = (await me(token())).body;
    const root = await admin();
    const [link] = (await call("GET", `/users/${id}/outside-identities`, { token: root.token })).body.data;
    const end = (query = "") =>
      call("DELETE", `/users/${id}/outside-identities/${link.id}${query}`, { token: root.token });
    for (const query of ["", "?relink=allowed"]) {
      const refused = await end(query);
      expect([refused.status, refused.body.code]).toEqual([409, "state_conflict"]);
      expect(refused.body.detail).toContain("POST /password-resets");
    }
    expect((await me(token())).status).toBe(200);
    // If an account has no password, no text is accepted, not even the one that is stored instead
    // of a hash.
    for (const tried of ["none", "", password]) {
      const signIn = await call("POST", "/sessions", { body: { email: "eve@example.com", password: tried } });
      expect([signIn.status, signIn.body.code]).toEqual([401, "invalid_credentials"]);
    }
    const body = { new_password: "nine loud violet kettles" };
    expect((await call("PUT", `/users/${id}/password`, { token: root.token, body })).status).toBe(204);
    expect((await end()).status).toBe(204);
    expect((await me(token())).status).toBe(403);
  });

  test("is told to its user by mail when it ends, once", async () => {
    const accountPage = "https://api.example.com/api/account";
    const { me, token, user: make, verify, app, ports, call } = scene({}, { settings: { accountPage } });
    const worker = app.worker({ name: "only", concurrency: 10 });
    await worker.start();
    const eve = await make("eve");
    await verify(eve.id, "eve@example.com");
    await me(token());
    const runAll = async () => {
      await worker.runDue();
      await ports.clock.advance(0);
    };
    await runAll();
    const [link] = (await call("GET", "/users/me/outside-identities", { token: eve.token })).body.data;
    for (const _ of [1, 2]) await call("DELETE", `/users/me/outside-identities/${link.id}`, { token: eve.token });
    await runAll();
    const told = ports.mailer.sent.filter(
      ({ to, text }) => to === "eve@example.com" && text.includes("no longer signs in"),
    );
    expect(told).toHaveLength(1);
    await worker.stop(0);
  });
});
