import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { runCli } from "@postern/cli";
import { readConfig, startServer } from "@postern/server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "postern-cli-"));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const environment = (more: Record<string, string> = {}): Record<string, string> => ({
  DATABASE_URL: `sqlite:${join(directory, "data/postern.db")}`,
  PORT: "0",
  ...more,
});

const collector = (chunks: string[]): Writable =>
  new Writable({
    write: (chunk, _encoding, done) => {
      chunks.push(String(chunk));
      done();
    },
  });

/** Runs a command line as a shell would; standard input is not a terminal. */
const postern = async (
  line: string[],
  { stdin = "", variables = {} }: { stdin?: string; variables?: Record<string, string> } = {},
) => {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCli(line, {
    stdin: Readable.from([stdin]),
    stdout: collector(out),
    stderr: collector(err),
    environment: environment(variables),
    directory,
  });
  return { code, out: out.join(""), err: err.join("") };
};

const create = (email: string, ...more: string[]) =>
  postern(["users", "create", "--name", "Ada", "--email", email, ...more], { stdin: "correct horse battery\n" });

const serve = async (variables: Record<string, string> = {}) => {
  const config = { ...readConfig(environment({ LOG_LEVEL: "error", ...variables }), false) };
  return startServer(config, {});
};

describe("postern", () => {
  test("shows what there is, and knows a wrong word", async () => {
    const help = await postern(["--help"]);
    expect(help.code).toBe(0);
    for (const word of ["serve", "worker", "migrate", "doctor", "users", "events", "send"])
      expect(help.out).toContain(word);
    const wrong = await postern(["user"]);
    expect([wrong.code, wrong.out]).toEqual([2, ""]);
    expect(wrong.err).toContain("users");
    expect((await postern(["users", "list", "--colour"])).code).toBe(2);
  });

  test("names every fault of the configuration, and exits 2", async () => {
    const { code, err } = await postern(["users", "list"], { variables: { PORT: "many", POSTERN_ROLE: "boss" } });
    expect(code).toBe(2);
    expect(err).toMatch(/PORT must be/);
    expect(err).toMatch(/POSTERN_ROLE must be/);
  });
});

describe("postern migrate", () => {
  test("makes the tables once, shows them, and takes back only what is confirmed", async () => {
    expect((await postern(["migrate"])).out).toContain("Applied");
    expect((await postern(["migrate"])).out).toContain("Nothing to do");
    const status = JSON.parse((await postern(["migrate", "status", "--json"])).out);
    expect(status.pending).toEqual([]);
    expect(status.applied.length).toBeGreaterThan(0);
    const refused = await postern(["migrate", "down"]);
    expect([refused.code, refused.out]).toEqual([7, ""]);
    expect((await postern(["migrate", "down", "--yes"])).out).toContain("Taken back");
    expect(JSON.parse((await postern(["migrate", "status", "--json"])).out).pending).toHaveLength(1);
  });
});

describe("postern users", () => {
  test("makes, lists and promotes users; passwords never come back", async () => {
    await postern(["migrate"]);
    const made = await create("Ada@example.com", "--json");
    expect([made.code, made.err]).toEqual([0, ""]);
    const user = JSON.parse(made.out);
    expect(user).toMatchObject({ email: "ada@example.com", role: "user" });
    expect((await create("root@example.com", "--role", "admin")).out).toContain("Made admin root@example.com");
    expect((await postern(["users", "promote", "ada@example.com"])).out).toContain("is an administrator now");
    const listed = await postern(["users", "list", "--json"]);
    expect(JSON.parse(listed.out).items).toEqual([
      expect.objectContaining({ id: user.id, role: "admin" }),
      expect.objectContaining({ email: "root@example.com" }),
    ]);
    expect(listed.out).not.toMatch(/password|argon/);
    expect((await postern(["users", "list"])).out).toMatch(/^[0-9a-f-]{36}\tada@example\.com\tAda\tadmin\t/);
  });

  test("exits 2 for bad input, 3 for nobody, and says what was wrong", async () => {
    await postern(["migrate"]);
    expect(await create("no-address")).toMatchObject({ code: 2, err: expect.stringContaining("email") });
    await create("ada@example.com");
    expect(await create("ada@example.com")).toMatchObject({ code: 2, err: expect.stringContaining("[conflict]") });
    expect(await postern(["users", "promote", "nobody@example.com"])).toMatchObject({ code: 3 });
    const silent = await postern(["users", "create", "--name", "A", "--email", "a@example.com"]);
    expect([silent.code, silent.err]).toEqual([2, expect.stringContaining("No password")]);
  });

  test("takes the password from a file, too", async () => {
    await postern(["migrate"]);
    const file = join(directory, "password");
    writeFileSync(file, "correct horse battery\n");
    const line = ["users", "create", "--name", "A", "--email", "a@example.com", "--password-file"];
    expect((await postern([...line, file])).code).toBe(0);
    expect((await postern([...line, join(directory, "nowhere")])).code).toBe(2);
  });

  test("says to migrate when the tables are missing", async () => {
    const { code, err } = await postern(["users", "list"]);
    expect(code).toBe(5);
    expect(err).toMatch(/migrat/i);
  });
});

