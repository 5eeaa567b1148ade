import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { runCli } from "@postern/cli";
import { sealAuditLog } from "@postern/core/parts";
import { newEvent } from "@postern/core/testing";
import { compose, loadConfigFile, readConfig, startServer } from "@postern/server";
import { schemes, sign } from "@postern/webhook-verifier";
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
  /** A file of its own each time: a process reads one once. */
  let files = 0;
  const configured = (fields: string) => {
    const source = `
      import { decimal, defineResource, ownedBy, reference, text } from "@postern/core";
      import { defineConfig } from "@postern/server";
      const rule = ownedBy("user_id");
      const invoice = defineResource({
        name: "invoice", plural: "invoices", description: "An invoice.",
        fields: { user_id: reference("user", { onDelete: "cascade", description: "Whose." }), ${fields} },
        owner: "user_id", access: { read: rule, update: rule, delete: rule },
      });
      export default defineConfig({ resources: [invoice] });`;
    files += 1;
    const file = join(directory, `${files}.config.ts`);
    writeFileSync(file, source);
    return (...words: string[]) => postern(["migrate", ...words], { variables: { POSTERN_CONFIG: file } });
  };
  const amount = 'amount: decimal({ digits: 12, decimals: 2, description: "How much." })';

  test("makes and extends the tables of the resources in the configuration file, and shows the statements first", async () => {
    const first = configured(amount);
    const planned = await first("--plan");
    expect(planned.code).toBe(0);
    expect(planned.out).toContain("-- 0001a-create-users\nCREATE TABLE IF NOT EXISTS `users`");
    expect(planned.out).toContain(
      "-- invoices: create\n--   index user_id, id: finds the rows that refer to one user\n",
    );
    expect(existsSync(join(directory, "data/postern.db"))).toBe(false);
    expect((await first()).out).toContain("invoices: create");
    expect((await first("--plan")).out).toBe("-- Nothing to do: the tables are up to date.\n");

    const wider = configured(`${amount}, note: text(50, { default: "-", description: "A note." })`);
    expect((await wider("up", "--plan")).out).toBe(
      "-- Run by hand, stop at the first error: sqlite3 -bail, mysql without --force.\n\n" +
        "-- invoices: add note\nalter table `invoices` add column `note` VARCHAR(50) not null default '-';\n\n",
    );
    expect((await wider()).out).toBe("Applied:\n  invoices: add note\n");
  });

  test("refuses what would lose data, and says what to write by hand", async () => {
    await configured(`${amount}, note: text(50, { default: "-", description: "A note." })`)();
    const narrower = configured(amount);
    const planned = await narrower("--plan");
    expect(planned.code).toBe(8);
    expect(planned.out).toContain(
      '-- refused: invoices: the column "note" is not declared (any more), and 0 rows have a value there',
    );
    const listed = await narrower("status");
    expect(listed.out).toContain('pending  invoices: the column "note"');
    const refused = await narrower();
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("alter table `invoices` drop column `note`;");
  });

  test("makes the tables once, shows them, and takes back only what is confirmed", async () => {
    expect((await postern(["migrate"])).out).toContain("Applied");
    expect((await postern(["migrate"])).out).toContain("Nothing to do");
    const status = JSON.parse((await postern(["migrate", "status", "--json"])).out);
    expect(status.pending).toEqual([]);
    expect(status.applied.length).toBeGreaterThan(0);
    expect([status.tables, status.left_over]).toEqual([[], []]);
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

  test("shows a user by address or id, and deletes one only when it is meant", async () => {
    await postern(["migrate"]);
    await create("ada@example.com");
    const shown = await postern(["users", "show", "Ada@example.com", "--json"]);
    const { id, email } = JSON.parse(shown.out);
    expect([shown.code, email]).toEqual([0, "ada@example.com"]);
    expect(shown.out).not.toContain("password");
    expect((await postern(["users", "show", id])).out).toContain(`email\tada@example.com\n`);
    expect(await postern(["users", "delete", id])).toMatchObject({ code: 7, err: expect.stringContaining("--yes") });
    expect((await postern(["users", "show", id])).code).toBe(0);
    expect(await postern(["users", "delete", id, "--yes"])).toMatchObject({ code: 0, err: "" });
    expect(await postern(["users", "show", id])).toMatchObject({ code: 3, err: `There is no user ${id}.\n` });
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
      const found = async (eventId: string) =>
        JSON.parse((await postern(["events", "list", "--event-id", eventId, "--json"])).out).items;
      expect([await found("evt_1"), await found("evt_2")]).toMatchObject([[{ id, event_id: "evt_1" }], []]);
      const shown = await postern(["events", "show", id]);
      expect(shown.out).toMatch(/\nmetadata\n {2}delivery_id: \S+\n/);
      expect(shown.out).toContain("invoice.paid");
      expect(JSON.parse((await postern(["events", "show", id, "--json"])).out)).toMatchObject({
        repeats: 1,
        payload: { type: "invoice.paid" },
      });
      expect(await postern(["events", "replay", id])).toMatchObject({ code: 2, err: expect.stringContaining("force") });
      expect((await postern(["events", "replay", id, "--force"])).out).toContain("runs again (1 job)");
      expect((await postern(["events", "replay", id, "999"])).code).toBe(6);
      expect((await postern(["events", "show", "999"])).code).toBe(3);
      expect((await postern(["events", "list", "--state", "lost"])).code).toBe(2);
    } finally {
      await server.stop();
    }
  });

  test("let nothing but text reach the terminal, whatever an event holds", async () => {
    const server = await serve();
    try {
      const type = "\u001b]0;mine\u0007\u009b2J\u202emoc";
      const sent = await postern(["send", "demo", "--url", String(server.url), "--type", type, "--json"]);
      const { id } = JSON.parse(sent.out).body;
      const outputs = [
        await postern(["events", "show", id]),
        await postern(["events", "list"]),
        await postern(["events", "tail", "--since", "1h", "--count", "1"]),
        await postern(["events", "show", `\u001b[2J${id}`]),
      ];
      for (const { out, err } of outputs) expect(out + err).not.toMatch(/[^\P{Cc}\n\t]|\u202e/u);
      expect(outputs[0]?.out).toContain("\\u001b]0;mine\\u0007\\u009b2J\\u202emoc");
      const json = await postern(["events", "show", id, "--json"]);
      expect(json.out).not.toMatch(/[^\P{Cc}\n\t]|\u202e/u);
      expect(JSON.parse(json.out)).toMatchObject({ type });
    } finally {
      await server.stop();
    }
  });

  test.each([
    ["stripe", "whsec_test_0123456789abcdef"],
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

describe("postern jobs and queues", () => {
  test("shows a job with its failures, cancels it, runs it again, and stops a queue meanwhile", async () => {
    await postern(["migrate"]);
    const { storage, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
    const now = Date.now();
    const [dead = 0, later = 0] = await storage.jobs.enqueue(
      [
        { kind: "mail", maxAttempts: 1 },
        { kind: "mail", maxAttempts: 1, dueAt: now + 3600_000 },
      ],
      now,
    );
    const [job] = await storage.jobs.claim({ runnerId: 900_000, queue: "default", limit: 1, now });
    if (job === undefined) throw new Error("nothing was claimed");
    await storage.jobs.finish([{ job, end: { to: "dead", error: "no mailbox" } }], now);
    await close();

    const list = JSON.parse((await postern(["jobs", "list", "--handler", "mail", "--json"])).out);
    expect(list.items.map(({ state }: { state: string }) => state)).toEqual(["scheduled", "dead"]);
    expect((await postern(["jobs", "show", String(dead)])).out).toContain("no mailbox");
    expect(JSON.parse((await postern(["jobs", "show", String(dead), "--json"])).out).failures).toHaveLength(1);
    expect((await postern(["jobs", "cancel", String(later)])).out).toContain(`Job ${later} is cancelled`);
    expect(await postern(["jobs", "cancel", String(later)])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/cancelled/),
    });
    expect(await postern(["jobs", "cancel", String(later), String(dead)])).toMatchObject({ code: 6 });
    expect((await postern(["queues", "pause", "default", "--note", "moving"])).out).toContain("paused");
    expect((await postern(["jobs", "retry", String(dead)])).out).toContain(`in the place of job ${dead}`);
    expect((await postern(["jobs", "retry", "999"])).code).toBe(3);
    expect(JSON.parse((await postern(["jobs", "stats", "--json"])).out)).toMatchObject({
      jobs: { dead: 1, cancelled: 1, ready: 1 },
      queues: [{ name: "default", paused: true, note: "moving", ready: 1 }],
      runners: [],
    });
    expect((await postern(["queues", "list"])).out).toContain("moving");
    expect((await postern(["queues", "resume", "default"])).out).toContain("not paused");
    expect((await postern(["queues", "pause", "No Queue"])).code).toBe(3);
  });
});

describe("postern audit", () => {
  test("lists what was done through a running server and on the command line, page by page, by every filter of the API", async () => {
    const server = await serve();
    try {
      await create("ada@example.com", "--role", "admin");
      const credentials = { email: "ada@example.com", password: "correct horse battery" };
      const signIn = (password: string) =>
        fetch(`${server.url}/api/v2/sessions`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ ...credentials, password }),
        });
      const { access_token: token } = (await (await signIn(credentials.password)).json()) as { access_token: string };
      expect((await signIn("wrong horse battery")).status).toBe(401);
      const made = await fetch(`${server.url}/api/v2/users/me/posts`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          authorization: `Bearer ${token}`,
          "x-request-id": "from-a-test",
        },
        body: JSON.stringify({ title: "A", body: "B" }),
      });
      const post = (await made.json()) as { id: string; user_id: string };

      const list = async (...more: string[]) => {
        const { code, out } = await postern(["audit", "list", "--json", ...more]);
        expect(code).toBe(0);
        const page: { items: { action: string; result: string }[]; next: string | null } = JSON.parse(out);
        return { done: page.items.map(({ action, result }) => `${action} ${result}`), ...page };
      };
      const all = [
        "posts.create done",
        "sessions.create invalid_credentials",
        "sessions.create done",
        "signing-keys.create done",
        "signing-keys.create done",
        "users.create done",
      ];
      expect((await list()).done).toEqual(all);
      expect((await list("--actor", "server", "--action", "users.create")).done).toEqual(all.slice(-1));
      expect((await list("--actor", post.user_id, "--action", "posts.create")).done).toEqual(all.slice(0, 1));
      expect((await list("--resource", "post", "--id", post.id)).done).toEqual(all.slice(0, 1));
      expect((await list("--since", "1h", "--until", "1m")).done).toEqual([]);
      expect((await list("--since", "1h")).done).toEqual(all);

      const first = await list("--limit", "3");
      expect(first.done).toEqual(all.slice(0, 3));
      expect(await list("--limit", "3", "--cursor", String(first.next))).toMatchObject({
        done: all.slice(3),
        next: null,
      });
      const shown = await postern(["audit", "list", "--limit", "1"]);
      expect(shown.out.split("\t").slice(1)).toEqual([
        `user ${post.user_id}`,
        "posts.create",
        "post",
        post.id,
        "title,body,status",
        "done",
        "127.0.0.1",
        "from-a-test\n",
      ]);
      expect(shown.err).toMatch(/^More: --cursor \S+\n$/);
    } finally {
      await server.stop();
    }
  });

  test("exports everything, oldest first, and finds what was changed, removed or cut off", async () => {
    await postern(["migrate"]);
    const names = Array.from({ length: 3 }, (_, n) => `user${n}@example.com`);
    for (const name of names) await create(name);
    const { ports, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
    await sealAuditLog(ports, async () => true);
    const exported = (await postern(["audit", "export", "--action", "users.create"])).out.trimEnd().split("\n");
    const entries = exported.map((line): { place: number; digest: string } => JSON.parse(line));
    expect(entries.map(({ place }) => place)).toEqual([1, 2, 3]);
    expect((await postern(["audit", "export", "--since", "1h", "--until", "1m"])).out).toBe("");

    const fine = await postern(["audit", "verify"]);
    const head = `3:${entries[2]?.digest}`;
    expect([fine.code, fine.out]).toEqual([0, ""]);
    expect(fine.err).toContain(`with --head: ${head}\n`);
    expect(fine.err).toContain("The audit log holds.");
    expect((await postern(["audit", "verify", "--head", head])).code).toBe(0);
    expect(await postern(["audit", "verify", "--head", "three"])).toMatchObject({ code: 2, out: "" });

    const lost = `9:${entries[2]?.digest}`;
    expect(await postern(["audit", "verify", "--head", lost])).toMatchObject({
      code: 8,
      out: "head: the seal that you kept, of place 9, is not in the log\n",
    });
    // Seals that nobody made of these entries.
    await ports.storage.auditChain.append([{ place: 6, entryId: 999, digest: "forged" }], 0);
    const found = await postern(["audit", "verify"]);
    expect([found.code, found.out.split("\n")]).toEqual([
      8,
      [
        "gap: the entries at places 4 to 5 and their seals are missing",
        "removed: entry 999, at place 6, is missing",
        "",
      ],
    ]);
    const asJson = await postern(["audit", "verify", "--json"]);
    expect(JSON.parse(asJson.out)).toMatchObject({ checked: 4, head: { place: 6, digest: "forged" }, waiting: 0 });
    await close();
  });

  test("refuses what the API refuses, and times that are none", async () => {
    await postern(["migrate"]);
    expect(await postern(["audit", "list", "--limit", "0"])).toMatchObject({ code: 2, out: "" });
    expect(await postern(["audit", "list", "--since", "soon"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--since takes"),
    });
    expect(await postern(["audit", "list", "--cursor", "x"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("[invalid_cursor]"),
    });
  });
});

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
    for (const name of ["hub", "demo", "nobody"]) {
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

describe("postern events replay and tail", () => {
  const withDeadEvents = async (): Promise<void> => {
    const file = join(directory, "postern.config.mjs");
    const broken = "async () => { throw Object.assign(new Error('no use'), {}); }";
    const handler = (handle: string) =>
      `export default { handlers: [{ name: "h", provider: "*", type: "*", retry: { delaysMs: [] }, timeoutMs: 1000, handle: ${handle} }] };`;
    writeFileSync(file, handler(broken));
    const config = readConfig(environment({ LOG_LEVEL: "error" }), false);
    const loaded = await loadConfigFile(file, directory);
    const server = await startServer(config, loaded);
    for (let n = 0; n < 5; n += 1) await postern(["send", "demo", "--url", String(server.url), "--id", `evt_${n}`]);
    for (;;) {
      const { items } = JSON.parse((await postern(["events", "list", "--state", "dead", "--json"])).out);
      if (items.length === 5) {
        // Why an event is dead is what its handler said last.
        expect(items[0].reason).toBe("h: Error: no use");
        break;
      }
    }
    await server.stop();
    writeFileSync(file, handler("async () => undefined"));
  };

  test("plans, asks, and runs all that match again", async () => {
    await withDeadEvents();
    const all = ["events", "replay", "--state", "dead", "--since", "1h"];
    expect(await postern([...all, "--dry-run"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/5 events match; 5 would run again.*Nothing was changed/s),
    });
    expect(await postern(all)).toMatchObject({ code: 7, out: "", err: expect.stringContaining("5 would run again") });
    const some = await postern([...all, "--limit", "2", "--yes", "--json"]);
    expect(JSON.parse(some.out)).toMatchObject({ matched: 2, replayed: 2, next: expect.any(String) });
    expect((await postern([...all, "--yes", "--rate", "100"])).out).toMatch(/3 events match; 3 run again/);
    expect((await postern([...all, "--until", "2h", "--yes"])).code).toBe(2);
    expect((await postern(["events", "replay"])).code).toBe(2);
    expect((await postern(["events", "replay", "1", "--state", "dead"])).code).toBe(2);
    expect((await postern(["events", "replay", "--state", "dead", "--since", "yesterday"])).code).toBe(2);
  });

  test("shows what came in, oldest first", async () => {
    await withDeadEvents();
    const tailed = await postern(["events", "tail", "--since", "1h", "--count", "3", "--json"]);
    const lines = tailed.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).event_id);
    expect(lines).toEqual(["evt_0", "evt_1", "evt_2"]);
  });
});

