import { tieredRateLimits } from "@postern/core/internal";
import { memoryRateLimitStore } from "@postern/core/memory";
import type { RateLimitStore } from "@postern/core/ports";
import { defaultLimits, type RateLimitPolicy } from "@postern/rest";
import { parseList } from "structured-headers";
import { describe, expect, test } from "vitest";
import { testApi } from "../api.ts";

const small = (policy: RateLimitPolicy, limit: number) => ({
  settings: { limits: { ...defaultLimits, [policy]: { limit, windowMs: 60_000 } } },
});
const password = "correct horse battery";

/** A structured list of strings with parameters, as an object. */
const read = (header: string | undefined): Record<string, Record<string, unknown>> =>
  Object.fromEntries(
    parseList(header ?? "").map(([name, parameters]) => [String(name), Object.fromEntries(parameters)]),
  );

const signIn = (api: ReturnType<typeof testApi>, secret = password, address = "192.0.2.1", name = "ada") =>
  api.call("POST", "/sessions", { body: { email: `${name}@example.com`, password: secret }, address });

describe("every answer", () => {
  test("says in structured fields which limits it counted for and what is left of them", async () => {
    const { call, user } = testApi(small("default", 10));
    const { token } = await user("ada");
    const { headers } = await call("GET", "/users/me", { token });
    expect(read(headers["ratelimit-policy"])).toEqual({ default: { q: 10, w: 60 } });
    expect(read(headers.ratelimit)).toMatchObject({ default: { r: 9, t: 6 } });
    expect(read((await call("GET", "/users/me", { token })).headers.ratelimit)).toMatchObject({
      default: { r: 8, t: 12 },
    });
  });

  test("does so when it is an error, too", async () => {
    const { call, user } = testApi();
    const { token } = await user("ada");
    for (const [target, options, policies] of [
      ["/users/me", {}, ["address"]],
      ["/users/me", { token: "forged" }, ["address"]],
      ["/admin/audit", { token }, ["default"]],
      ["/posts/1", { token }, ["default"]],
    ] as const) {
      const { status, headers } = await call("GET", target, options);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(Object.keys(read(headers.ratelimit))).toEqual(policies);
    }
  });

  test("is without them where limits are off", async () => {
    const { call } = testApi({ settings: { rateLimits: "off" } });
    expect((await call("GET", "/")).headers).not.toHaveProperty("ratelimit");
  });
});

