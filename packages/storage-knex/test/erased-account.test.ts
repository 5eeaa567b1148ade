import { type App, createApp } from "@postern/app";
import { memoryMailer, memoryPorts } from "@postern/core/memory";
import { versionOf } from "@postern/rest";
import { expect, test } from "vitest";
import { onEachDatabase, type TestDatabases, withKnex } from "./databases.ts";

const password = "correct horse battery";
const email = "zenobia.quist@example.org";
const operator = { kind: "operator", name: "test" } as const;

/** Everything that is stored, as one line of text for each row, by table. */
const stored = (databases: TestDatabases, url: string): Promise<ReadonlyMap<string, readonly string[]>> =>
  withKnex(databases, url, async (db) => {
    const named =
      databases.name === "SQLite"
        ? await db.raw("SELECT name FROM sqlite_master WHERE type = 'table'")
        : (await db.raw("SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()"))[0];
    const tables = new Map<string, readonly string[]>();
    for (const { name } of named as readonly { name: string }[]) {
      const rows: readonly object[] = await db(name).select();
      const lines = rows.map((row) =>
        JSON.stringify(Object.values(row).map((value) => (Buffer.isBuffer(value) ? value.toString("utf8") : value))),
      );
      tables.set(name, lines);
    }
    return tables;
  });

/** The tables with a row that contains the text. */
const holding = (tables: ReadonlyMap<string, readonly string[]>, text: string): readonly string[] =>
  [...tables]
    .filter(([, rows]) => rows.some((row) => row.toLowerCase().includes(text.toLowerCase())))
    .map(([name]) => name);

