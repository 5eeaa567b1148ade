import { describe, expect, test } from "vitest";
import { testApi } from "./api.ts";

const password = "correct horse battery";
const minute = 60_000;
const day = 24 * 60 * minute;

const scene = async () => {
  const api = testApi({ settings: { rateLimits: "off" } });
  const ada = await api.user("ada");
  const { call } = api;
  const signIn = async (address = "192.0.2.1") =>
    (await call("POST", "/sessions", { body: { email: "ada@example.com", password }, address })).body;
  const refresh = async (refresh_token: string, address = "192.0.2.1") =>
    (await call("POST", "/sessions/refresh", { body: { refresh_token }, address })).body;
  const isLive = async (token: string) => (await call("GET", "/users/me", { token })).status === 200;
  return { ...api, ada, signIn, refresh, isLive };
};

describe("sessions", () => {
  test("last for 14 days without a refresh, and for 90 days with any number of them", async () => {
    const { ada, refresh, ports } = await scene();
    let { refresh: token } = ada;
    await ports.clock.advance(14 * day);
    expect((await refresh(token)).code).toBe("invalid_token");

    const second = await scene();
    token = second.ada.refresh;
    let days = 0;
    for (; days < 90; days += 10) {
      const next = await second.refresh(token);
      expect(next.refresh_token, `day ${days}`).toBeDefined();
      token = next.refresh_token;
      await second.ports.clock.advance(10 * day);
    }
    expect((await second.refresh(token)).code).toBe("invalid_token");
  });

  test("are twenty at most: one more ends the oldest", async () => {
    const { signIn, ada, isLive, ports, call } = await scene();
    const tokens = [ada.token];
    for (let made = 1; made < 20; made += 1) {
      await ports.clock.advance(1_000);
      tokens.push((await signIn()).access_token);
    }
    expect(await isLive(ada.token)).toBe(true);
    await ports.clock.advance(1_000);
    const last = (await signIn()).access_token;
    const [first = "", second = ""] = tokens;
    expect([await isLive(first), await isLive(second), await isLive(last)]).toEqual([false, true, true]);
    expect((await call("GET", "/sessions?limit=100", { token: last })).body.data).toHaveLength(20);
  });

  test("are twenty at most when many begin at once", async () => {
    const { signIn, call, ada } = await scene();
    await Promise.all(Array.from({ length: 22 }, () => signIn()));
    const token = (await signIn()).access_token;
    expect((await call("GET", "/sessions?limit=100", { token })).body.data).toHaveLength(20);
    expect(ada.token).toBeDefined();
  });

  test("are listed with where they were used last", async () => {
    const { call, ada, refresh } = await scene();
    const listed = async (token: string) => (await call("GET", "/sessions", { token })).body.data;
    expect(await listed(ada.token)).toMatchObject([{ address: "192.0.2.1", device: null }]);
    const next = await refresh(ada.refresh, "198.51.100.7");
    expect(await listed(next.access_token)).toMatchObject([{ address: "198.51.100.7" }]);
  });

  test("end all at once, or all but the one in use", async () => {
    const { call, ada, signIn, isLive, user } = await scene();
    const bob = await user("bob");
    const other = (await signIn()).access_token;
    expect((await call("DELETE", "/sessions?keep=current", { token: ada.token })).status).toBe(204);
    expect([await isLive(ada.token), await isLive(other)]).toEqual([true, false]);
    expect((await call("DELETE", "/sessions", { token: ada.token })).status).toBe(204);
    expect([await isLive(ada.token), await isLive(bob.token)]).toEqual([false, true]);
  });
});

describe("a change of the address to sign in with", () => {
  test("takes a recent sign-in of any caller", async () => {
    const { call, ada, signIn, ports } = await scene();
    const change = (token: string, body: object) => call("PATCH", "/users/me", { token, body });
    await ports.clock.advance(5 * minute + 1);
    const refused = await change(ada.token, { email: "countess@example.com" });
    expect([refused.status, refused.body.code]).toEqual([401, "sign_in_too_old"]);
    expect(refused.headers["www-authenticate"]).toContain('error="insufficient_user_authentication", max_age="300"');
    expect((await change(ada.token, { name: "Countess", email: "ada@example.com" })).status).toBe(200);
    const fresh = (await signIn()).access_token;
    const key = await call("POST", "/api-keys", { token: fresh, body: { name: "k", scopes: ["users:write"] } });
    expect((await change(key.body.key, { email: "countess@example.com" })).body.code).toBe("sign_in_too_old");
    expect((await change(fresh, { email: "countess@example.com" })).body.email).toBe("countess@example.com");
  });
});