describe("postern send and events", () => {
  test("sends a signed event that the server takes once, shows it and runs it again", async () => {
    const server = await serve();
    try {
      const send = (...more: string[]) =>
        postern(["send", "demo", "--url", String(server.url), "--id", "evt_1", ...more]);
      const sent = await send("--type", "invoice.paid", "--json");
      expect([sent.code, JSON.parse(sent.out)]).toEqual([
        0,
        { status: 200, body: { id: expect.any(String), status: "accepted" } },
      ]);
      expect((await send()).out).toContain("duplicate");
      const { id } = JSON.parse(sent.out).body;
      for (;;) {
        const [event] = JSON.parse((await postern(["events", "list", "--json"])).out).items;
        if (event.state === "processed") break;
      }
      const shown = await postern(["events", "show", id]);
      expect(shown.out).toContain("invoice.paid");
      expect(JSON.parse((await postern(["events", "show", id, "--json"])).out)).toMatchObject({
        repeats: 1,
        data: { type: "invoice.paid" },
      });
      expect(await postern(["events", "replay", id])).toMatchObject({ code: 2, err: expect.stringContaining("force") });
      expect((await postern(["events", "replay", id, "--force"])).out).toContain("runs again (1 jobs)");
      expect((await postern(["events", "replay", id, "999"])).code).toBe(6);
      expect((await postern(["events", "show", "999"])).code).toBe(3);
      expect((await postern(["events", "list", "--state", "lost"])).code).toBe(2);
    } finally {
      await server.stop();
    }
  });

  test.each([
    ["stripe", "whsec_test"],
    ["github", "it is a secret to everybody"],
    ["standard-webhooks", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
  ])("signs like %s", async (provider, secret) => {
    const variables = { [`WEBHOOK_${provider.toUpperCase().replace("-", "_")}_SECRET`]: secret };
    const server = await serve(variables);
    try {
      const sent = await postern(["send", provider, "--url", String(server.url), "--type", "push"], { variables });
      expect([sent.code, sent.out]).toEqual([0, expect.stringContaining('"status":"accepted"')]);
    } finally {
      await server.stop();
    }
  });

  test("knows the configured providers only, and says when nobody answers", async () => {
    expect(await postern(["send", "nobody"])).toMatchObject({ code: 3, err: expect.stringContaining("demo") });
    expect((await postern(["send", "demo", "--url", "http://127.0.0.1:1"])).code).toBe(5);
    expect((await postern(["send", "demo", "--data", "{broken"])).code).toBe(2);
  });
});

describe("postern doctor", () => {
  test("finds missing tables and weak secrets, and is content afterwards", async () => {
    const before = await postern(["doctor", "--json"], { variables: { WEBHOOK_STRIPE_SECRET: "whsec_test" } });
    expect(before.code).toBe(8);
    const items: { check: string; ok: boolean }[] = JSON.parse(before.out).items;
    expect(items.filter(({ ok }) => !ok).map(({ check }) => check)).toEqual(["provider stripe", "database"]);
    await postern(["migrate"]);
    await create("root@example.com", "--role", "admin");
    const after = await postern(["doctor"]);
    expect([after.code, after.out]).toEqual([0, expect.not.stringContaining("FAIL")]);
    expect(after.out).not.toContain("warn");
  });

  test("reports a bad configuration as a problem", async () => {
    expect(await postern(["doctor"], { variables: { PORT: "many" } })).toMatchObject({
      code: 8,
      out: expect.stringContaining("PORT"),
    });
    expect(existsSync(join(directory, "data"))).toBe(false);
  });
});
