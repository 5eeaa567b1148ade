import { type App, builtInVersions, createApp } from "@postern/app";
import { eraseOrigins, sealAuditLog, verifyAuditLog } from "@postern/app/internal";
import { memoryMailer, memoryPorts } from "@postern/core/memory";
import { versionOf } from "@postern/rest";
import { expect, test } from "vitest";
import { onEachDatabase, type TestDatabases, tablesIn, withKnex } from "./databases.ts";

const password = "correct horse battery";
const email = "zenobia.quist@example.org";
const address = "203.0.113.77";
/** A caller may choose it. */
const requestId = "zenobia-1";
const operator = { kind: "operator", name: "test" } as const;

/** The whole content of the database by table, with one line of text for each row. */
const stored = (databases: TestDatabases, url: string): Promise<ReadonlyMap<string, readonly string[]>> =>
  withKnex(url, async (db) => {
    const tables = new Map<string, readonly string[]>();
    for (const name of await tablesIn(databases, db)) {
      const rows: readonly object[] = await db(name).select();
      const lines = rows.map((row) =>
        JSON.stringify(Object.values(row).map((value) => (Buffer.isBuffer(value) ? value.toString("utf8") : value))),
      );
      // Programs are counted for all callers without a credential together: they belong to nobody.
      const isOfNobody = (line: string) => name === "deprecated_call" && line.includes('"anonymous"');
      tables.set(
        name,
        lines.filter((line) => !isOfNobody(line)),
      );
    }
    return tables;
  });

/** The tables with a row that contains the text. */
const holding = (tables: ReadonlyMap<string, readonly string[]>, text: string): readonly string[] =>
  [...tables]
    .filter(([, rows]) => rows.some((row) => row.toLowerCase().includes(text.toLowerCase())))
    .map(([name]) => name)
    .toSorted();

