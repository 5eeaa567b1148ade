import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { runCli } from "@postern/cli";
import { loadConfigFile, readConfig, startServer } from "@postern/server";
import { sign } from "@postern/webhook-verifier";
import { github } from "@postern/webhook-verifier/schemes/github";
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

test("a secret key gives way to another, and a wrong one does not start", async () => {
  await withServer(underOld, async (url) => {
    const added = await postern(["providers", "add", "hub", "--scheme", "github"], underOld, secret);
    expect(added).toMatchObject({ code: 0 });
    expect(await deliver(url, "1")).toBe(200);
    expect((await register(url)).status).toBe(201);
  });

  // Another key alone: the start says so, and what to do.
  await expect(withServer(underNew, async () => undefined)).rejects.toThrow(
    /POSTERN_SECRET_KEY is not the key .* those of hub do not open.*POSTERN_SECRET_KEY_PREVIOUS.*secret-key rotate/s,
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
      text: expect.stringContaining("1 stored secret is sealed under the new key"),
    });
    expect(await deliver(url, "3")).toBe(200);
  });

  // The old one is not needed any more; a kept answer that it sealed is refused, not answered 500 and not done again.
  await withServer(underNew, async (url) => {
    expect(await deliver(url, "4")).toBe(200);
    const again = await register(url);
    expect([again.status, ((await again.json()) as { code: string }).code]).toEqual([422, "idempotency_key_reused"]);
  });
  await expect(withServer(underOld, async () => undefined)).rejects.toThrow("is not the key");
}, 60_000);

test("a previous key that is none is a fault of the configuration, and is not repeated", () => {
  const read = () => readConfig(environment({ ...underNew, POSTERN_SECRET_KEY_PREVIOUS: "no-key" }), false);
  expect(read).toThrow("POSTERN_SECRET_KEY_PREVIOUS must be up to 3 keys of 32 bytes in base64, separated by commas.");
});
