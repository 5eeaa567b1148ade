import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Nodes, openBrowser, startNodes } from "./oauth-nodes.ts";

const redirectUri = "https://app.example.com/back";
const most = 3;
let nodes: Nodes;
let app: Record<string, string>;
let nightly: Record<string, string>;

beforeAll(async () => {
  const rates = { default: { limit: most, windowMs: 3_600_000 } };
  nodes = await startNodes("SQLite", { rateLimits: "on", limits: { rates } });
  const client = { user_id: nodes.ann, scopes: ["posts:read"] };
  app = await nodes.run("admin.clients.create", { ...client, name: "app", redirect_uris: [redirectUri] });
  const bob = await nodes.run("users.create", {
    name: "Bob",
    email: "bob@example.com",
    password: "correct horse battery",
  });
  nightly = await nodes.run("admin.clients.create", { ...client, name: "nightly", user_id: String(bob.id) });
}, 60_000);
afterAll(() => nodes.close());

const exchange = async ({ id = "", secret = "" }: Record<string, string>, form: Record<string, string>) => {
  const body = new URLSearchParams({ ...form, client_id: id, client_secret: secret });
  const answer = await fetch(`${nodes.issuer}/oauth/token`, { method: "POST", body });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
};

test("what a client does for a user counts for the rate of the user, and a refused token stays good", async () => {
  const browser = openBrowser(nodes);
  const verifier = randomBytes(32).toString("base64url");
  const query = new URLSearchParams({
    response_type: "code",
    client_id: app.id ?? "",
    redirect_uri: redirectUri,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  const link = `${nodes.issuer}/oauth/authorize?${query}`;
  // A code, its exchange and one refresh are the three uses of the hour.
  const code = (await browser.decide(link)).searchParams.get("code") ?? "";
  const form = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier };
  const { body: first } = await exchange(app, form);
  const refresh = (token = "") => exchange(app, { grant_type: "refresh_token", refresh_token: token });
  const { status, body: second } = await refresh(first.refresh_token);
  expect(status).toBe(200);
  for (let times = 0; times < 2; times += 1) {
    const refused = await refresh(second.refresh_token);
    expect([refused.status, refused.body.error]).toEqual([429, "temporarily_unavailable"]);
  }
  // The grant did not end, as it would if a token were used twice.
  const [grant] = await nodes.storage.audit.list({ action: "oauth.refresh-reuse-detected", limit: 1 });
  expect(grant).toBeUndefined();
  expect(String(await browser.decide(link))).toBe("error:429");
  expect(await nodes.status(second.access_token ?? "")).toBe(429);
});

test("what a client does for its own account counts for the rate of this account", async () => {
  const statuses: number[] = [];
  for (let times = 0; times < most + 1; times += 1) {
    statuses.push((await exchange(nightly, { grant_type: "client_credentials" })).status);
  }
  expect(statuses).toEqual([200, 200, 200, 429]);
});
