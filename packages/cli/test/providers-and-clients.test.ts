import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig, startServer } from "@postern/server";
import { describe, expect, test } from "vitest";
import { create, directory, environment, postern, serve } from "./command-line.ts";

describe("postern providers", () => {
  const secret = (n: number) => `whsec_${Buffer.alloc(32, n).toString("base64")}`;

  test("adds a sender that a running server takes events of, changes its key with an overlap, and removes it", async () => {
    const server = await serve();
    try {
      const added = await postern(["providers", "add", "acme", "--scheme", "standard-webhooks"], { stdin: secret(1) });
      expect([added.code, added.out]).toEqual([0, expect.stringContaining("/api/webhooks/acme")]);
      const send = () => postern(["send", "acme", "--url", String(server.url)]);
      expect((await send()).code).toBe(0);
      const rotate = ["providers", "rotate", "acme", "--overlap", "1h", "--json"];
      const rotated = await postern(rotate, { stdin: secret(2) });
      expect(JSON.parse(rotated.out).keys.map(({ state }: { state: string }) => state)).toEqual(["good", "good"]);
      expect((await send()).code).toBe(0);
      const listed = await postern(["providers", "list", "--json"]);
      expect(JSON.parse(listed.out).items.map(({ name }: { name: string }) => name)).toEqual(["acme", "demo"]);
      expect(rotated.out + listed.out + added.out).not.toContain("whsec_");
      expect(await postern(["providers", "remove", "acme"])).toMatchObject({ code: 7, out: "" });
      expect((await postern(["providers", "remove", "acme", "--yes"])).out).toContain("Removed acme");
      expect(await postern(["providers", "remove", "acme", "--yes"])).toMatchObject({ code: 3 });
      expect((await send()).code).toBe(3);
    } finally {
      await server.stop();
    }
  });

  test("says what is wrong with a key or a setting, and shows neither", async () => {
    await postern(["migrate"]);
    const short = await postern(["providers", "add", "acme", "--scheme", "standard-webhooks"], {
      stdin: "whsec_c2hvcnQ=",
    });
    expect([short.code, short.err]).toEqual([2, expect.stringContaining("key")]);
    expect(short.err).not.toContain("c2hvcnQ");
    const brief = ["providers", "add", "hub", "--scheme", "github"];
    expect((await postern(brief, { stdin: "brief" })).code).toBe(2);
    expect((await postern([...brief, "--allow-short"], { stdin: "brief" })).out).toContain("Added hub");
    expect((await postern(["doctor"])).out).toMatch(/provider hub.*less than 16 bytes/);
    const stray = await postern(["providers", "add", "acme", "--scheme", "github", "--setting", "x=s3cret"], {
      stdin: "a secret of a good length for this",
    });
    expect([stray.code, stray.err]).toEqual([2, expect.stringContaining("no setting x")]);
    expect(stray.err).not.toContain("s3cret");
    expect((await postern(["providers", "add", "acme"])).code).toBe(2);
    const repeats = ["providers", "add", "gh", "--scheme", "github", "--json", "--dedupe-window", "10m"];
    const long = { stdin: "a secret of a good length for this" };
    expect((await postern([...repeats, "--dedupe", "id"], long)).err).toContain("--dedupe-window needs --dedupe body");
    const windowed = await postern([...repeats, "--dedupe", "body", "--replay-on-resend"], long);
    expect(JSON.parse(windowed.out)).toMatchObject({
      dedupe: { by: "body", window_seconds: 600 },
      replay_on_resend: true,
    });
    const awaiting = await postern(["providers", "add", "asana", "--setting", "acceptSecret=yes"]);
    expect([awaiting.code, awaiting.out]).toEqual([0, expect.stringContaining("Added asana")]);
    expect((await postern(["providers", "rotate", "demo"], { stdin: secret(1) })).err).toContain("configuration");
  });

  test("prints the key of a handshake, which Notion asks for, and no other", async () => {
    await postern(["migrate"]);
    await postern(["providers", "add", "notion", "--setting", "acceptSecret=yes"]);
    await postern(["providers", "add", "hub", "--scheme", "github"], { stdin: "a secret of a good length for this" });
    const show = (name: string) => postern(["providers", "show-key", name]);
    expect(await show("notion")).toMatchObject({ code: 4, err: expect.stringContaining("no key yet") });
    expect(await show("nobody")).toMatchObject({ code: 3, out: "" });
    for (const name of ["hub", "demo"]) {
      expect(await show(name)).toMatchObject({ code: 4, out: "", err: expect.stringContaining("not shown") });
    }
    const server = await startServer(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
    try {
      const body = JSON.stringify({ verification_token: "secret_of_the_handshake" });
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`${server.url}/api/webhooks/notion`, { method: "POST", headers, body });
      expect(answer.status).toBe(200);
    } finally {
      await server.stop();
    }
    expect(await show("notion")).toMatchObject({ code: 0, out: "secret_of_the_handshake\n" });
  });
});

