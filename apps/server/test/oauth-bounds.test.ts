import { generateKeyPairSync, randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Nodes, openBrowser, startNodes } from "./oauth-nodes.ts";

const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const redirectUri = "https://app.example.com/back";
let nodes: Nodes;
let id: string;

beforeAll(async () => {
  const limits = { assertionSeconds: 60, assertionsPerClient: 10, stateCharacters: 64, foreignTokenCharacters: 1_024 };
  nodes = await startNodes("SQLite", { limits });
  const jwks = { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "ec" }] };
  const grantTypes = ["authorization_code", "client_credentials"];
  const client = { name: "app", user_id: nodes.ann, scopes: ["posts:read"], redirect_uris: [redirectUri], jwks };
  id = String((await nodes.run("admin.clients.create", { ...client, grant_types: grantTypes })).id);
}, 60_000);
afterAll(() => nodes.close());

const tokenFor = async (lifeSeconds: number, jti: string = randomUUID()) => {
  const exp = Math.floor(Date.now() / 1000) + lifeSeconds;
  const claims = { iss: id, sub: id, aud: nodes.issuer, jti, exp };
  const assertion = await new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "ec" }).sign(privateKey);
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: assertion,
  });
  const answer = await fetch(`${nodes.issuer}/oauth/token`, { method: "POST", body });
  return `${answer.status} ${((await answer.json()) as { error?: string }).error ?? "token"}`;
};

test("assertions are bounded by the configuration: their life, their length, and how many are remembered", async () => {
  expect(await tokenFor(120)).toBe("401 invalid_client");
  expect(await tokenFor(50, "j".repeat(900))).toBe("401 invalid_client");
  for (let used = 0; used < 10; used += 1) expect(await tokenFor(50)).toBe("200 token");
  expect(await tokenFor(50)).toBe("429 temporarily_unavailable");
});

test("the state of a request to authorize is bounded by the configuration", async () => {
  const browser = openBrowser(nodes);
  const authorize = async (state: string) => {
    const query = new URLSearchParams({
      response_type: "code",
      client_id: id,
      redirect_uri: redirectUri,
      scope: "posts:read",
      code_challenge: "c".repeat(43),
      code_challenge_method: "S256",
      state,
    });
    const { answer, location } = await browser.send(`${nodes.issuer}/oauth/authorize?${query}`);
    return [answer.status, new URL(location ?? redirectUri).searchParams.get("error")];
  };
  expect(await authorize("s".repeat(64))).toEqual([200, null]);
  expect(await authorize("s".repeat(65))).toEqual([303, "invalid_request"]);
});
