import type { Answer } from "@postern/core";
import { allRows } from "@postern/core";
import { limitsOf, type RootedRequest } from "@postern/rest";
import { expect, test } from "vitest";
import { exchangeCode, exchangeRefreshToken, type GrantTokens, makeGrant } from "../src/oauth/grants.ts";
import type { OAuthParts } from "../src/oauth/oauth-parts.ts";
import { challengeOf } from "../src/oauth/random-text.ts";
import { client as clients } from "../src/resources/client.ts";
import { defaultSettings } from "../src/settings.ts";
import { testApi } from "./api.ts";

const second = 1_000;
const day = 24 * 3600 * second;
const redirectUri = "https://app.example.com/back";
const verifier = "v".repeat(43);

const scene = async () => {
  const { call, ports, admin } = testApi({ settings: { rateLimits: "off" } });
  const root = await admin();
  const scopes = ["posts:read"];
  const body = { name: "c", user_id: root.id, scopes, redirect_uris: [redirectUri] };
  const { id } = (await call("POST", "/admin/clients", { token: root.token, body })).body;
  const client = await ports.storage.resources.find(clients, id, allRows("test"));
  if (client === undefined) throw new Error("there is no client");
  // Only what grants use of them.
  const settings = { ...defaultSettings };
  const limitsFor = () => limitsOf(ports, settings)({});
  const parts = { ports, settings, limitsFor } as unknown as OAuthParts;
  const request = { id: "request-1", address: "192.0.2.1" } as RootedRequest;
  const challenge = await challengeOf(verifier);
  const answerWith = async (tokens: GrantTokens) => ({ status: 200, body: tokens });
  const tokensOf = async (answer: Promise<Answer>) => (await answer).body as GrantTokens;
  const newCode = () => makeGrant(parts, request, { userId: root.id, client, scopes, redirectUri, challenge });
  const exchange = (code: string) => {
    const form = new Map(Object.entries({ code, code_verifier: verifier, redirect_uri: redirectUri }));
    return tokensOf(exchangeCode(parts, request, { client, form, answerWith }));
  };
  const refresh = (token: string) =>
    tokensOf(exchangeRefreshToken(parts, request, { client, form: new Map([["refresh_token", token]]), answerWith }));
  return { ports, parts, newCode, exchange, refresh };
};

test("a grant beyond the bound ends the oldest", async () => {
  const { newCode, exchange, refresh } = await scene();
  const tokens: string[] = [];
  for (let n = 0; n < 50; n += 1) tokens.push((await exchange(await newCode())).refreshToken);
  await newCode();
  const left = await Promise.allSettled(tokens.map(refresh));
  expect(left.map(({ status }) => status)).toEqual(["rejected", ...Array(49).fill("fulfilled")]);
});

test("a code is good for less than a minute", async () => {
  const { ports, newCode, exchange } = await scene();
  const early = await newCode();
  await ports.clock.advance(59 * second);
  await expect(exchange(early)).resolves.toMatchObject({ scopes: ["posts:read"] });
  const late = await newCode();
  await ports.clock.advance(60 * second);
  await expect(exchange(late)).rejects.toMatchObject({ code: "invalid_grant" });
});

test("a grant ends 14 days after its last use, and 90 days after its beginning however often it is used", async () => {
  const { ports, newCode, exchange, refresh } = await scene();
  const unused = await exchange(await newCode());
  let { refreshToken } = await exchange(await newCode());
  for (let passed = 0; passed < 84; passed += 12) {
    await ports.clock.advance(12 * day);
    ({ refreshToken } = await refresh(refreshToken));
  }
  await expect(refresh(unused.refreshToken)).rejects.toMatchObject({ code: "invalid_grant" });
  await ports.clock.advance(5 * day);
  ({ refreshToken } = await refresh(refreshToken));
  await ports.clock.advance(1 * day);
  await expect(refresh(refreshToken)).rejects.toMatchObject({ code: "invalid_grant" });
});
