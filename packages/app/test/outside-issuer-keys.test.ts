import { createApp, defaultSettings, type OutsideIssuer } from "@postern/app";
import { memoryFetcher, memoryJwts, memoryPorts } from "@postern/core/memory";
import { describe, expect, test } from "vitest";
import { readPublishedKeys } from "../src/outside/published-keys.ts";
import { audience, issuer, json, scene } from "./outside-issuer-scene.ts";

const minute = 60_000;

describe("the keys of the outside issuer", () => {
  test("are asked for once, however many requests need them", async () => {
    const { me, token, asked } = scene();
    await Promise.all(Array.from({ length: 20 }, () => me(token())));
    expect(asked.keys).toBe(1);
  });

  test("are waited for by a part of all requests, of which each network has its share", async () => {
    const { call, token, published, jwts, clock, asked } = scene();
    const ask = async (given: string, address: string) =>
      (await call("GET", "/users/me", { token: given, address })).status;
    const unknown = token({}, { kid: "nobody-has-it" }, jwts.newKey("nobody-has-it"));
    const strangers = Array.from({ length: 8 }, (_, n) =>
      Array.from({ length: 50 }, () => ask(unknown, `192.0.2.${n + 1}`)),
    ).flat();
    const genuine = ask(token({}, {}, published.keys[0]), "198.51.100.1");
    const statuses = await Promise.all(strangers);
    expect(await genuine).toBe(200);
    // The others do not take up places for requests while the issuer is slow.
    const times = (wanted: number) => statuses.filter((status) => status === wanted).length;
    expect([times(401), times(503)]).toEqual([49, 351]);
    // All places are free again, and who has none is answered from the keys that are known.
    await clock.advance(2 * minute);
    const again = Array.from({ length: 60 }, () => ask(unknown, "192.0.2.1"));
    expect(new Set(await Promise.all(again))).toEqual(new Set([401]));
    expect(asked.keys).toBe(2);
  });

  test("are asked for once a minute at most, whatever strangers send; known keys go on", async () => {
    const { me, token, asked, clock } = scene();
    await me(token());
    await clock.advance(2 * minute);
    const junk = Array.from({ length: 50 }, (_, n) => me(token({}, { kid: `junk-${n}` })));
    const [genuine, ...refused] = await Promise.all([me(token()), ...junk]);
    expect(genuine.status).toBe(200);
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([401]));
    expect(asked.keys).toBe(2);
    await me(token({}, { kid: "junk" }));
    expect([(await me(token())).status, asked.keys]).toEqual([200, 2]);
  });

  test("are found when they are new, and end when they are withdrawn", async () => {
    const { me, token, published, jwts, clock } = scene();
    const old = published.keys[0] ?? {};
    expect((await me(token())).status).toBe(200);
    const next = jwts.newKey("second");
    published.keys = [next];
    await clock.advance(minute);
    expect((await me(token({}, {}, next))).status).toBe(200);
    expect((await me(token({}, {}, old))).status).toBe(401);
  });

  test("are read again by themselves after ten minutes, without making a request wait", async () => {
    const { me, token, published, jwts, clock, asked } = scene();
    const old = published.keys[0] ?? {};
    await me(token());
    published.keys = [jwts.newKey("second")];
    await clock.advance(10 * minute);
    expect((await me(token({}, {}, old))).status).toBe(200);
    expect(asked.keys).toBe(2);
    expect((await me(token({}, {}, old))).status).toBe(401);
  });

  test("go on for a day while the issuer does not answer; then its tokens are answered 503", async () => {
    const { me, token, published, clock, asked } = scene();
    expect((await me(token())).status).toBe(200);
    published.up = false;
    for (const hours of [2, 20]) {
      await clock.advance(hours * 60 * minute);
      expect((await me(token())).status).toBe(200);
    }
    await clock.advance(3 * 60 * minute);
    const refused = await me(token());
    expect([refused.status, refused.body.code, refused.headers["retry-after"]]).toEqual([503, "unavailable", "5"]);
    expect(asked.keys).toBe(1);
    published.up = true;
    await clock.advance(minute);
    expect((await me(token())).status).toBe(200);
  });

  test("that cannot be read at first are asked for again after five seconds", async () => {
    const { me, token, published, clock, user: make, call } = scene();
    published.up = false;
    expect((await me(token())).status).toBe(503);
    published.up = true;
    expect((await me(token())).status).toBe(503);
    await clock.advance(5_000);
    expect((await me(token())).status).toBe(200);
    const own = await make("ann");
    expect((await call("GET", "/users/me", { token: own.token })).status).toBe(200);
  });

  test.each<readonly [string, object, RegExp]>([
    ["of another issuer", { issuer: `${issuer}/`, jwks_uri: `${issuer}/keys` }, /not https/],
    ["without an issuer", { jwks_uri: `${issuer}/keys` }, /undefined/],
    ["without keys", { issuer }, /jwks_uri/],
    ["with keys over plain HTTP", { issuer, jwks_uri: "http://id.example.com/keys" }, /https URL/],
    ["with keys in a file", { issuer, jwks_uri: "file:///etc/passwd" }, /https URL/],
    ["that is a list", [] as object, /issuer undefined/],
  ])("are not taken from a document %s", async (_what, found, said) => {
    const fetcher = memoryFetcher({ [`${issuer}/.well-known/openid-configuration`]: () => json(found) });
    await expect(readPublishedKeys({ fetcher, jwtVerifier: memoryJwts() }, { issuer })).rejects.toThrow(said);
  });

  test("on another host must have a public address; those of the issuer's own host need not", async () => {
    const jwtVerifier = memoryJwts();
    for (const [url, isOwn] of [
      [`${issuer}/keys`, true],
      ["https://keys.example.net/", false],
    ] as const) {
      const fetcher = memoryFetcher({
        [`${issuer}/.well-known/openid-configuration`]: () => json({ issuer, jwks_uri: url }),
        [url]: () => json({ keys: [jwtVerifier.newKey("k"), { kty: "oct", k: "x" }, null, "x"] }),
      });
      expect(await readPublishedKeys({ fetcher, jwtVerifier }, { issuer })).toEqual([jwtVerifier.newKey("k")]);
      expect(fetcher.requests.map(({ allowPrivate }) => allowPrivate)).toEqual([true, isOwn]);
    }
  });
});

