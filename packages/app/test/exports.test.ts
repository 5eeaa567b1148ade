import { type AppOptions, user } from "@postern/app";
import { allRows, defineResource, equals, ownedBy, prose, reference, text, where } from "@postern/core";
import { memoryMailer, memoryStorage } from "@postern/core/memory";
import { describe, expect, test } from "vitest";
import { outsideIdentity } from "../src/resources/outside-identity.ts";
import { session } from "../src/resources/session.ts";
import { userExport, userExportPiece } from "../src/resources/user-export.ts";
import { testApi } from "./api.ts";

const password = "correct horse battery";
const minute = 60_000;
const hour = 60 * minute;
const system = allRows("test");
const order = [{ field: "id", direction: "asc" }] as const;

/** The app, and a worker that makes the archives. */
const scene = async (options: Partial<AppOptions> = {}, instead: Parameters<typeof testApi>[1] = {}) => {
  const api = testApi({ ...options, settings: { rateLimits: "off", ...options.settings } }, instead);
  const worker = api.app.worker({ name: "only", concurrency: 10 });
  await worker.start();
  const { call, ports } = api;
  const work = async (ms = 0) => {
    await ports.clock.advance(ms);
    const isBusy = async () =>
      (await ports.storage.jobRecords.list({ limit: 99 })).some(({ state }) => state === "running");
    // Sealing and hashing take real time.
    for (let looked = 0; looked < 5 || (await isBusy()); looked += 1) {
      await worker.runDue();
      await ports.clock.advance(0);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  const signIn = async (name: string): Promise<string> =>
    (await call("POST", "/sessions", { body: { email: `${name}@example.com`, password } })).body.access_token;
  const ask = (token: string, body: unknown = {}) => call("POST", "/users/me/exports", { token, body });
  const stateOf = (token: string, id: string) => call("GET", `/users/me/exports/${id}`, { token });
  const archiveOf = (token: string, id: string) => call("GET", `/users/me/exports/${id}/archive`, { token });
  /** Asks for an archive and fetches it. */
  const archive = async (token: string) => {
    const { id } = (await ask(token)).body;
    await work();
    const fetched = await archiveOf(token, id);
    expect(fetched.status, JSON.stringify(fetched.body)).toBe(200);
    return { id: String(id), text: fetched.text ?? "", ...JSON.parse(fetched.text ?? "") };
  };
  const rowsLeft = async () => [
    await ports.storage.resources.count(userExport, { scope: system }, 99),
    await ports.storage.resources.count(userExportPiece, { scope: system }, 99),
  ];
  return { ...api, worker, work, signIn, ask, stateOf, archiveOf, archive, rowsLeft };
};

describe("an export", () => {
  test("is asked for, made and fetched, and holds its user's data without a secret", async () => {
    const { call, user: make, ask, work, stateOf, archiveOf, ports, admin } = await scene();
    const ada = await make("ada");
    const bob = await make("bob");
    const { token } = ada;
    const post = await call("POST", `/users/${ada.id}/posts`, { token, body: { title: "Mine", body: "🙂 of Ada" } });
    expect(post.status).toBe(201);
    await call("POST", `/users/${bob.id}/posts`, { token: bob.token, body: { title: "Bob's", body: "of Bob" } });
    const comment = { token, body: { body: "by Ada" } };
    expect((await call("POST", `/posts/${post.body.id}/comments`, comment)).status).toBe(201);
    const keyBody = { name: "nightly", scopes: ["posts:read"] };
    const key = (await call("POST", "/api-keys", { token, body: keyBody })).body;
    const secret = (await call("POST", "/users/me/second-factor", { token })).body.secret;
    const at = "2026-01-01T00:00:00.000Z";
    const link = { id: "0190a0a0-0000-7000-8000-000000000001", user_id: ada.id, issuer: "https://id.example.org" };
    const rest = { subject: "ada-there", identity: "f".repeat(64), state: "linked", created_at: at, updated_at: at };
    await ports.storage.resources.insert(outsideIdentity, { ...link, ...rest });

    const asked = await ask(token);
    const { id } = asked.body;
    expect(asked.status).toBe(202);
    expect(asked.headers.location).toBe(`/api/v2/users/${ada.id}/exports/${id}`);
    expect(asked.body).toMatchObject({ state: "pending", bytes: null, reason: null });
    const early = await archiveOf(token, id);
    expect([early.status, early.body.code]).toEqual([409, "state_conflict"]);
    await work();
    const ready = await stateOf(token, id);
    const fetched = await archiveOf(token, id);
    const whole = fetched.text ?? "";
    expect(ready.body).toMatchObject({ id, state: "ready", bytes: Buffer.byteLength(whole) });
    expect(Date.parse(ready.body.expires_at)).toBe(ports.clock.now() + 24 * hour);
    expect(fetched.headers).toMatchObject({
      "content-type": "application/json",
      "cache-control": "no-store",
      "content-disposition": expect.stringMatching(/^attachment; filename="export-[-\d]{10}\.json"$/),
    });

    const found = JSON.parse(whole);
    expect(found.user).toEqual((await call("GET", "/users/me", { token })).body);
    expect(Object.keys(found.resources).toSorted()).toEqual(["api_keys", "comments", "grants", "posts", "sessions"]);
    expect(found.resources.posts).toMatchObject([{ id: post.body.id, body: "🙂 of Ada" }]);
    expect(found.resources.comments).toMatchObject([{ body: "by Ada" }]);
    expect(found.resources.api_keys).toMatchObject([{ id: key.id, name: "nightly" }]);
    expect(found.resources.sessions).toMatchObject([{ user_id: ada.id, address: "192.0.2.1" }]);
    expect(found.outside_identities).toEqual([
      { issuer: link.issuer, subject: rest.subject, created_at: at, state: "linked" },
    ]);
    expect(found.audit.complete).toBe(true);
    expect(found.audit.entries.map(({ action }: { action: string }) => action)).toContain("exports.create");

    const stored = await ports.storage.resources.find(user, ada.id, system);
    const where = equals("user_id", ada.id);
    const [signedIn] = await ports.storage.resources.list(session, { scope: system, where, order, limit: 1 });
    for (const hidden of [stored?.password, signedIn?.refresh_digest, key.key, secret, ada.refresh, rest.identity]) {
      expect(String(hidden).length).toBeGreaterThan(8);
      expect(whole).not.toContain(String(hidden));
    }
    expect(whole).not.toMatch(/digest|sealed|"password"|of Bob|Bob's/);
    const pieces = await ports.storage.resources.list(userExportPiece, { scope: system, order, limit: 9 });
    expect(pieces.length).toBeGreaterThan(0);
    expect(JSON.stringify(pieces)).not.toContain("ada@example.com");

    const actions = (await ports.storage.audit.list({ resource: "user_export", limit: 9 })).map((one) => one.action);
    expect(actions).toEqual(["exports.read-archive", "exports.create"]);
    // For its user alone: not for others, not for administrators.
    const boss = await admin();
    for (const other of [bob.token, boss.token]) {
      for (const path of [`/users/${ada.id}/exports/${id}`, `/users/${ada.id}/exports/${id}/archive`]) {
        expect((await call("GET", path, { token: other })).status).toBe(404);
      }
      expect((await stateOf(other, id)).status).toBe(404);
      expect((await archiveOf(other, id)).status).toBe(404);
      expect((await call("POST", `/users/${ada.id}/exports`, { token: other, body: {} })).status).toBe(404);
    }
  });

  test("needs a session, and a recent sign-in or the password to ask for it", async () => {
    const { call, user: make, ask, stateOf, archive, ports, signIn } = await scene();
    const { token, id: userId } = await make("ada");
    const { id } = await archive(token);
    const body = { name: "all", scopes: ["users:read", "users:write"] };
    const { key } = (await call("POST", "/api-keys", { token, body })).body;
    expect((await ask(key)).status).toBe(403);
    expect((await stateOf(key, id)).status).toBe(403);
    expect((await call("GET", `/users/${userId}/exports/${id}/archive`)).status).toBe(401);
    const late = await signIn("ada");
    await ports.clock.advance(6 * minute);
    expect((await ask(late)).body.code).toBe("sign_in_too_old");
    expect((await ask(late, { current_password: "wrong horse battery" })).body.code).toBe("invalid_credentials");
    expect((await ask(late, { current_password: password })).status).toBe(202);
    expect((await stateOf(late, id)).status).toBe(200);
  });

  test("is one at a time and three a day, and is gone after 24 hours", async () => {
    const { user: make, ask, work, worker, archive, archiveOf, stateOf, signIn, ports, rowsLeft } = await scene();
    const { token } = await make("ada");
    const both = await Promise.all([ask(token), ask(token)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([202, 409]);
    await work();
    const first = String(both.find(({ status }) => status === 202)?.body.id);
    await archive(token);
    await archive(token);
    const fourth = await ask(token);
    expect([fourth.status, fourth.body.code]).toEqual([429, "rate_limited"]);
    expect(Number(fourth.headers["retry-after"])).toBe(24 * 3600);
    expect((await rowsLeft())[0]).toBe(3);
    await ports.clock.advance(24 * hour - 1);
    const later = await signIn("ada");
    expect((await archiveOf(later, first)).status).toBe(200);
    await ports.clock.advance(1);
    expect([(await archiveOf(later, first)).status, (await stateOf(later, first)).status]).toEqual([404, 404]);
    expect((await ask(later)).status).toBe(202);
    await worker.fireSchedules();
    await ports.clock.advance(hour);
    await worker.fireSchedules();
    await work();
    expect(await rowsLeft()).toEqual([1, 1]);
  });

  test("fails, and says what to do, when it would be longer than the bound", async () => {
    const {
      call,
      user: make,
      ask,
      work,
      stateOf,
      archiveOf,
      rowsLeft,
    } = await scene({ settings: { exportBytes: 5_000 } });
    const { token, id } = await make("ada");
    await call("POST", `/users/${id}/posts`, { token, body: { title: "Long", body: "x".repeat(4_900) } });
    const asked = (await ask(token)).body;
    await work();
    const { body } = await stateOf(token, asked.id);
    expect(body).toMatchObject({
      state: "failed",
      bytes: null,
      reason: expect.stringMatching(/5000 bytes.*http\.memoryLimitBytes/),
    });
    expect((await archiveOf(token, asked.id)).body.code).toBe("state_conflict");
    expect((await rowsLeft())[1]).toBe(0);
    // It counts as one of the three of the day, but it does not prevent the next one.
    expect((await ask(token)).status).toBe(202);
  });

  test("says so when it could not be made after several tries", async () => {
    const inner = memoryStorage();
    let broken = true;
    const storage = {
      ...inner,
      audit: {
        ...inner.audit,
        list: async (query: Parameters<typeof inner.audit.list>[0]) => {
          if (broken && query.actorId !== undefined) throw new Error("no audit log");
          return inner.audit.list(query);
        },
      },
    };
    const { user: make, ask, work, stateOf, archive, signIn } = await scene({}, { storage });
    const { token } = await make("ada");
    const { id } = (await ask(token)).body;
    await work();
    expect((await stateOf(token, id)).body.state).toBe("pending");
    for (let tries = 0; tries < 4; tries += 1) await work(minute);
    await work(5 * minute);
    expect((await stateOf(token, id)).body).toMatchObject({ state: "failed", reason: expect.stringContaining("Ask") });
    broken = false;
    expect((await archive(await signIn("ada"))).user.name).toBe("ada");
  });

  test("is told of by mail when it is ready, without a secret", async () => {
    const mailer = memoryMailer();
    const settings = { accountPage: "https://api.example.com/api/account" };
    const { user: make, archive } = await scene({ settings }, { mailer });
    const { token } = await make("ada");
    const { id } = await archive(token);
    const [mail, ...others] = mailer.sent.filter(({ subject }) => subject.includes("is ready"));
    expect(others).toEqual([]);
    expect([mail?.to, mail?.subject]).toEqual(["ada@example.com", "Your data at api.example.com is ready"]);
    expect(mail?.text).toMatch(/24 hours: sign in/);
    // It leads nowhere and names nothing that opens the archive.
    expect(mail?.text).not.toContain(id);
    expect(mail?.text).not.toMatch(/https?:|#|[0-9a-f]{16}/);
  });

  test("stays while its job waits for another try", async () => {
    const { user: make, ask, worker, stateOf, ports, signIn } = await scene();
    const { token } = await make("ada");
    const { id } = (await ask(token)).body;
    const { runners, jobs } = ports.storage;
    const now = ports.clock.now();
    const runnerId = await runners.register({ name: "crashes once", kinds: [] }, now);
    expect(await jobs.claim({ runnerId, queue: "default", limit: 1, now })).toHaveLength(1);
    await runners.recover(runnerId, { now, maxLosses: 3, suspectLosses: 2, delayMs: () => 20 * minute });
    for (let time = 0; time < 2; time += 1) {
      await worker.fireSchedules();
      await ports.clock.advance(5 * minute);
      for (let turn = 0; turn < 9; turn += 1) await worker.runDue().then(() => ports.clock.advance(1));
    }
    expect((await stateOf(await signIn("ada"), id)).body.state).toBe("pending");
  });

  test.each(["died with its process", "was cancelled"])("fails in minutes when its job %s", async (how) => {
    const { user: make, ask, work, worker, stateOf, archive, ports, signIn } = await scene();
    const { token } = await make("ada");
    const { id } = (await ask(token)).body;
    if (how === "was cancelled") {
      const [asked] = await ports.storage.jobRecords.list({ kind: "postern.user-export", limit: 1 });
      await ports.storage.jobRecords.cancel(asked?.id ?? 0, ports.clock.now());
    } else {
      const { runners, jobs } = ports.storage;
      const now = ports.clock.now();
      const runnerId = await runners.register({ name: "crashes", kinds: [] }, now);
      expect(await jobs.claim({ runnerId, queue: "default", limit: 1, now })).toHaveLength(1);
      await runners.recover(runnerId, { now, maxLosses: 1, suspectLosses: 1, delayMs: () => 0 });
    }
    expect((await stateOf(token, id)).body.state).toBe("pending");
    await worker.fireSchedules();
    await ports.clock.advance(5 * minute);
    await worker.fireSchedules();
    await work();
    const later = await signIn("ada");
    expect((await stateOf(later, id)).body).toMatchObject({ state: "failed", reason: expect.stringContaining("Ask") });
    await archive(later);
  });

  test("is stored in small transactions, so that other writes do not wait for all of it", async () => {
    const storage = memoryStorage();
    const stored: number[] = [];
    const counting: typeof storage = {
      ...storage,
      transaction: async (work, network) => {
        let pieces = 0;
        const result = await storage.transaction(({ resources, ...rest }, own) => {
          const insert: typeof resources.insert = (resource, row) => {
            if (resource.name === userExportPiece.name) pieces += 1;
            return resources.insert(resource, row);
          };
          return work({ ...rest, resources: { ...resources, insert } }, own);
        }, network);
        if (pieces > 0) stored.push(pieces);
        return result;
      },
    };
    const { call, user: make, archive } = await scene({}, { storage: counting });
    const { token, id } = await make("ada");
    const body = "x".repeat(90_000);
    for (let n = 0; n < 10; n += 1) await call("POST", `/users/${id}/posts`, { token, body: { title: `${n}`, body } });
    const { resources } = await archive(token);
    expect(resources.posts).toHaveLength(10);
    expect(stored.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(16);
    expect(Math.max(...stored)).toBeLessThanOrEqual(8);
  });

  test("has no piece of an earlier run that did not end", async () => {
    const { user: make, ask, work, archiveOf, ports } = await scene();
    const { token, id: userId } = await make("ada");
    const { id } = (await ask(token)).body;
    const at = "2026-01-01T00:00:00.000Z";
    const left = { user_id: userId, export_id: id, place: 1, sealed: "left", created_at: at, updated_at: at };
    await ports.storage.resources.insert(userExportPiece, { id: "0190a0a0-0000-7000-8000-000000000002", ...left });
    await work();
    expect((await archiveOf(token, id)).status).toBe(200);
  });

  test("is made anew when another run stored pieces at the same time", async () => {
    const { call, user: make, ask, work, archiveOf, stateOf, ports } = await scene();
    const { token, id: userId } = await make("ada");
    const body = "x".repeat(90_000);
    for (let n = 0; n < 6; n += 1) {
      await call("POST", `/users/${userId}/posts`, { token, body: { title: `${n}`, body } });
    }
    const { id } = (await ask(token)).body;
    const { seal } = ports.secretBox;
    const at = "2026-01-01T00:00:00.000Z";
    let sealed = 0;
    ports.secretBox.seal = async (text, context) => {
      sealed += 1;
      if (sealed === 10) {
        const left = { user_id: userId, export_id: id, place: 1, sealed: "other", created_at: at, updated_at: at };
        await ports.storage.resources.insert(userExportPiece, { id: "0190a0a0-0000-7000-8000-000000000003", ...left });
      }
      return seal(text, context);
    };
    await work();
    expect((await stateOf(token, id)).body.state).toBe("pending");
    await work(minute);
    expect((await archiveOf(token, id)).status).toBe(200);
  });

  test("goes with its user, also while it is being made", async () => {
    const { call, user: make, archive, ask, work, rowsLeft, ports } = await scene();
    const ada = await make("ada");
    await archive(ada.token);
    await ask(ada.token);
    expect(await rowsLeft()).toEqual([2, 1]);
    expect((await call("DELETE", "/users/me", { token: ada.token })).status).toBe(204);
    await work();
    expect(await rowsLeft()).toEqual([0, 0]);
    expect((await ports.storage.jobRecords.list({ limit: 9 })).map(({ state }) => state)).not.toContain("dead");
  });

  test("holds every row of resources of the application's own, as far as their rules and fields show them", async () => {
    const access = { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") };
    const note = defineResource({
      name: "note",
      plural: "short-notes",
      description: "A note.",
      fields: {
        user_id: reference("user", { onDelete: "cascade", description: "Whose it is." }),
        state: text(10, { description: "Where it stands." }),
        body: prose(2_000, { description: "What it says." }),
        rating: {
          ...text(20, { default: "none", description: "What administrators think." }),
          read: "admin",
          write: "admin",
        },
      },
      owner: "user_id",
      access: { ...access, read: where("state", "shown") },
    });
    const { user: make, archive, ports } = await scene({ resources: [note] });
    const [ada, bob] = [await make("ada"), await make("bob")];
    const at = "2026-01-01T00:00:00.000Z";
    const row = (n: number, user_id: string, state = "shown") => ({
      id: `0190a0a0-0000-7000-8000-${String(n).padStart(12, "0")}`,
      ...{ user_id, state, body: `note ${n} ${"🙂".repeat(100)}`, rating: "unreliable" },
      ...{ created_at: at, updated_at: at },
    });
    for (let n = 1; n <= 1_201; n += 1) await ports.storage.resources.insert(note, row(n, ada.id));
    await ports.storage.resources.insert(note, row(2_000, ada.id, "hidden"));
    await ports.storage.resources.insert(note, row(2_001, bob.id));
    const { resources, text: whole } = await archive(ada.token);
    expect(resources.short_notes).toHaveLength(1_201);
    expect(new Set(resources.short_notes.map(({ id }: { id: string }) => id)).size).toBe(1_201);
    expect(resources.short_notes.at(-1).body).toBe(row(1_201, ada.id).body);
    expect(whole).not.toContain("unreliable");
    // Many pieces, in their order.
    expect(await ports.storage.resources.count(userExportPiece, { scope: system }, 99)).toBeGreaterThan(10);
  });
});

test("an archive has the newest 2,000 entries of the audit log, and says whether these are all", async () => {
  const { user: make, archive, ports } = await scene();
  const { id, token } = await make("ada");
  const [first] = await ports.storage.audit.list({ limit: 1 });
  if (first === undefined) throw new Error("no entry");
  const entry = { ...first, actor: { kind: "user", id } } as const;
  for (let n = 0; n < 2_000; n += 1) await ports.storage.audit.append(entry);
  const made = await archive(token);
  expect([made.audit.entries.length, made.audit.complete]).toEqual([2_000, false]);
});
