import { createHmac, createPublicKey } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { builtInResources } from "@postern/app";
import { decodeJwt, importJWK, type JWK, type JWTPayload, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { compose } from "../src/compose.ts";
import { readConfig } from "../src/config.ts";
import { ConfigError } from "../src/config-error.ts";
import { mysqlAnswers, postgresAnswers } from "./database-servers.ts";
import { type Nodes, type NodesOn, startNodes } from "./oauth-nodes.ts";
import { newKey, type People, startProvider } from "./outside-provider.ts";

const audience = "https://api.example.com";
const minute = 60_000;
const outsideIdentity = builtInResources.find(({ name }) => name === "outside_identity");
if (outsideIdentity === undefined) throw new Error("there are outside identities");

/** By how many milliseconds the monotonic clock is ahead. */
let turned = 0;
const monotonic = performance.now.bind(performance);

const suite = (kind: NodesOn) => {
  let nodes: Nodes;
  let provider: Awaited<ReturnType<typeof startProvider>>;
  let signing: JWK;
  let genuine: JWTPayload | undefined;
  const people: People = {
    eve: { email: "eve@example.com", email_verified: true, name: "Eve" },
    boss: { email: "boss@example.com", email_verified: true, groups: { here: ["staff", "admin"] } },
    doubtful: { email: "doubtful@example.com", email_verified: false },
    ann: { email: "ann@example.com", email_verified: true },
  };

  beforeAll(async () => {
    vi.spyOn(performance, "now").mockImplementation(() => monotonic() + turned);
    provider = await startProvider(people);
    signing = await newKey("first");
    provider.useKeys([signing]);
    nodes = await startNodes(kind, {
      variables: {
        POSTERN_OIDC_ISSUER: provider.issuer,
        POSTERN_OIDC_AUDIENCE: audience,
        POSTERN_OIDC_ROLE_CLAIM: "/groups/here",
        // The provider gives every token this scope.
        POSTERN_OIDC_FULL_ACCESS: "api",
        POSTERN_OIDC_TRUST_ADDRESSES: "trusted.example",
      },
    });
  }, 60_000);
  afterAll(async () => {
    await nodes.close();
    await provider.close();
    vi.restoreAllMocks();
  });

  const tokenOf = async (name: string, resource = audience): Promise<string> =>
    (await provider.signIn(name, resource)).access_token;

  const me = async (token: string, base = nodes.issuer) => {
    const answer = await fetch(`${base}/api/v2/users/me`, { headers: { authorization: `Bearer ${token}` } });
    const body = (await answer.json()) as Record<string, string>;
    return { status: answer.status, code: body.code, id: body.id, body };
  };

  /** A token like a genuine one, but changed or signed with another key. */
  const forged = async (changes: object, { key = signing, header = {} }: { key?: JWK; header?: object } = {}) => {
    genuine ??= decodeJwt(await tokenOf("eve"));
    const claims = genuine;
    return new SignJWT({ ...claims, ...changes })
      .setProtectedHeader({ alg: "RS256", kid: String(signing.kid), typ: "at+jwt", ...header })
      .sign(await importJWK(key, "RS256"));
  };

  test("a person of the provider gets an account on first use, the same one on both nodes", async () => {
    const token = await tokenOf("eve");
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => me(token, n % 2 === 0 ? nodes.issuer : nodes.other)),
    );
    expect(new Set(answers.map(({ status, id }) => `${status} ${id}`)).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({
      name: "Eve",
      email: "eve@example.com",
      verified_email: "eve@example.com",
    });
    const post = await fetch(`${nodes.other}/api/v2/users/me/posts`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ title: "T", body: "B" }),
    });
    expect(post.status).toBe(201);
    const list = await fetch(`${nodes.issuer}/api/v2/users/me/posts`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(((await list.json()) as { data: object[] }).data).toHaveLength(1);
  });

  test("own sign-ins also work, and each kind of token is recognised", async () => {
    const made = await fetch(`${nodes.issuer}/api/v2/sessions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: "ann@example.com", password: "correct horse battery" }),
    });
    const { access_token: own } = (await made.json()) as { access_token: string };
    expect((await me(own)).id).toBe(nodes.ann);
  });

  test("an account with the address is used only once both sides have verified it", async () => {
    const token = await tokenOf("ann");
    // The operator made Ann's account and vouches for her address.
    expect((await me(token, nodes.other)).id).toBe(nodes.ann);
    const signUp = { name: "D", email: "doubtful@example.com", password: "correct horse battery" };
    await fetch(`${nodes.issuer}/api/v2/users`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(signUp),
    });
    const refused = await me(await tokenOf("doubtful"));
    expect([refused.status, refused.code]).toEqual([409, "account_exists"]);
    people.doubtful = { email: "doubtful@example.com", email_verified: true };
    expect((await me(await tokenOf("doubtful"), nodes.other)).code).toBe("account_exists");
    people.stranger = { email: "stranger@example.com" };
    expect((await me(await tokenOf("stranger"))).code).toBe("address_unverified");
  });

  test("an address on trust goes to the person whose address is verified, once, whichever node they ask", async () => {
    const email = "victim@trusted.example";
    people.mallory = { email };
    people.victim = { email, email_verified: true };
    const [mallory, victim] = [await tokenOf("mallory"), await tokenOf("victim")];
    const first = await me(mallory);
    expect(first.body).toMatchObject({ email, verified_email: null });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => me(victim, n % 2 === 0 ? nodes.issuer : nodes.other)),
    );
    expect(new Set(answers.map(({ status, id }) => `${status} ${id}`)).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({ email, verified_email: email });
    expect(answers[0]?.id).not.toBe(first.id);
    expect((await me(mallory, nodes.other)).body).toMatchObject({ email: `${first.id}@displaced.invalid` });
    // Both at once, without an account before.
    const next = "next@trusted.example";
    people.early = { email: next };
    people.proved = { email: next, email_verified: true };
    const [early, proved] = [await tokenOf("early"), await tokenOf("proved")];
    await Promise.all([me(early), me(proved, nodes.other), me(early, nodes.other), me(proved)]);
    expect((await me(proved)).body).toMatchObject({ email: next, verified_email: next });
  });

  test("the role is that of the claim if the server knows it", async () => {
    expect(await nodes.status(await tokenOf("boss"), "/admin/audit")).toBe(200);
    expect(await nodes.status(await tokenOf("eve"), "/admin/audit")).toBe(403);
    people.boss = { ...people.boss, groups: { here: ["root"] } };
    expect(await nodes.status(await tokenOf("boss"), "/admin/audit", nodes.other)).toBe(403);
  });

  test("a token for another audience, and an ID token, are refused", async () => {
    expect((await me(await tokenOf("eve", "https://other.example.com"))).code).toBe("invalid_token");
    const { id_token } = await provider.signIn("eve", audience);
    expect((await me(id_token)).code).toBe("invalid_token");
  });

  test("a token that is not genuine is refused", async () => {
    const stranger = await newKey("first");
    const now = Math.floor(Date.now() / 1000);
    expect((await me(await forged({}))).status).toBe(200);
    const tries: readonly (readonly [Promise<string>, string])[] = [
      [forged({}, { key: stranger }), "invalid_token"],
      [forged({ iss: "https://other.example.com" }), "invalid_token"],
      [forged({ iss: `${provider.issuer}/` }), "invalid_token"],
      [forged({ exp: now - 1 }), "token_expired"],
      [forged({ exp: now - 1 }, { key: stranger }), "invalid_token"],
      [forged({ nbf: now + 3600 }), "invalid_token"],
      [forged({}, { header: { typ: "logout+jwt" } }), "invalid_token"],
      [forged({}, { header: { alg: "PS256" } }).catch(() => forged({}, { key: stranger })), "invalid_token"],
    ];
    for (const [token, code] of tries) expect((await me(await token)).code).toBe(code);
  });

  test("the algorithm none, and HS256 with the published key in any form, are refused", async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = part(decodeJwt(await tokenOf("boss")));
    const { keys } = (await (await fetch(`${provider.issuer}/jwks`)).json()) as { keys: JWK[] };
    const [published = {}] = keys;
    const pem = createPublicKey({ key: { ...published }, format: "jwk" }).export({ type: "spki", format: "pem" });
    for (const alg of ["none", "None"]) {
      for (const kid of [undefined, published.kid]) {
        expect((await me(`${part({ alg, kid })}.${claims}.`)).code).toBe("invalid_token");
      }
    }
    for (const secret of [pem, String(pem).trim(), JSON.stringify(published), String(published.n)]) {
      const signed = `${part({ alg: "HS256", kid: published.kid, typ: "at+jwt" })}.${claims}`;
      const proof = createHmac("sha256", secret).update(signed).digest("base64url");
      expect((await me(`${signed}.${proof}`)).code).toBe("invalid_token");
    }
  });

  test("when keys rotate, the new one is found, the withdrawn one ends, and junk makes no genuine token fail", async () => {
    const before = await tokenOf("eve");
    const second = await newKey("second", "ES256");
    provider.useKeys([second, signing]);
    const after = await tokenOf("eve");
    turned += minute;
    const asked = provider.asked();
    const junk = await Promise.all(
      Array.from({ length: 40 }, async (_, n) => forged({}, { header: { kid: `junk-${n}` } })),
    );
    const answers = await Promise.all([...junk, after, before].map((token) => me(token)));
    expect(answers.slice(-2).map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(answers.slice(0, -2).map(({ status }) => status))).toEqual(new Set([401]));
    expect(provider.asked() - asked).toBe(1);
    // Within the minute strangers cause no more look-ups, and genuine tokens still work.
    await me(junk[0] ?? "");
    expect([(await me(after)).status, provider.asked() - asked]).toEqual([200, 1]);
    provider.useKeys([second]);
    turned += minute;
    await me(junk[1] ?? "");
    expect([(await me(after)).status, (await me(before)).status]).toEqual([200, 401]);
    signing = second;
  });

  test("known keys still work while the provider does not answer", async () => {
    const token = await tokenOf("eve");
    turned += minute;
    expect((await me(token, nodes.other)).status).toBe(200);
    provider.stopAnswering();
    turned += 2 * 60 * minute;
    const answers = await Promise.all([me(token), me(token, nodes.other)]);
    provider.answerAgain();
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  test("a link is listed and ended by its user, for every node, and not if it is the only way to sign in", async () => {
    const send = (method: string, path: string, token: string, base = nodes.issuer) =>
      fetch(`${base}/api/v2/users/me/outside-identities${path}`, {
        method,
        headers: { authorization: `Bearer ${token}` },
      });
    const linksOf = async (token: string) =>
      ((await (await send("GET", "", token)).json()) as { data: Record<string, string>[] }).data;
    const signIn = async (password: string) => {
      const made = await fetch(`${nodes.issuer}/api/v2/sessions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email: "linked@example.com", password }),
      });
      return { status: made.status, token: ((await made.json()) as Record<string, string>).access_token ?? "" };
    };
    people.linked = { email: "linked@example.com", email_verified: true };
    const outside = await tokenOf("linked");
    const { id = "" } = await me(outside);
    const [link] = await linksOf(outside);
    expect(link).toMatchObject({ user_id: id, issuer: provider.issuer, subject: "linked", state: "linked" });
    const only = { id, identityId: String(link?.id) };
    await expect(nodes.run("outside-identities.delete", {}, only)).rejects.toMatchObject({ code: "state_conflict" });
    expect((await signIn("none")).status).toBe(401);

    await nodes.run("users.change-password", { new_password: "nine loud violet kettles" }, { id });
    const { token } = await signIn("nine loud violet kettles");
    expect((await send("DELETE", `/${link?.id}`, outside)).status).toBe(403);
    const answers = await Promise.all([
      send("DELETE", `/${link?.id}`, token),
      send("DELETE", `/${link?.id}`, token, nodes.other),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    for (const base of [nodes.issuer, nodes.other]) expect((await me(outside, base)).status).toBe(403);
    expect(await linksOf(token)).toMatchObject([{ id: link?.id, state: "ended" }]);
    expect((await send("DELETE", `/${link?.id}?relink=allowed`, token)).status).toBe(204);
    expect((await me(outside, nodes.other)).id).toBe(id);
  });

  test("an account keeps its last way to sign in, however many are ended at the same moment", async () => {
    people.many = { email: "many@example.com", email_verified: true };
    const { id = "" } = await me(await tokenOf("many"));
    const administrator = { name: "Root", email: "root@example.com", password: "nine loud violet kettles" };
    await nodes.run("users.create", { ...administrator, role: "admin" });
    const sign = { email: administrator.email, password: administrator.password };
    const made = await fetch(`${nodes.issuer}/api/v2/sessions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(sign),
    });
    const { access_token: token = "" } = (await made.json()) as Record<string, string>;
    const send = (method: string, path: string, base: string) =>
      fetch(`${base}/api/v2/users/${id}/outside-identities${path}`, {
        method,
        headers: { authorization: `Bearer ${token}` },
      });
    const linked = async () => {
      const { data } = (await (await send("GET", "?limit=100", nodes.issuer)).json()) as {
        data: Record<string, string>[];
      };
      return data.filter(({ state }) => state === "linked");
    };
    for (let round = 0; round < 12; round += 1) {
      const now = new Date().toISOString();
      await nodes.storage.transaction(async ({ resources }) => {
        for (const n of [1, 2, 3]) {
          const own = {
            issuer: provider.issuer,
            subject: `many ${round} ${n}`,
            identity: `${round}-${n}`,
            client_id: null,
          };
          const uuid = `01900000-0000-7000-8000-${`${round}${n}`.padStart(12, "0")}`;
          const row = { id: uuid, user_id: id, ...own, state: "linked" };
          await resources.insert(outsideIdentity, { ...row, created_at: now, updated_at: now });
        }
      });
      const links = await linked();
      const query = round % 2 === 0 ? "" : "?relink=allowed";
      const answers = await Promise.all(
        links.map((link, n) => send("DELETE", `/${link.id}${query}`, n % 2 === 0 ? nodes.issuer : nodes.other)),
      );
      const statuses = answers.map(({ status }) => status).toSorted();
      expect(statuses).toEqual([...Array<number>(links.length - 1).fill(204), 409]);
      expect(await linked()).toHaveLength(1);
    }
  });

  test("a deleted account is refused with the next request, on every node", async () => {
    people.short = { email: "short@example.com", email_verified: true };
    const token = await tokenOf("short");
    const { id = "" } = await me(token);
    await nodes.run("users.delete", {}, { id });
    expect((await me(token, nodes.other)).id).not.toBe(id);
  });
};

describe("an outside issuer on SQLite", () => suite("SQLite"));
describe.skipIf(!mysqlAnswers)("an outside issuer on MariaDB", () => suite("MariaDB"));
describe.skipIf(!postgresAnswers)("an outside issuer on PostgreSQL", () => suite("PostgreSQL"));

describe("the settings of the outside issuer", () => {
  const url = "https://id.example.com";
  test.each<readonly [Record<string, string>, string]>([
    [{ POSTERN_OIDC_ISSUER: url }, "POSTERN_OIDC_ISSUER and POSTERN_OIDC_AUDIENCE go together"],
    [{ POSTERN_OIDC_AUDIENCE: "a" }, "POSTERN_OIDC_ISSUER and POSTERN_OIDC_AUDIENCE go together"],
    [
      { POSTERN_OIDC_ISSUER: "id.example.com", POSTERN_OIDC_AUDIENCE: "a" },
      "POSTERN_OIDC_ISSUER must be the https URL",
    ],
    [{ POSTERN_OIDC_ISSUER: "http://id.example.com", POSTERN_OIDC_AUDIENCE: "a" }, "POSTERN_OIDC_ISSUER must be"],
    [{ POSTERN_OIDC_ISSUER: `${url}/?x=1`, POSTERN_OIDC_AUDIENCE: "a" }, "POSTERN_OIDC_ISSUER must be"],
    [{ POSTERN_OIDC_ROLE_CLAIM: "roles" }, "POSTERN_OIDC_ROLE_CLAIM needs POSTERN_OIDC_ISSUER"],
    [{ POSTERN_OIDC_SCOPES: "required" }, "POSTERN_OIDC_SCOPES needs POSTERN_OIDC_ISSUER"],
    [{ POSTERN_OIDC_SCOPES: "strict" }, "POSTERN_OIDC_SCOPES must be one of optional, required"],
    [{ POSTERN_OIDC_FULL_ACCESS: "openid,," }, "POSTERN_OIDC_FULL_ACCESS must be a list of 1 to 100 texts"],
    [
      { POSTERN_OIDC_SCOPE_CLAIMS: "1,2,3,4,5,6,7,8,9,10,11" },
      "POSTERN_OIDC_SCOPE_CLAIMS must be a list of 1 to 10 texts",
    ],
    [
      { POSTERN_OIDC_ISSUER: url, POSTERN_OIDC_AUDIENCE: "a", POSTERN_PUBLIC_URL: `${url}/` },
      "POSTERN_OIDC_ISSUER is this server itself",
    ],
    [{ POSTERN_OIDC_ISUER: url }, "is not a setting of this server"],
  ])("%o stop the start", (variables, said) => {
    const read = () => readConfig(variables, false);
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(said);
  });

  test("need the accounts of the part users", async () => {
    const config = readConfig(
      { POSTERN_OIDC_ISSUER: url, POSTERN_OIDC_AUDIENCE: "a", DATABASE_URL: "sqlite::memory:" },
      false,
    );
    const started = compose({ ...config, secretKey: Buffer.alloc(32, 7).toString("base64") }, { parts: ["inbox"] });
    await expect(started).rejects.toThrow("POSTERN_OIDC_ISSUER needs the part users");
  });

  test("stand in the environment or in the configuration file, not in both", async () => {
    const directory = mkdtempSync(join(tmpdir(), "postern-issuer-"));
    const given = {
      DATABASE_URL: `sqlite:${join(directory, "a.db")}`,
      POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    };
    const outsideIssuer = { issuer: url, audience: "a" };
    const fromFile = await compose(readConfig(given, false), { outsideIssuer });
    expect(fromFile.outsideIssuer).toEqual(outsideIssuer);
    await fromFile.close();
    const both = readConfig({ ...given, POSTERN_OIDC_ISSUER: url, POSTERN_OIDC_AUDIENCE: "a" }, false);
    await expect(compose(both, { outsideIssuer })).rejects.toThrow("cannot both be set");
    const without = compose(readConfig(given, false), { outsideIssuer, parts: ["inbox"] });
    await expect(without).rejects.toThrow("outsideIssuer needs the part users");
    const wrong = compose(readConfig(given, false), { outsideIssuer: { ...outsideIssuer, issuer: "id" } });
    await expect(wrong).rejects.toThrow('"issuer" must be the https URL');
    rmSync(directory, { recursive: true });
  });

  test("name the issuer exactly as its tokens do", () => {
    const config = readConfig({ POSTERN_OIDC_ISSUER: `${url}/a/`, POSTERN_OIDC_AUDIENCE: "a b" }, false);
    expect(config.outsideIssuer).toEqual({ issuer: `${url}/a/`, audience: "a b" });
    const more = readConfig(
      {
        POSTERN_OIDC_ISSUER: url,
        POSTERN_OIDC_AUDIENCE: "a",
        POSTERN_OIDC_SCOPE_CLAIMS: "scp, roles",
        POSTERN_OIDC_SCOPE_PREFIX: "api://postern/",
        POSTERN_OIDC_FULL_ACCESS: "user_impersonation,openid",
        POSTERN_OIDC_SCOPES: "required",
        POSTERN_OIDC_TRUST_ADDRESSES: "example.com, example.org",
        POSTERN_OIDC_EMAIL_CLAIM: "upn",
        POSTERN_OIDC_ACCOUNTS: "subject",
      },
      false,
    );
    expect(more.outsideIssuer).toEqual({
      issuer: url,
      audience: "a",
      scopeClaims: ["scp", "roles"],
      scopePrefix: "api://postern/",
      fullAccess: ["user_impersonation", "openid"],
      scopes: "required",
      trustAddresses: ["example.com", "example.org"],
      emailClaim: "upn",
      accounts: "subject",
    });
    const all = { POSTERN_OIDC_ISSUER: url, POSTERN_OIDC_AUDIENCE: "a", POSTERN_OIDC_TRUST_ADDRESSES: "*" };
    expect(readConfig(all, false).outsideIssuer?.trustAddresses).toBe("*");
  });
});
