import { user as users } from "@postern/app";
import { allRows } from "@postern/core";
import { describe, expect, test } from "vitest";
import { testApi } from "./api.ts";

const password = "correct horse battery";

describe("sessions", () => {
  test("answer a wrong password and an unknown address alike", async () => {
    const { call, user } = testApi({ settings: { rateLimits: "off" } });
    await user("ada");
    const wrong = await call("POST", "/sessions", { body: { email: "ada@example.com", password: "wrong" } });
    const unknown = await call("POST", "/sessions", { body: { email: "eve@example.com", password: "wrong" } });
    expect(wrong).toEqual(unknown);
    expect([wrong.status, wrong.body.code]).toEqual([401, "invalid_credentials"]);
  });

  test("take the address in any case", async () => {
    const { call, user } = testApi();
    await user("ada");
    expect((await call("POST", "/sessions", { body: { email: "ADA@Example.COM", password } })).status).toBe(201);
  });

  test("take the address with spaces around it, and one form of a domain with umlauts", async () => {
    const { call } = testApi({ settings: { rateLimits: "off" } });
    const email = "info@m\u00fcnchen.de";
    const made = await call("POST", "/users", { body: { name: "Info", email: ` ${email}`, password } });
    expect(made.body.email).toBe("info@xn--mnchen-3ya.de");
    for (const typed of [`${email} `, "info@MU\u0308NCHEN.de", "info@xn--mnchen-3ya.de"]) {
      expect((await call("POST", "/sessions", { body: { email: typed, password } })).status).toBe(201);
      expect((await call("POST", "/users", { body: { name: "I", email: typed, password } })).body.code).toBe(
        "conflict",
      );
    }
  });

  test.each(["v1", "v2"])("in %s are made for an address with every sign that is allowed there", async (version) => {
    const { call } = testApi({ settings: { rateLimits: "off" } });
    const email = "a!#$%&'*+/=?^_`{|}~-b@example.com";
    const made = await call("POST", "/users", { version, body: { name: "A", email, password } });
    expect([made.status, made.body.email]).toEqual([201, email]);
    const { body } = await call("POST", "/sessions", { version, body: { email, password } });
    const self = await call("GET", "/users/me", { version, token: String(body.access_token) });
    expect([self.status, self.body.email]).toEqual([200, email]);
  });

  test("are made for no address with other letters than ASCII in front of the @, and the error says so", async () => {
    const { call } = testApi({ settings: { rateLimits: "off" } });
    for (const email of ["j\u00f6rg@example.com", "jo\u0308rg@example.com", "\u0130@example.com"]) {
      const { status, body } = await call("POST", "/users", { body: { name: "J", email, password } });
      expect([status, body.code]).toEqual([400, "validation_failed"]);
      expect(body.errors).toMatchObject([
        { pointer: "/email", detail: expect.stringMatching(/^an email address; before the @ only ASCII letters/) },
      ]);
    }
  });

  test("give a token that is over after its time", async () => {
    const { call, user, ports } = testApi();
    const { token } = await user("ada");
    await ports.clock.advance(599_000);
    expect((await call("GET", "/users/me", { token })).status).toBe(200);
    await ports.clock.advance(2_000);
    const { status, body, headers } = await call("GET", "/users/me", { token });
    expect([status, body.code]).toEqual([401, "token_expired"]);
    expect(body.detail).toBe("This access token has expired; refresh it or sign in again.");
    expect(headers["www-authenticate"]).toContain('error="invalid_token"');
  });

  test("exchange a refresh token once; its use half a minute later ends the session, and the error names it", async () => {
    const { call, user, ports } = testApi();
    const { token, refresh } = await user("ada");
    const exchange = (refresh_token: string) => call("POST", "/sessions/refresh", { body: { refresh_token } });
    const first = await exchange(refresh);
    expect(first.status).toBe(200);
    expect((await call("GET", "/users/me", { token: first.body.access_token })).status).toBe(200);
    await ports.clock.advance(30_000);
    const late = await exchange(refresh);
    expect(late.body).toMatchObject({
      code: "invalid_token",
      title: "The token is not valid",
      detail: "The refresh token is not valid, or no longer valid; sign in again.",
    });
    expect((await exchange(first.body.refresh_token)).body.code).toBe("invalid_token");
    expect((await call("GET", "/users/me", { token })).body.code).toBe("invalid_token");
  });

  test("end when any used refresh token comes back, however old", async () => {
    const { call, user } = testApi();
    const { refresh } = await user("ada");
    const exchange = async (refresh_token: string) =>
      (await call("POST", "/sessions/refresh", { body: { refresh_token } })).body;
    const second = await exchange(refresh);
    const third = await exchange(second.refresh_token);
    expect((await exchange(refresh)).code).toBe("invalid_token");
    expect((await call("GET", "/users/me", { token: third.access_token })).body.code).toBe("invalid_token");
    expect((await exchange("prt_forged")).code).toBe("invalid_token");
  });

  test("give two exchanges of one token at the same moment the same successor and an access token each", async () => {
    const { call, user, ports } = testApi();
    const { refresh } = await user("ada");
    const body = { refresh_token: refresh };
    const both = await Promise.all([1, 2].map(() => call("POST", "/sessions/refresh", { body })));
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(both.map(({ body: { refresh_token } }) => refresh_token)).size).toBe(1);
    for (const {
      body: { access_token: token },
    } of both) {
      expect((await call("GET", "/users/me", { token })).status).toBe(200);
    }
    expect(await ports.storage.audit.list({ action: "sessions.reuse-detected", limit: 9 })).toEqual([]);
  });

  test("end when they are not refreshed for long", async () => {
    const { call, user, ports } = testApi();
    const { refresh } = await user("ada");
    await ports.clock.advance(30 * 24 * 3600_000);
    expect((await call("POST", "/sessions/refresh", { body: { refresh_token: refresh } })).status).toBe(401);
  });

  test("are listed and ended by their owner only", async () => {
    const { call, user } = testApi();
    const ada = await user("ada");
    const bob = await user("bob");
    const listed = (await call("GET", "/sessions", { token: ada.token })).body.data;
    expect(listed).toHaveLength(1);
    expect(JSON.stringify(listed)).not.toContain("digest");
    expect((await call("DELETE", `/sessions/${listed[0].id}`, { token: bob.token })).status).toBe(404);
    expect((await call("DELETE", "/sessions/current", { token: ada.token })).status).toBe(204);
    expect((await call("GET", "/users/me", { token: ada.token })).body.code).toBe("invalid_token");
  });

  test("all end with a change of password", async () => {
    const { call, user } = testApi();
    const { id, token, refresh } = await user("ada");
    const change = (body: object) => call("PUT", `/users/${id}/password`, { token, body });
    expect((await change({ new_password: "another horse battery" })).body.errors[0].pointer).toBe("/current_password");
    expect((await change({ current_password: "wrong", new_password: "another horse battery" })).status).toBe(401);
    expect((await change({ current_password: password, new_password: "another horse battery" })).status).toBe(204);
    expect((await call("GET", "/users/me", { token })).status).toBe(401);
    expect((await call("POST", "/sessions/refresh", { body: { refresh_token: refresh } })).status).toBe(401);
    const signIn = (secret: string) =>
      call("POST", "/sessions", { body: { email: "ada@example.com", password: secret } });
    expect((await signIn(password)).status).toBe(401);
    expect((await signIn("another horse battery")).status).toBe(201);
  });

  test("change the password once for two callers who know the old one", async () => {
    const { call, user } = testApi();
    const { id, token } = await user("ada");
    const passwords = ["another horse battery", "a third horse battery"];
    const change = (new_password: string) =>
      call("PUT", `/users/${id}/password`, { token, body: { current_password: password, new_password } });
    const changed = await Promise.all(passwords.map(change));
    expect(changed.map(({ status }) => status).toSorted()).toEqual([204, 401]);
    const good = changed.findIndex(({ status }) => status === 204);
    const signedIn = await Promise.all(
      passwords.map((secret) => call("POST", "/sessions", { body: { email: "ada@example.com", password: secret } })),
    );
    expect(signedIn.map(({ status }) => status)).toEqual(good === 0 ? [201, 401] : [401, 201]);
  });

  test("renew a hash that was made with older parameters, and no other", async () => {
    const { call, user, ports } = testApi();
    const { id } = await user("ada");
    const hash = async () => (await ports.storage.resources.find(users, id, allRows("test"), ["password"]))?.password;
    const signIn = () => call("POST", "/sessions", { body: { email: "ada@example.com", password } });
    const first = await hash();
    expect((await signIn()).status).toBe(201);
    expect(await hash()).toBe(first);
    ports.passwordHasher.isOutdated = (stored) => stored === first;
    expect((await signIn()).status).toBe(201);
    const renewed = await hash();
    expect(renewed).not.toBe(first);
    expect((await signIn()).status).toBe(201);
    expect(await hash()).toBe(renewed);
  });

  test("refuse a token that nobody issued", async () => {
    const { call } = testApi();
    expect((await call("GET", "/users/me", { token: "forged" })).body).toMatchObject({
      code: "invalid_token",
      detail: "This access token is not valid; sign in again.",
    });
  });
});