onEachDatabase("a deleted account", (databases) => {
  const scene = async () => {
    const opened = await databases.fresh();
    const { storage, rateLimits, deprecatedUses } = opened;
    const ports = memoryPorts({ storage, rateLimits, deprecatedUses, mailer: memoryMailer() });
    const app: App = createApp({ ports, settings: { accountPage: "https://api.example.com/api/account" } });
    /** As that user. */
    const call = async (operation: string, given: Partial<CallOptions> = {}) => {
      const version = versionOf(app.versions, "v1");
      const found = version.operations.find(({ id }) => id === operation);
      if (found === undefined) throw new Error(`there is no operation ${operation}`);
      const { token, body, params = {}, key } = given;
      const answer = await app.handle({
        operation: found,
        facts: {
          id: "request-1",
          version,
          base: "/api/v1",
          target: `/api/v1${found.path}`,
          address: "203.0.113.77",
          agent: "quist-phone",
        },
        params,
        query: () => [],
        headers: key === undefined ? {} : { "idempotency-key": key },
        body: async () => (body === undefined ? undefined : { value: body, text: JSON.stringify(body) }),
        credential: () => token,
      });
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
      return (answer.text === undefined ? answer.body : JSON.parse(answer.text)) as Readonly<Record<string, string>>;
    };
    const work = async (): Promise<void> => {
      const worker = app.worker({ name: "only", concurrency: 4 });
      await worker.start();
      const isBusy = async () =>
        (await storage.jobRecords.list({ limit: 99 })).some(({ state }) => state === "running");
      for (let turn = 0; turn < 5 || (await isBusy()); turn += 1) {
        await worker.runDue();
        await ports.clock.advance(0);
      }
      await worker.stop(0);
    };
    return { app, ports, call, work, url: databases.urlOf(opened), storage };
  };
  interface CallOptions {
    readonly token: string | undefined;
    readonly body: unknown;
    readonly params: Readonly<Record<string, string>>;
    readonly key: string;
  }

  test("leaves nothing personal; the audit log keeps its id and network address until they are old", async () => {
    const { app, ports, call, work, url, storage } = await scene();
    await app.run({
      operation: "users.create",
      principal: operator,
      body: { name: "Root", email: "root@example.com", password, role: "admin" },
    });
    const person = { name: "Zenobia Quist", email, password, phone: "+44 20 5550 1212", address: "7 Larkspur Row" };
    const { id = "" } = await call("users.create", { body: person, key: '"sign-up-of-zenobia"' });
    const signedIn = await call("sessions.create", { body: { email, password } });
    const token = signedIn.access_token;
    const sessionId = (await storage.audit.list({ action: "sessions.create", limit: 1 }))[0]?.resourceId ?? "";
    const post = await call("posts.create", {
      token,
      params: { id: "me" },
      body: { title: "Of larks", content: "My larkspur diary" },
      key: '"a-post"',
    });
    await call("comments.create", { token, params: { id: post.id ?? "" }, body: { content: "My own larkspur words" } });
    const key = await call("api-keys.create", { token, body: { name: "larkspur key", scopes: ["posts:read"] } });
    await call("password-resets.create", { body: { email } });
    await call("users.update", { token, params: { id: "me" }, body: { name: "Zenobia Quist-Larkspur" } });
    await call("second-factors.create", { token, params: { id: "me" }, body: {} });
    const long = "🙂 a long post ".repeat(1_000);
    for (let n = 0; n < 40; n += 1) {
      await call("posts.create", { token, params: { id: "me" }, body: { title: `${n}`, content: `${n} ${long}` } });
    }
    const asked = await call("exports.create", { token, params: { id: "me" }, body: {} });
    await work();

    const personal = [email, "zenobia", "quist", "5550 1212", "larkspur"];
    const ids = [id, sessionId, post.id ?? "", key.id ?? ""];
    const exportId = asked.id ?? "";
    const before = await stored(databases, url);
    expect(holding(before, email)).toContain("users");
    expect(holding(before, "larkspur diary")).toEqual(["posts"]);
    expect(holding(before, sessionId)).toContain("sessions");
    expect(holding(before, exportId)).toEqual(expect.arrayContaining(["user_exports", "user_export_pieces"]));
    expect(before.get("user_export_pieces")?.length).toBeGreaterThan(10);
    const archive = await call("exports.read-archive", { token, params: { id: "me", exportId } });
    const { posts } = archive.resources as unknown as { posts: readonly { body: string }[] };
    expect(posts.slice(1).map(({ body }) => body)).toEqual(Array.from({ length: 40 }, (_, n) => `${n} ${long}`));

    await call("users.delete", { token, params: { id: "me" } });
    await work();
    await storage.housekeeping.finishDeletions(500);
    // What was kept for repeats of requests is sealed, and gone after a day; limits forget after hours.
    const soon = await stored(databases, url);
    for (const table of ["user_exports", "user_export_pieces"]) expect(soon.get(table)).toEqual([]);
    for (const text of personal) expect([text, holding(soon, text)]).toEqual([text, []]);
    for (const one of ids) {
      const tables = holding(soon, one).filter((table) => table !== "rate_limit");
      expect([one, tables]).toEqual([one, ["audit_log"]]);
    }

    const day = 24 * 3_600_000;
    await ports.clock.advance(day + 1);
    await storage.answers.purge(ports.clock.now(), 1000);
    await ports.rateLimits.forgetFree(ports.clock.now());
    for (const what of ["done_jobs", "dead_jobs", "cancelled_jobs"] as const) {
      await storage.housekeeping.prune(what, ports.clock.now() + day, 1000);
    }
    const later = await stored(databases, url);
    expect(later.get("kept_answer")).toEqual([]);
    expect(holding(later, "203.0.113.77")).toEqual(["audit_log"]);
    expect(later.get("job")).toEqual([]);
    // Who still uses what is deprecated is counted by ids, too, for as long.
    for (const one of ids) {
      const tables = holding(later, one).filter((table) => table !== "deprecated_call");
      expect([one, tables]).toEqual([one, ["audit_log"]]);
    }
    // No entry says more than ids, names of fields and the network address.
    for (const row of later.get("audit_log") ?? []) expect(row).not.toMatch(/@|zenobia|larkspur|Root/i);
  });
});