describe("a caller with nothing left", () => {
  test("is refused with the standard problem and the time to wait, and served again after it", async () => {
    const { call, user, ports } = testApi(small("default", 2));
    const { token } = await user("ada");
    const bob = await user("bob");
    const me = () => call("GET", "/users/me", { token });
    expect([(await me()).status, (await me()).status]).toEqual([200, 200]);
    const { status, headers, body } = await me();
    expect([status, body.code, headers["retry-after"]]).toEqual([429, "rate_limited", "30"]);
    expect(body.type).toBe("https://iana.org/assignments/http-problem-types#quota-exceeded");
    expect(body["violated-policies"]).toEqual(["default"]);
    expect(read(headers.ratelimit)).toMatchObject({ default: { r: 0, t: 60 } });
    expect((await call("GET", "/users/me", { token: bob.token })).status).toBe(200);
    await ports.clock.advance(30_000);
    expect((await me()).status).toBe(200);
  });

  test("is known by address where there is no credential, forged ones included", async () => {
    const { call } = testApi(small("address", 2));
    const get = (address: string, token?: string) => call("GET", "/users/me", { address, ...(token && { token }) });
    expect([(await get("192.0.2.1")).status, (await get("192.0.2.1", "forged")).status]).toEqual([401, 401]);
    expect((await get("192.0.2.1", "another")).status).toBe(429);
    expect((await get("192.0.2.2")).status).toBe(401);
  });

  test("is not the address of users with valid credentials, whose requests count for them alone", async () => {
    const { call, user } = testApi(small("address", 10));
    const tokens = [(await user("ada")).token, (await user("bob")).token];
    for (let n = 0; n < 20; n += 1) {
      for (const token of tokens) expect((await call("GET", "/users/me", { token })).status).toBe(200);
    }
    // They took nothing of what strangers at the address may do, and lose nothing by what those do.
    const strangers = await Promise.all(
      Array.from({ length: 20 }, () => call("GET", "/users/me", { token: "forged" })),
    );
    expect(strangers.filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(5);
    expect(strangers.at(-1)?.status).toBe(429);
    for (const token of tokens) expect((await call("GET", "/users/me", { token })).status).toBe(200);
  });

  test("gets its use back for a read that found nothing new", async () => {
    const { call, user } = testApi(small("default", 3));
    const { token } = await user("ada");
    const { etag = "" } = (await call("GET", "/users/me", { token })).headers;
    for (let n = 0; n < 10; n += 1) {
      expect((await call("GET", "/users/me", { token, headers: { "if-none-match": etag } })).status).toBe(304);
    }
    expect((await call("GET", "/users/me", { token })).status).toBe(200);
  });
});

describe("guessing a password", () => {
  test("is limited by address, whatever the account", async () => {
    const api = testApi(small("sign-in", 3));
    for (let n = 0; n < 3; n += 1) expect((await signIn(api, "wrong", "192.0.2.1", `u${n}`)).status).toBe(401);
    const refused = await signIn(api, "wrong", "192.0.2.1", "u9");
    expect([refused.status, refused.body["violated-policies"]]).toEqual([429, ["sign-in"]]);
    expect((await signIn(api, "wrong", "192.0.2.2", "u9")).status).toBe(401);
  });

  test("is limited by network where an address has many neighbours of its own", async () => {
    const api = testApi(small("sign-in", 3));
    const guess = (host: number) => signIn(api, "wrong", `2001:db8:0:1::${host}`, `u${host}`);
    for (let n = 1; n <= 3; n += 1) expect((await guess(n)).status).toBe(401);
    expect((await guess(4)).status).toBe(429);
    expect((await signIn(api, "wrong", "2001:db8:0:2::1", "u5")).status).toBe(401);
  });

  test("of one account is limited by network, too", async () => {
    const api = testApi();
    const guess = (host: number) => signIn(api, "wrong", `2001:db8::${host}`);
    for (let n = 1; n <= 5; n += 1) expect((await guess(n)).headers["retry-after"]).toBeUndefined();
    expect((await guess(6)).headers["retry-after"]).toBe("12");
  });

  test("of one account from one address takes longer and longer, and looks like a wrong password", async () => {
    const api = testApi(small("sign-in", 1_000));
    await api.user("ada");
    const waits = new Set<number>();
    let tries = 0;
    for (let hours = 0; hours < 24; ) {
      const reply = await signIn(api, "wrong password", "198.51.100.1");
      expect([reply.status, reply.body.code, reply.body["violated-policies"]]).toEqual([
        401,
        "invalid_credentials",
        undefined,
      ]);
      const wait = Number(reply.headers["retry-after"] ?? 0);
      if (wait === 0) tries += 1;
      else waits.add(wait);
      await api.ports.clock.advance(wait * 1_000);
      hours += wait / 3600;
    }
    const [first = 0, ...later] = [...waits];
    expect(first).toBe(12);
    expect(Math.max(...later)).toBeGreaterThan(1_000);
    // A day of it, with 5 tries at once and the right pauses.
    expect(tries).toBeLessThan(130);
    expect((await signIn(api, password, "198.51.100.2")).status).toBe(201);
  });

  test("is limited by account over all addresses, tells the operator once, and does not lock the owner out", async () => {
    const api = testApi();
    await api.user("ada");
    const guess = (n: number) => signIn(api, "wrong password", `198.51.100.${n}`);
    for (let n = 0; n < 20; n += 1) expect((await guess(n)).headers["retry-after"]).toBeUndefined();
    expect(api.ports.alerts.raised).toEqual([]);
    for (let n = 0; n < 3; n += 1) expect((await guess(99)).headers["retry-after"]).toBeUndefined();
    const refused = await guess(99);
    expect([refused.status, refused.body.code]).toEqual([401, "invalid_credentials"]);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(30);
    expect(api.ports.alerts.raised.map(({ kind }) => kind)).toEqual(["sign-in.attack"]);
    expect((await signIn(api)).status).toBe(201);
    // From an address that takes part in the attack even the right password waits.
    expect((await signIn(api, password, "198.51.100.99")).status).toBe(401);
    await api.ports.clock.advance(15 * 60_000);
    expect((await signIn(api, password, "198.51.100.99")).status).toBe(201);
  });

  test("has one entry in the audit log for all tries of 15 minutes that came too soon", async () => {
    const api = testApi(small("sign-in", 1_000));
    const ada = await api.user("ada");
    const refusals = async () =>
      (await api.ports.storage.audit.list({ action: "sessions.create", limit: 99 })).filter(
        ({ result }) => result === "rate_limited",
      );
    for (let n = 0; n < 5; n += 1) await signIn(api, "wrong password", "198.51.100.1");
    expect(await refusals()).toEqual([]);
    for (let n = 0; n < 40; n += 1) {
      await signIn(api, "wrong password", `198.51.100.${1 + (n % 2)}`);
      await signIn(api, "wrong password", "198.51.100.1", "nobody");
    }
    // Of an account that is not there, the entry names none.
    expect(
      (await refusals()).map(({ actor, resource, resourceId, address }) => [actor.kind, resource, resourceId, address]),
    ).toEqual([
      ["anonymous", undefined, undefined, "198.51.100.1"],
      ["anonymous", "user", ada.id, "198.51.100.1"],
    ]);
    await api.ports.clock.advance(15 * 60_000);
    for (let n = 0; n < 40; n += 1) await signIn(api, "wrong password", "198.51.100.1");
    expect(await refusals()).toHaveLength(3);
  });

  test("counts for unknown accounts as for known ones", async () => {
    const api = testApi();
    await api.user("ada");
    const statuses = async (name: string, address: string) => {
      const seen: unknown[] = [];
      for (let n = 0; n < 8; n += 1) {
        const { status, body, headers } = await signIn(api, "wrong password", address, name);
        seen.push([status, body, headers["retry-after"]]);
      }
      return seen;
    };
    expect(await statuses("nobody", "198.51.100.1")).toEqual(await statuses("ADA", "198.51.100.2"));
  });

  test("does not count when it was right, however often", async () => {
    const api = testApi(small("sign-in", 100));
    await api.user("ada");
    for (let n = 0; n < 30; n += 1) expect((await signIn(api)).status).toBe(201);
  });

  test("through the change of it is limited alike", async () => {
    const api = testApi();
    const { token } = await api.user("ada");
    const change = () =>
      api.call("PUT", "/users/me/password", {
        token,
        body: { current_password: "wrong password", new_password: "another horse battery" },
      });
    for (let n = 0; n < 5; n += 1) expect((await change()).headers["retry-after"]).toBeUndefined();
    const { status, headers } = await change();
    expect([status, headers["retry-after"]]).toEqual([401, "12"]);
  });
});

describe("when the state of the limits cannot be had", () => {
  const broken: RateLimitStore = {
    take: () => Promise.reject(new Error("no")),
    giveBack: () => Promise.reject(new Error("no")),
    takeEach: () => Promise.reject(new Error("no")),
    giveBackEach: () => Promise.reject(new Error("no")),
    forgetFree: () => Promise.reject(new Error("no")),
  };

  test("everything goes on but what guesses passwords", async () => {
    const api = testApi();
    const { token } = await api.user("ada");
    Object.assign(api.ports.rateLimits, broken);
    expect((await api.call("GET", "/users/me", { token })).status).toBe(200);
    for (const reply of [
      await signIn(api),
      await api.call("POST", "/users", { body: { name: "B", email: "b@example.com", password } }),
      await api.call("PUT", "/users/me/password", {
        token,
        body: { current_password: password, new_password: "another horse battery" },
      }),
    ]) {
      expect([reply.status, reply.headers["retry-after"]]).toEqual([503, "1"]);
    }
  });
});

test("several nodes share what must hold over all of them, and keep the rest to themselves", async () => {
  const shared = memoryRateLimitStore();
  const nodes = [1, 2].map(() => tieredRateLimits({ shared, own: memoryRateLimitStore() }));
  const uses = async (exact: boolean): Promise<number> => {
    const request = { key: `${exact}`, limit: 2, windowMs: 1000, now: 0, exact };
    const decisions = await Promise.all([...nodes, ...nodes].map((node) => node.take(request)));
    return decisions.filter(({ allowed }) => allowed).length;
  };
  expect([await uses(true), await uses(false)]).toEqual([2, 4]);
  await nodes[0]?.giveBack({ key: "true", limit: 2, windowMs: 1000, now: 0, exact: true });
  expect((await nodes[1]?.take({ key: "true", limit: 2, windowMs: 1000, now: 0, exact: true }))?.allowed).toBe(true);
});

test("several nodes take a use of each limit or of none, in the shared store and in their own", async () => {
  const nodes = tieredRateLimits({ shared: memoryRateLimitStore(), own: memoryRateLimitStore() });
  const use = (key: string, limit = 2) => ({ key, limit, windowMs: 1000, now: 0, exact: key.startsWith("shared") });
  const allowed = async (...requests: ReturnType<typeof use>[]) =>
    (await nodes.takeEach(requests)).map((decision) => decision.allowed);
  const last = use("shared last", 1);
  expect(await allowed(use("shared"), use("own"), last)).toEqual([true, true, true]);
  expect(await allowed(use("shared"), use("own"), last)).toEqual([true, true, false]);
  expect((await nodes.take(use("shared"))).remaining).toBe(0);
  expect((await nodes.take(use("own"))).remaining).toBe(0);
  await nodes.giveBackEach([use("shared"), use("own"), last]);
  expect(await allowed(use("shared"), use("own"), last)).toEqual([true, true, true]);
});

test("operations below /admin are for the addresses that the server names, whatever the credential", async () => {
  const api = testApi({ settings: { mayAdminister: (address) => address === "192.0.2.1" } });
  const { token } = await api.admin();
  const from = (address: string, target: string) => api.call("GET", target, { token, address });
  expect((await from("192.0.2.1", "/admin/audit")).status).toBe(200);
  const refused = await from("192.0.2.2", "/admin/audit");
  expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
  expect((await from("192.0.2.2", "/users/me")).status).toBe(200);
  expect((await api.call("GET", "/admin/audit", { address: "192.0.2.2" })).status).toBe(401);
});
