import { createHmac, generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import { resourcesOfParts } from "@postern/app";
import { allRows, equals } from "@postern/core";
import { SignJWT } from "jose";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mysqlAnswers } from "./database-servers.ts";
import { type Nodes, startNodes } from "./oauth-nodes.ts";

const insecure = { [oauth.allowInsecureRequests]: true };
const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const pairs = {
  ES256: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  RS256: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  Ed25519: () => generateKeyPairSync("ed25519"),
};

/**
 * A client's key pair: the public key as it is registered, the private key in the form that
 * libraries accept.
 */
const newPair = async (alg: keyof typeof pairs, kid: string) => {
  const { publicKey, privateKey } = pairs[alg]();
  const algorithms = {
    ES256: { name: "ECDSA", namedCurve: "P-256" },
    RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
    Ed25519: { name: "Ed25519" },
  };
  const pkcs8 = privateKey.export({ type: "pkcs8", format: "der" });
  const key = await crypto.subtle.importKey("pkcs8", pkcs8, algorithms[alg], false, ["sign"]);
  return { jwk: { ...publicKey.export({ format: "jwk" }), kid }, privateKey, publicKey, crypto: { key, kid }, alg };
};
type Pair = Awaited<ReturnType<typeof newPair>>;

const suite = (kind: "SQLite" | "MariaDB") => {
  let nodes: Nodes;
  let as: oauth.AuthorizationServer;
  let ec: Pair;
  let rsa: Pair;
  let client: oauth.Client;

  const newClient = async (keys: readonly object[]): Promise<oauth.Client> => {
    const body = { name: "signed", user_id: nodes.ann, scopes: ["posts:read"], jwks: { keys } };
    const made = await nodes.run("admin.clients.create", body);
    expect(made.secret).toBeNull();
    return { client_id: String(made.id) };
  };

  beforeAll(async () => {
    nodes = await startNodes(kind);
    const issuer = new URL(nodes.issuer);
    const found = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: "oauth2" });
    as = await oauth.processDiscoveryResponse(issuer, found);
    [ec, rsa] = [await newPair("ES256", "ec"), await newPair("RS256", "rsa")];
    client = await newClient([ec.jwk, rsa.jwk]);
  }, 60_000);
  afterAll(() => nodes.close());

  /** An assertion as a client makes it. A test changes the part that it tests. */
  const assertion = (
    changes: object = {},
    { key = ec.privateKey, header = {} }: { key?: KeyObject | Uint8Array; header?: object } = {},
  ): Promise<string> => {
    const now = Math.floor(Date.now() / 1000);
    const { client_id: id } = client;
    const claims = { iss: id, sub: id, aud: nodes.issuer, jti: randomUUID(), iat: now, exp: now + 60 };
    return new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg: "ES256", kid: "ec", ...header }).sign(key);
  };

  const post = async (form: Record<string, string>, { path = "token", base = nodes.issuer, headers = {} } = {}) => {
    const body = new URLSearchParams({ grant_type: "client_credentials", client_assertion_type: type, ...form });
    const answer = await fetch(`${base}/oauth/${path}`, { method: "POST", body, headers });
    const text = await answer.text();
    const told = (text === "" ? {} : JSON.parse(text)) as Record<string, string>;
    return { status: answer.status, error: told.error, body: told };
  };

  test("oauth4webapi works with each kind of key, at all three endpoints", async () => {
    expect(as.token_endpoint_auth_methods_supported).toContain("private_key_jwt");
    expect(as.token_endpoint_auth_signing_alg_values_supported).toContain("ES256");
    expect(JSON.stringify(as)).not.toMatch(/"HS\d+"/);
    for (const pair of [ec, rsa, await newPair("Ed25519", "ed")]) {
      const one = await newClient([pair.jwk]);
      const proof = oauth.PrivateKeyJwt(pair.crypto);
      const answer = await oauth.clientCredentialsGrantRequest(as, one, proof, {}, insecure);
      const { access_token, scope } = await oauth.processClientCredentialsResponse(as, one, answer);
      expect([scope, await nodes.status(access_token, "/posts", nodes.other)]).toEqual(["posts:read", 200]);
      const asked = await oauth.introspectionRequest(as, one, proof, access_token, insecure);
      expect(await oauth.processIntrospectionResponse(as, one, asked)).toMatchObject({ active: true });
      await oauth.processRevocationResponse(await oauth.revocationRequest(as, one, proof, "unknown", insecure));
    }
  });

  test("openid-client works with the server", async () => {
    const settings = await openid.discovery(
      new URL(nodes.issuer),
      client.client_id,
      undefined,
      openid.PrivateKeyJwt(ec.crypto),
      { algorithm: "oauth2", execute: [openid.allowInsecureRequests] },
    );
    const tokens = await openid.clientCredentialsGrant(settings, { scope: "posts:read" });
    expect(await nodes.status(tokens.access_token)).toBe(200);
    expect(await openid.tokenIntrospection(settings, tokens.access_token)).toMatchObject({ active: true });
  });

  test("an assertion works once, on any node", async () => {
    const once = await assertion();
    expect((await post({ client_assertion: once })).status).toBe(200);
    for (const base of [nodes.issuer, nodes.other]) {
      const again = await post({ client_assertion: once }, { base });
      expect([again.status, again.error]).toEqual([401, "invalid_client"]);
      expect(again.body.error_description).toContain("used before");
    }
    // The same jti in another assertion is a repeat, too.
    const jti = randomUUID();
    expect((await post({ client_assertion: await assertion({ jti }) })).status).toBe(200);
    expect((await post({ client_assertion: await assertion({ jti, exp: Date.now() / 1000 + 90 }) })).status).toBe(401);
  });

  test("of ten uses at the same moment on two nodes exactly one counts", async () => {
    const once = await assertion();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        post({ client_assertion: once }, { base: n % 2 === 0 ? nodes.issuer : nodes.other }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(9);
  });

  test("the audience must be the issuer or an endpoint, and may not contain anything else", async () => {
    const token = `${nodes.issuer}/oauth/token`;
    for (const aud of [nodes.issuer, token, [nodes.issuer], [nodes.issuer, token]]) {
      expect((await post({ client_assertion: await assertion({ aud }) })).status).toBe(200);
    }
    const others = [undefined, [], "https://other.example.com", [nodes.issuer, "https://other.example.com"]];
    for (const aud of [...others, `${nodes.issuer}/`, nodes.other]) {
      expect((await post({ client_assertion: await assertion({ aud }) })).error).toBe("invalid_client");
    }
  });

  const soon = () => Math.floor(Date.now() / 1000);
  test.each<readonly [string, () => Promise<string>]>([
    ["of another issuer", () => assertion({ iss: randomUUID() })],
    ["about another subject", () => assertion({ sub: randomUUID() })],
    ["without a subject", () => assertion({ sub: undefined })],
    ["that has expired", () => assertion({ exp: soon() - 1 })],
    ["that does not end", () => assertion({ exp: undefined })],
    ["that lives an hour", () => assertion({ exp: soon() + 3600 })],
    ["that begins later", () => assertion({ nbf: soon() + 120 })],
    ["without a jti", () => assertion({ jti: undefined })],
    ["with an empty jti", () => assertion({ jti: "" })],
    ["with a jti of 256 characters", () => assertion({ jti: "x".repeat(256) })],
    ["of another key", async () => assertion({}, { key: (await newPair("ES256", "ec")).privateKey })],
    ["of an unknown kid", () => assertion({}, { header: { kid: "other" } })],
    ["of the wrong key of the client", () => assertion({}, { header: { kid: "rsa" } })],
    ["of another type", () => assertion({}, { header: { typ: "at+jwt" } })],
    [
      "signed by HMAC with the public key",
      async () => {
        const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
        const [, body] = (await assertion()).split(".");
        const signed = `${part({ alg: "HS256", kid: "ec" })}.${body}`;
        const secret = ec.publicKey.export({ type: "spki", format: "pem" });
        return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
      },
    ],
    [
      "without a signature",
      async () => `${Buffer.from('{"alg":"none"}').toString("base64url")}.${(await assertion()).split(".")[1]}.`,
    ],
    ["that is no JWT", async () => "x"],
  ])("an assertion %s is refused", async (_what, make) => {
    const answer = await post({ client_assertion: await make() });
    expect([answer.status, answer.error]).toEqual([401, "invalid_client"]);
  });

  test("an unknown client gets the same answer as a wrong key", async () => {
    const stranger = await newPair("ES256", "ec");
    const id = nodes.ann;
    const known = await post({ client_assertion: await assertion({}, { key: stranger.privateKey }) });
    const unknown = await post({
      client_assertion: await assertion({ iss: id, sub: id }, { key: stranger.privateKey }),
    });
    expect(unknown).toEqual(known);
  });

  test("a client must prove itself in the one way that it is registered for", async () => {
    const proof = await assertion();
    const basic = { authorization: `Basic ${Buffer.from(`${client.client_id}:x`).toString("base64")}` };
    const tries = [
      await post({ client_assertion: proof, client_assertion_type: "urn:other" }),
      await post({ client_assertion: proof, client_secret: "x" }),
      await post({ client_assertion: proof }, { headers: basic }),
    ];
    expect(tries.map(({ status, error }) => [status, error])).toEqual(Array(3).fill([400, "invalid_request"]));
    expect((await post({ client_assertion: proof, client_id: randomUUID() })).error).toBe("invalid_client");
    expect((await post({ client_assertion: proof, client_id: client.client_id })).status).toBe(200);
    const form = { grant_type: "client_credentials", client_id: client.client_id, client_secret: "null" };
    const bySecret = await fetch(`${nodes.issuer}/oauth/token`, { method: "POST", body: new URLSearchParams(form) });
    expect(bySecret.status).toBe(401);
    const body = { name: "s", user_id: nodes.ann, scopes: ["posts:read"] };
    const { id = "", secret } = await nodes.run("admin.clients.create", body);
    expect(secret).toMatch(/^pcs_/);
    expect((await post({ client_assertion: await assertion({ iss: id, sub: id }) })).error).toBe("invalid_client");
  });

  test("replaced keys end at once on every node, and so does a secret", async () => {
    const old = await newPair("ES256", "old");
    const { client_id: id } = await newClient([old.jwk]);
    const prove = (pair: Pair) => assertion({ iss: id, sub: id }, { key: pair.privateKey, header: { kid: undefined } });
    expect((await post({ client_assertion: await prove(old) }, { base: nodes.other })).status).toBe(200);
    const next = await newPair("ES256", "next");
    await nodes.run("admin.clients.replace-keys", { keys: [next.jwk] }, { id });
    expect((await post({ client_assertion: await prove(old) }, { base: nodes.other })).status).toBe(401);
    expect((await post({ client_assertion: await prove(next) }, { base: nodes.other })).status).toBe(200);
    await expect(nodes.run("admin.clients.renew-secret", {}, { id })).rejects.toThrow("keys and no secret");

    const body = { name: "s", user_id: nodes.ann, scopes: ["posts:read"] };
    const made = await nodes.run("admin.clients.create", body);
    await nodes.run("admin.clients.replace-keys", { keys: [next.jwk] }, { id: String(made.id) });
    const secret = { grant_type: "client_credentials", client_id: `${made.id}`, client_secret: `${made.secret}` };
    const tried = await fetch(`${nodes.other}/oauth/token`, { method: "POST", body: new URLSearchParams(secret) });
    expect(tried.status).toBe(401);
  });

  test("a client is remembered with 1,000 assertions at most, and those that have ended are forgotten", async () => {
    const resource = resourcesOfParts(["users"]).find(({ name }) => name === "used_assertion");
    if (resource === undefined) throw new Error("there is no such resource");
    const pair = await newPair("ES256", "k");
    const { client_id: id } = await newClient([pair.jwk]);
    const prove = () => assertion({ iss: id, sub: id }, { key: pair.privateKey, header: { kid: "k" } });
    const { resources } = nodes.storage;
    const fill = async (endsInMs: number, count: number) => {
      const at = new Date(Date.now() + endsInMs).toISOString();
      for (let n = 0; n < count; n += 1) {
        const row = { id: randomUUID(), user_id: nodes.ann, client_id: id, assertion: randomUUID(), expires_at: at };
        await resources.insert(resource, { ...row, created_at: at, updated_at: at });
      }
    };
    const own = { scope: allRows("test"), where: equals("client_id", id) };
    await fill(-1, 20);
    expect((await post({ client_assertion: await prove() })).status).toBe(200);
    expect(await resources.count(resource, own, 2_000)).toBe(1);
    await fill(60_000, 999);
    const refused = await post({ client_assertion: await prove() }, { base: nodes.other });
    expect([refused.status, refused.error]).toEqual([429, "temporarily_unavailable"]);
    expect(await resources.count(resource, own, 2_000)).toBe(1_000);
    expect((await post({ client_assertion: await assertion() })).status).toBe(200);
  });

  test("the used assertions of a client are deleted with it", async () => {
    const pair = await newPair("ES256", "k");
    const { client_id: id } = await newClient([pair.jwk]);
    const proof = await assertion({ iss: id, sub: id }, { key: pair.privateKey, header: { kid: "k" } });
    expect((await post({ client_assertion: proof })).status).toBe(200);
    await nodes.run("admin.clients.delete", {}, { id }).catch(() => undefined);
    expect((await post({ client_assertion: proof }, { base: nodes.other })).status).toBe(401);
  });
};

describe("clients with keys on SQLite", () => suite("SQLite"));
describe.skipIf(!mysqlAnswers)("clients with keys on MariaDB", () => suite("MariaDB"));