describe("postern verify", () => {
  const variables = { WEBHOOK_GITHUB_SECRET: "it is a secret to everybody" };
  const save = async (body: string) => {
    const headers = await sign(schemes.github, { keys: variables.WEBHOOK_GITHUB_SECRET, body, type: "push", id: "d1" });
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    writeFileSync(join(directory, "request.headers"), `POST /hooks HTTP/1.1\r\n${lines.join("\r\n")}\r\n`);
    writeFileSync(join(directory, "body"), body);
  };

  test("tells a request whose signature holds from one that was changed, and why", async () => {
    await save('{"ref":"main"}');
    const verify = (...more: string[]) =>
      postern(["verify", "github", "--headers", "request.headers", ...more], { variables });
    expect(await verify("body")).toMatchObject({ code: 0, out: expect.stringContaining("valid: push d1") });
    expect(JSON.parse((await verify("body", "--json")).out)).toMatchObject({
      valid: true,
      covered: ["body"],
      bytes: 14,
    });
    writeFileSync(join(directory, "body"), '{"ref":"main"}\n');
    const changed = await verify("body", "--json");
    expect([changed.code, JSON.parse(changed.out)]).toMatchObject([8, { valid: false, code: "signature_mismatch" }]);
    expect(changed.out + changed.err).not.toContain("secret to everybody");
    expect((await verify("nowhere")).code).toBe(2);
    expect((await verify("body", "--at", "noon")).code).toBe(2);
  });
});