test.each<readonly [string, string, string, string]>([
  ["the document names both by the public URL", issuer, `${issuer}/keys`, "http://keycloak:8080/realm/keys"],
  [
    "the document names both by the internal URL",
    "http://keycloak:8080/realm",
    "http://keycloak:8080/k",
    "http://keycloak:8080/k",
  ],
  ["the keys are beside the issuer", issuer, "https://id.example.com/v1/keys", "http://keycloak:8080/v1/keys"],
])("keys of an issuer with another address here are read there: %s", async (_what, named, uri, asked) => {
  const jwtVerifier = memoryJwts();
  const internalUrl = "http://keycloak:8080/realm";
  const fetcher = memoryFetcher({
    [`${internalUrl}/.well-known/openid-configuration`]: () => json({ issuer: named, jwks_uri: uri }),
    [asked]: () => json({ keys: [jwtVerifier.newKey("k")] }),
  });
  expect(await readPublishedKeys({ fetcher, jwtVerifier }, { issuer, internalUrl })).toHaveLength(1);
  expect(fetcher.requests.every(({ allowPrivate }) => allowPrivate === true)).toBe(true);
  const other = memoryFetcher({
    [`${internalUrl}/.well-known/openid-configuration`]: () => json({ issuer: "https://other.example", jwks_uri: uri }),
  });
  const refused = readPublishedKeys({ fetcher: other, jwtVerifier }, { issuer, internalUrl });
  await expect(refused).rejects.toThrow("outsideIssuer.internalUrl");
});

