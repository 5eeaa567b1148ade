import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { runCli } from "@postern/cli";
import { loadConfigFile, readConfig, startServer } from "@postern/server";
import { sign } from "@postern/webhook-verifier";
import { github } from "@postern/webhook-verifier/schemes/github";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";

const secret = "the secret of a stored sender";
const oldKey = randomBytes(32).toString("base64");
const newKey = randomBytes(32).toString("base64");
const underOld = { POSTERN_SECRET_KEY: oldKey };
const underBoth = { POSTERN_SECRET_KEY: newKey, POSTERN_SECRET_KEY_PREVIOUS: oldKey };
const underNew = { POSTERN_SECRET_KEY: newKey };

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "postern-secret-key-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

type Keys = Readonly<Record<string, string>>;

const environment = (keys: Keys): Record<string, string> => ({
  DATABASE_URL: `sqlite:${join(directory, "postern.db")}`,
  PORT: "0",
  LOG_LEVEL: "error",
  ...keys,
});

const postern = async (line: readonly string[], keys: Keys, stdin = "") => {
  const written: string[] = [];
  const collector = (): Writable =>
    new Writable({
      write: (chunk, _encoding, done) => {
        written.push(String(chunk));
        done();
      },
    });
  const code = await runCli(line, {
    stdin: Readable.from([stdin]),
    stdout: collector(),
    stderr: collector(),
    environment: environment(keys),
    directory,
  });
  return { code, text: written.join("") };
};

const withServer = async (keys: Keys, work: (url: string) => Promise<void>): Promise<void> => {
  const server = await startServer(readConfig(environment(keys), false), await loadConfigFile(undefined, directory));
  try {
    await work(`${server.url}`);
  } finally {
    await server.stop();
  }
};

const deliver = async (url: string, id: string): Promise<number> => {
  const body = JSON.stringify({ id });
  const headers = {
    "x-github-delivery": id,
    "x-github-event": "push",
    ...(await sign(github, { keys: secret, body })),
  };
  return (await fetch(`${url}/api/webhooks/hub`, { method: "POST", headers, body })).status;
};

const register = (url: string) =>
  fetch(`${url}/api/v2/users`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": "register-ada" },
    body: JSON.stringify({ name: "Ada", email: "ada@example.com", password: "correct horse battery" }),
  });

const signIn = async (url: string): Promise<string> => {
  const answer = await fetch(`${url}/api/v2/sessions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "ada@example.com", password: "correct horse battery" }),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
};

/** The status of a request with a token whose signature is checked with the published keys first. */
const statusWith = async (url: string, token: string): Promise<number> => {
  await jwtVerify(token, createRemoteJWKSet(new URL(`${url}/.well-known/jwks.json`)), { typ: "at+jwt" });
  return (await fetch(`${url}/api/v2/users/me`, { headers: { authorization: `Bearer ${token}` } })).status;
};

test("a secret key gives way to another, and a wrong one does not start", async () => {
  let token = "";
  await withServer(underOld, async (url) => {
    const added = await postern(["providers", "add", "hub", "--scheme", "github"], underOld, secret);
    expect(added).toMatchObject({ code: 0 });
    expect(await deliver(url, "1")).toBe(200);
    expect((await register(url)).status).toBe(201);
    token = await signIn(url);
  });

  // Only another key: the start fails and says what to do.
  await expect(withServer(underNew, async () => undefined)).rejects.toThrow(
    /POSTERN_SECRET_KEY does not open the secrets .* belong to hub\..*POSTERN_SECRET_KEY_PREVIOUS.*secret-key rotate/s,
  );
  expect(await postern(["secret-key", "rotate"], underNew)).toMatchObject({
    code: 2,
    text: expect.stringContaining("POSTERN_SECRET_KEY_PREVIOUS"),
  });

  // Both keys: what the old one has sealed is read.
  await withServer(underBoth, async (url) => {
    expect(await deliver(url, "2")).toBe(200);
    expect((await register(url)).headers.get("idempotency-replayed")).toBe("true");
    expect(await postern(["secret-key", "rotate"], underBoth)).toMatchObject({
      code: 0,
      text: expect.stringContaining("3 stored secrets are sealed under the new key"),
    });
    expect(await deliver(url, "3")).toBe(200);
  });

  // The old key is no longer needed. A kept answer that it sealed is refused: it is not answered
  // 500, and the request is not run again.
  await withServer(underNew, async (url) => {
    expect(await deliver(url, "4")).toBe(200);
    expect(await statusWith(url, token)).toBe(200);
    expect(await statusWith(url, await signIn(url))).toBe(200);
    const again = await register(url);
    expect([again.status, ((await again.json()) as { code: string }).code]).toEqual([422, "idempotency_key_reused"]);
  });
  await expect(withServer(underOld, async () => undefined)).rejects.toThrow("does not open the secrets");

  // Without that sender it is the signing keys that do not open; other ones can be made.
  expect(await postern(["providers", "remove", "hub", "--yes"], underNew)).toMatchObject({ code: 0 });
  await expect(withServer(underOld, async () => undefined)).rejects.toThrow(/signing keys .* rotate --overlap 0/s);
  expect(await postern(["signing-keys", "rotate", "--overlap", "0"], underOld)).toMatchObject({ code: 7 });
  expect(await postern(["signing-keys", "rotate", "--overlap", "0", "--yes"], underOld)).toMatchObject({ code: 0 });
  await withServer(underOld, async (url) => {
    await expect(statusWith(url, token)).rejects.toThrow("no applicable key");
    expect(await statusWith(url, await signIn(url))).toBe(200);
    const { code, text } = await postern(["signing-keys", "list", "--json"], underOld);
    const states = JSON.parse(text).items.map(({ state }: { state: string }) => state);
    expect([code, states.toSorted()]).toEqual([0, ["active", "next", "retired", "retired"]]);
  });
}, 60_000);

test("a malformed previous key is a fault of the configuration, and the message does not repeat it", () => {
  const read = () => readConfig(environment({ ...underNew, POSTERN_SECRET_KEY_PREVIOUS: "no-key" }), false);
  expect(read).toThrow("POSTERN_SECRET_KEY_PREVIOUS must be up to 3 keys of 32 bytes in base64, separated by commas.");
});