describe("postern clients", () => {
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
    const replaced = JSON.parse((await postern(["clients", "replace-keys", made.id, "next.json", "--json"])).out);
    expect(replaced.jwks.keys.map(({ kid }: { kid: string }) => kid)).toEqual(["next"]);
    const refused = await postern(["clients", "replace-keys", made.id, "private.json"]);
    expect([refused.code, refused.err.includes("public key")]).toEqual([2, true]);
    writeFileSync(join(directory, "odd.json"), "-----BEGIN");
    expect(await postern([...line, "--jwks", "odd.json"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("odd.json is not JSON"),
    });
  });
});

describe("postern doctor", () => {
  test("says whether the keys of the outside issuer can be read", async () => {
    const keys = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" });
    let answers = true;
    const server = createServer(({ url, headers }, response) => {
      const issuer = `http://${headers.host}`;
      const found = url === "/keys" ? { keys: [{ ...keys, kid: "k" }] } : { issuer, jwks_uri: `${issuer}/keys` };
      response.writeHead(answers ? 200 : 503).end(JSON.stringify(found));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    // A server that listens on a port has an address of this kind.
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const variables = { POSTERN_OIDC_ISSUER: issuer, POSTERN_OIDC_AUDIENCE: "api" };
    await postern(["migrate"]);
    expect((await postern(["doctor"], { variables })).out).toContain(
      `ok    outside issuer: ${issuer} publishes 1 key\n`,
    );
    answers = false;
    expect((await postern(["doctor"], { variables })).out).toMatch(/warn {2}outside issuer: .* answers 503 .*Check/);
    server.close();
    expect((await postern(["doctor"])).out).not.toContain("outside issuer");
  });

  test("finds missing tables and weak secrets, and is content afterwards", async () => {
    const before = await postern(["doctor", "--json"], {
      variables: { WEBHOOK_STRIPE_SECRET: "whsec_test", WEBHOOK_STRIPE_ALLOW_SHORT: "1" },
    });
    expect(before.code).toBe(8);
    const items: { check: string; ok: boolean }[] = JSON.parse(before.out).items;
    expect(items.filter(({ ok }) => !ok).map(({ check }) => check)).toEqual(["provider stripe", "database"]);
    await postern(["migrate"]);
    await create("root@example.com", "--role", "admin");
    const after = await postern(["doctor"]);
    expect([after.code, after.out]).toEqual([0, expect.not.stringContaining("FAIL")]);
    expect(after.out).not.toContain("warn");
  });

  test("finds jobs that nobody runs, quarantined events and keys that cannot be opened", async () => {
    await postern(["migrate"]);
    await postern(["providers", "add", "acme", "--scheme", "standard-webhooks"], {
      stdin: `whsec_${Buffer.alloc(32, 1).toString("base64")}`,
    });
    const { storage, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
    const old = Date.now() - 3_600_000;
    await storage.events.accept([
      newEvent("evt_1", { receivedAt: old, jobs: [{ kind: "nobody", maxAttempts: 1 }] }),
      newEvent("evt_2", { receivedAt: Date.now() + 3_600_000, disposition: "quarantined", reason: "x", jobs: [] }),
    ]);
    await close();
    const variables = { POSTERN_SECRET_KEY: Buffer.alloc(32, 9).toString("base64") };
    const { out } = await postern(["doctor", "--json"], { variables });
    const items: { check: string; ok: boolean; text: string }[] = JSON.parse(out).items;
    const bad = items.filter(({ ok }) => !ok).map(({ check }) => check);
    expect(bad).toEqual([
      "administrator",
      "oldest waiting job",
      "runners",
      "quarantined events",
      "clock",
      "provider acme",
    ]);
    expect(items.map(({ check }) => check)).toEqual(expect.arrayContaining(["disk space", "write-ahead log"]));
  });

  test("names the kinds of jobs that no running process has a handler for", async () => {
    await postern(["migrate"]);
    const { storage, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
    await storage.runners.register({ name: "old", kinds: ["known"] }, Date.now());
    const jobs = ["known", "planned", "planned"].map((kind) => ({ kind, maxAttempts: 1 }));
    await storage.jobs.enqueue(jobs, Date.now());
    await close();
    const items = JSON.parse((await postern(["doctor", "--json"])).out).items;
    expect(items.find(({ check }: { check: string }) => check === "jobs without a handler")).toMatchObject({
      ok: false,
      text: expect.stringContaining("planned (2); no running process has a handler"),
    });
  });

  test("shows where alerts go, and those that did not arrive", async () => {
    await postern(["migrate"]);
    const alerts = async (variables = {}) =>
      JSON.parse((await postern(["doctor", "--json"], { variables })).out).items.find(
        ({ check }: { check: string }) => check === "alerts",
      );
    expect(await alerts()).toMatchObject({ ok: true, text: expect.stringContaining("POSTERN_ALERT_URL is not set") });
    const variables = { POSTERN_ALERT_URL: "http://127.0.0.1:1/in" };
    expect(await alerts(variables)).toMatchObject({ ok: true });
    const { storage, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
    await storage.jobs.enqueue([{ kind: "postern.alert", maxAttempts: 3, dueAt: Date.now() + 3600_000 }], Date.now());
    await close();
    expect(await alerts(variables)).toMatchObject({
      ok: false,
      warning: true,
      text: expect.stringMatching(/^1 alert did not arrive at POSTERN_ALERT_URL/),
    });
  });

  test("shows how long things are kept, as the file and above it the environment say, and misses who sees to it", async () => {
    await postern(["migrate"]);
    let files = 0;
    const items = async (retention: string, more = {}): Promise<{ check: string; ok: boolean; text: string }[]> => {
      files += 1;
      const file = join(directory, `${files}.config.mjs`);
      writeFileSync(file, `export default { retention: ${retention} };`);
      const variables = { POSTERN_CONFIG: file, ...more };
      const found = JSON.parse((await postern(["doctor", "--json"], { variables })).out).items;
      return found.filter(({ check }: { check: string }) =>
        ["configuration", "retention", "housekeeping"].includes(check),
      );
    };
    const kept = (text: string) => ({ check: "retention", ok: true, text: `days: ${text}` });
    const idle = { check: "housekeeping", ok: true, text: "has not been due yet" };
    const fine = expect.objectContaining({ check: "configuration", ok: true });
    const said = [fine, expect.objectContaining(kept("bodies 3, events 35, done jobs 1, audit log 90"))];
    expect(await items("{ bodies: 3, audit: 90 }")).toEqual([...said, expect.objectContaining(idle)]);
    expect((await items("{ bodies: 3 }", { POSTERN_RETENTION_BODIES: "5" }))[1]).toMatchObject(
      kept("bodies 5, events 35, done jobs 1, audit log 400"),
    );
    expect((await items("{}", { POSTERN_RETENTION_EVENTS: "10" }))[1]).toMatchObject(
      kept("bodies 10, events 10, done jobs 1, audit log 400"),
    );
    expect((await items("{ bodies: 40 }"))[1]).toMatchObject({ check: "retention", ok: false });
    expect(await items("{ body: 3, audit: -1 }")).toEqual([
      expect.objectContaining({
        ok: false,
        text: expect.stringContaining('retention: there is no option "body"; there are done_jobs'),
      }),
      expect.objectContaining({
        ok: false,
        text: expect.stringContaining('retention: "audit" must be days, 0 or more, not'),
      }),
    ]);

    const { storage, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
    const slot = Date.now() - 5 * 3_600_000;
    const job = { kind: "postern.prune", maxAttempts: 1 };
    await storage.scheduleSlots.fire({ name: "postern.prune", slot, job }, slot);
    await close();
    expect((await items("{}"))[2]).toMatchObject({
      check: "housekeeping",
      ok: false,
      text: expect.stringContaining("for 5 hours"),
    });
  });

  test("reports a bad configuration as a problem", async () => {
    expect(await postern(["doctor"], { variables: { PORT: "many" } })).toMatchObject({
      code: 8,
      out: expect.stringContaining("PORT"),
    });
    expect(existsSync(join(directory, "data"))).toBe(false);
  });
});

describe("postern openapi, changelog, deprecations", () => {
  test("say what the API is, what changed in it and who uses what will go away", async () => {
    const v1 = JSON.parse((await postern(["openapi", "--api-version", "v1"])).out);
    expect(v1.servers[0].url).toBe("/api/v1");
    expect(JSON.parse((await postern(["openapi"])).out).servers[0].url).toBe("/api/v2");
    expect((await postern(["openapi", "--api-version", "v9"])).code).toBe(3);
    expect((await postern(["changelog"])).out).toContain("- **renamed, breaking** `post.content → post.body`");
    expect(JSON.parse((await postern(["changelog", "--json"])).out).items.length).toBeGreaterThan(4);
    await postern(["migrate"]);
    const { code, out } = await postern(["deprecations"]);
    expect(code).toBe(0);
    expect(out).toContain("user-subscription-status");
    expect(JSON.parse((await postern(["deprecations", "--json"])).out).items[0]).toMatchObject({ calls: 0 });
  });
});
