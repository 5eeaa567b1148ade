import { generateKeyPairSync, randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Nodes, openBrowser, startNodes } from "./oauth-nodes.ts";

const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const redirectUri = "https://app.example.com/back";
let nodes: Nodes;
let id: string;

beforeAll(async () => {
  nodes = await startNodes("SQLite");
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

test("assertions are bounded: their life, and how many of a client are remembered", { timeout: 60_000 }, async () => {
  expect(await tokenFor(340)).toBe("401 invalid_client");
  for (let used = 0; used < 1_000; used += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => tokenFor(290)));
    expect(new Set(answers)).toEqual(new Set(["200 token"]));
  }
  expect(await tokenFor(290)).toBe("429 temporarily_unavailable");
});

test("the state of a request to authorize is bounded", async () => {
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
  expect(await authorize("s".repeat(1_000))).toEqual([200, null]);
  expect(await authorize("s".repeat(1_001))).toEqual([303, "invalid_request"]);
});