describe("postern clients", () => {
  test("says which grant types a client has, and changes them", async () => {
    await postern(["migrate"]);
    await create("reports@example.com");
    const line = ["clients", "create", "--user", "reports@example.com", "--name", "n", "--scope", "posts:read"];
    const site = [...line, "--redirect-uri", "https://app.example.com/back", "--json"];
    const { id, grant_types: types } = JSON.parse((await postern(site)).out);
    expect(types).toEqual(["authorization_code", "refresh_token"]);
    const given = await postern([...site, "--grant-type", "client_credentials,authorization_code"]);
    expect(JSON.parse(given.out).grant_types).toEqual(["authorization_code", "client_credentials"]);
    const changed = await postern(["clients", "grant-types", id, "client_credentials"]);
    expect(changed).toMatchObject({ code: 0, out: `The client ${id} may use client_credentials.\n` });
    const listed = JSON.parse((await postern(["clients", "list", "--json"])).out);
    expect(listed.items[0].grant_types).toEqual(["client_credentials"]);
    expect(await postern(["clients", "grant-types", id, "password"])).toMatchObject({ code: 2, out: "" });
    expect(await postern(["clients", "grant-types", crypto.randomUUID(), "refresh_token"])).toMatchObject({ code: 3 });
  });

  test("makes a client with public keys of a file, and replaces them", async () => {
    await postern(["migrate"]);
    await create("reports@example.com");
    const newKey = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { publicKey, privateKey } = newKey();
    const write = (name: string, value: unknown) => writeFileSync(join(directory, name), JSON.stringify(value));
    write("keys.json", { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "first" }] });
    write("next.json", { ...newKey().publicKey.export({ format: "jwk" }), kid: "next" });
    write("private.json", privateKey.export({ format: "jwk" }));
    const line = ["clients", "create", "--user", "reports@example.com", "--name", "n", "--scope", "posts:read"];
    const made = JSON.parse((await postern([...line, "--jwks", "keys.json", "--json"])).out);
    expect([made.secret, made.jwks.keys[0].kid]).toEqual([null, "first"]);
    const replaced = JSON.parse(
      (await postern(["clients", "replace-keys", made.id, "next.json", "--yes", "--json"])).out,
    );
    expect(replaced.jwks.keys.map(({ kid }: { kid: string }) => kid)).toEqual(["next"]);
    const refused = await postern(["clients", "replace-keys", made.id, "private.json", "--yes"]);
    expect([refused.code, refused.err.includes("public key")]).toEqual([2, true]);
    write("odd.json", { a: 1 });
    expect((await postern([...line, "--jwks", "odd.json"])).err).toMatch(/^--jwks, keys\.0\.kty: this is required/);
    writeFileSync(join(directory, "odd.json"), "-----BEGIN");
    expect(await postern([...line, "--jwks", "odd.json"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("odd.json is not JSON"),
    });
  });
});