onEachDatabase("a deleted account", (databases) => {
  const scene = async () => {
    const opened = await databases.fresh();
    const { storage, rateLimits, deprecatedUses } = opened;
    const ports = memoryPorts({ storage, rateLimits, deprecatedUses, mailer: memoryMailer() });
    const app: App = createApp({
      versions: builtInVersions,
      ports,
      settings: { accountPage: "https://api.example.com/api/account" },
    });
    /** As that user. */
    const call = async (operation: string, given: Partial<CallOptions> = {}) => {
      const version = versionOf(app.versions, "v1");
      const found = version.operations.find(({ id }) => id === operation);
      if (found === undefined) throw new Error(`there is no operation ${operation}`);
      const { token, body, params = {}, key, refused } = given;
      const answer = await app.handle({
        operation: found,
        facts: {
          id: requestId,
          version,
          base: "/api/v1",
          target: `/api/v1${found.path}`,
          address,
          agent: "quist-phone",
        },
        params,
        query: [],
        headers: key === undefined ? {} : { "idempotency-key": key },
        body: async () => (body === undefined ? undefined : { value: body, text: JSON.stringify(body) }),
        credential: token,
      });
      if (refused === undefined) expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
      else expect(answer.body).toMatchObject({ code: refused });
      return (answer.text === undefined ? answer.body : JSON.parse(answer.text)) as Readonly<Record<string, string>>;
    };
    const work = async (): Promise<void> => {
      const worker = app.worker({ name: "only", concurrency: 4 });
      await worker.start();
      // One turn starts as many jobs as there are free slots, and the next turn may come before the
      // database has ended them.
      const isUnfinished = async () =>
        (await storage.jobRecords.list({ limit: 99 })).some(({ state }) => state === "ready" || state === "running");
      for (let turn = 0; turn < 5 || (await isUnfinished()); turn += 1) {
        await worker.runDue();
        await ports.clock.advance(0);
      }
      const failed = (await storage.jobRecords.list({ limit: 99 })).filter(({ lastError }) => lastError !== undefined);
      expect(failed.map(({ kind, lastError }) => [kind, lastError])).toEqual([]);
      await worker.stop(0);
    };
    return { app, ports, call, work, url: databases.urlOf(opened), storage, deprecatedUses };
  };
  interface CallOptions {
    readonly token: string | undefined;
    readonly body: unknown;
    readonly params: Readonly<Record<string, string>>;
    readonly key: string;
    /** The code of the expected error. */
    readonly refused: string;
  }

  test("leaves nothing personal; the audit log keeps its ids and its chain stays valid", async () => {
    const { app, ports, call, work, url, storage, deprecatedUses } = await scene();
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
    await call("sessions.create", { body: { email, password: "a wrong password" }, refused: "invalid_credentials" });
    const second = await call("sessions.create", { body: { email, password } });
    const third = await call("sessions.refresh", { body: { refresh_token: second.refresh_token } });
    // Once its successor is used, the token is a copy.
    await call("sessions.refresh", { body: { refresh_token: third.refresh_token } });
    // The copy of a refresh token: the entry has no credential, and names the session.
    const copy = { body: { refresh_token: second.refresh_token }, refused: "invalid_token" };
    await call("sessions.refresh", copy);
    expect(await storage.audit.list({ action: "sessions.reuse-detected", limit: 9 })).toHaveLength(1);
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
    // The server stores deprecated calls once a minute.
    await ports.clock.advance(60_000);
    const counts = () => deprecatedUses.sums({ since: "2026-01-01", limit: 99 });
    await expect.poll(async () => JSON.stringify(await counts())).toContain(`user:${id}`);
    await sealAuditLog(ports, async () => true);
    const sealed = await verifyAuditLog(ports);
    expect([sealed.findings, sealed.waiting]).toEqual([[], 0]);
    await ports.clock.advance(11 * 60_000);
    expect(await eraseOrigins(ports, async () => true)).toBe(1);
    // Answers that are kept for repeated requests are sealed, and deleted after a day. Rate limits
    // are forgotten after hours.
    const soon = await stored(databases, url);
    for (const table of ["user_exports", "user_export_pieces"]) expect(soon.get(table)).toEqual([]);
    const whose = (await storage.audit.list({ limit: 1_000 })).filter((entry) => entry.address === address);
    // The entry names no account, so nobody can tell whose it is. It keeps its origin for 30 days.
    expect(whose.map(({ action }) => action)).toEqual(["password-resets.create"]);
    for (const text of personal.filter((one) => !requestId.includes(one))) {
      expect([text, holding(soon, text)]).toEqual([text, []]);
    }
    // A seal has the ids of its entry, so that lists find it, and is deleted with the entry.
    const log = ["audit_log", "sealed_entry"];
    for (const one of ids) {
      const tables = holding(soon, one).filter((table) => table !== "rate_limit");
      expect([one, tables]).toEqual([one, log]);
    }

    const day = 24 * 3_600_000;
    await ports.clock.advance(day + 1);
    await storage.answers.purge(ports.clock.now(), 1000);
    await ports.rateLimits.forgetFree(ports.clock.now());
    for (const what of ["done_jobs", "dead_jobs", "cancelled_jobs"] as const) {
      await storage.housekeeping.prune(what, ports.clock.now() + day, 1000);
    }
    await ports.clock.advance(30 * day);
    expect(await eraseOrigins(ports, async () => true)).toBe(0);
    const later = await stored(databases, url);
    expect(later.get("kept_answer")).toEqual([]);
    for (const text of [address, ...personal]) expect([text, holding(later, text)]).toEqual([text, []]);
    // In the whole log, only the addresses are gone, and a changed entry is still detected.
    const held = await verifyAuditLog(ports);
    expect([held.findings, held.checked >= sealed.checked]).toEqual([[], true]);
    const own = await storage.audit.list({ actorId: id, limit: 1_000 });
    expect(own.length).toBeGreaterThan(45);
    for (const entry of own) expect([entry.address.slice(0, 7), entry.requestId]).toEqual(["erased:", "erased"]);
    const changed = own[3];
    await withKnex(url, (db) =>
      db("audit_log")
        .where("id", changed?.id ?? 0)
        .update("result", "forbidden"),
    );
    expect((await verifyAuditLog(ports)).findings).toEqual([
      { kind: "changed", place: changed?.seal?.place, entryId: changed?.id },
    ]);
    expect(later.get("job")).toEqual([]);
    for (const one of ids) expect([one, holding(later, one)]).toEqual([one, log]);
    // Entries contain only ids and names of fields.
    for (const table of log) {
      for (const row of later.get(table) ?? []) expect(row).not.toMatch(/@|zenobia|larkspur|Root|203\.0/i);
    }
  });
});