test.each<readonly [string, Partial<OutsideIssuer>, RegExp]>([
  ["an internal URL that is none", { internalUrl: "keycloak:8080" }, /internalUrl/],
  ["no audiences", { audience: [] }, /audience/],
  ["plain HTTP", { issuer: "http://id.example.com" }, /https/],
  ["a query", { issuer: "https://id.example.com?x" }, /https/],
  ["no audience", { audience: "" }, /audience/],
  ["an empty role claim", { roleClaim: "" }, /roleClaim/],
  ["a list without claims", { scopeClaims: [] }, /scopeClaims/],
  ["too many claims", { scopeClaims: Array.from({ length: 11 }, (_, n) => `claim-${n}`) }, /scopeClaims/],
  ["an empty value", { fullAccess: [""] }, /fullAccess/],
  ["an empty prefix", { scopePrefix: "" }, /scopePrefix/],
  ["another rule for scopes", { scopes: "strict" as "required" }, /scopes/],
  ["a domain with a port", { trustAddresses: ["example.com:80"] }, /trustAddresses/],
  ["a domain with an @", { trustAddresses: ["a@b.example"] }, /trustAddresses/],
  ["a star among domains", { trustAddresses: ["example.com", "*"] }, /trustAddresses/],
  ["a path as a domain", { trustAddresses: ["example.com/x"] }, /trustAddresses/],
  ["an IP address as a domain", { trustAddresses: ["127.0.0.1"] }, /trustAddresses/],
  ["other accounts", { accounts: "sub" as "subject" }, /accounts/],
  ["all tenants", { issuer: "https://login.microsoftonline.com/common/v2.0" }, /all tenants/],
  ["all organizations", { issuer: "https://login.microsoftonline.us/organizations/v2.0" }, /all tenants/],
  ["a template of tenants", { issuer: "https://login.microsoftonline.com/{tenantid}/v2.0" }, /all tenants/],
  ["all tenants of the older kind", { issuer: "https://sts.windows.net/common/" }, /all tenants/],
  ["a setting that does not exist", { scopeClaim: "scp" } as object, /scopeClaims/],
  ["this server itself", { issuer: "https://api.example.com" }, /itself/],
])("an outside issuer with %s is refused at the start", (_what, given, said) => {
  const outsideIssuer = { issuer, audience, ...given };
  const settings = { ...defaultSettings, issuer: "https://api.example.com", outsideIssuer };
  expect(() => createApp({ ports: memoryPorts(), settings })).toThrow(said);
  expect(() =>
    createApp({ ports: memoryPorts(), settings: { outsideIssuer: { issuer, audience } }, parts: [] }),
  ).toThrow(/users/);
});

test("one tenant, and a realm that is only named like all of them, are taken", () => {
  for (const one of [
    "https://login.microsoftonline.com/commonwealth.example.com/v2.0",
    "https://login.microsoftonline.com/8d3c0f0a-3b0f-4a55-9a6c-1f3c5d0b7a11/v2.0",
    "https://id.example.com/realms/common",
  ]) {
    expect(() =>
      createApp({ ports: memoryPorts(), settings: { outsideIssuer: { issuer: one, audience } } }),
    ).not.toThrow();
  }
});

test("the issuer is asked once a minute, and a hundred of its keys are kept", async () => {
  const { me, token, published, asked, clock, jwts } = scene();
  expect((await me(token())).status).toBe(200);
  published.keys = Array.from({ length: 101 }, (_, n) => jwts.newKey(`key-${n}`));
  const [first, last] = [published.keys[99], published.keys[100]];
  await clock.advance(59_999);
  expect((await me(token({}, {}, first))).status).toBe(401);
  expect(asked.keys).toBe(1);
  await clock.advance(1);
  expect((await me(token({}, {}, first))).status).toBe(200);
  expect(asked.keys).toBe(2);
  await clock.advance(60_000);
  expect((await me(token({}, {}, last))).status).toBe(401);
});
