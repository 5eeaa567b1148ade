import { builtInResources } from "@postern/app";
import { allRows, type Resource, type Row, type Storage, type Stores } from "@postern/core";
import type { Watcher } from "@postern/core/internal";
import { memoryPorts } from "@postern/core/memory";
import { storeNames } from "@postern/core/ports";
import { describe, expect, test } from "vitest";
import { storageWithHooks } from "../src/hooks/write-hooks.ts";
import { liveSessions } from "../src/sign-in/live-sessions.ts";
import { testApi } from "./api.ts";

const named = (name: string): Resource => {
  const found = builtInResources.find((resource) => resource.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};
const [user, session] = [named("user"), named("session")];
const system = allRows("test");
const moment = "2026-01-01T00:00:00.000Z";
const idOf = (kind: number, n: number) => `00000000-0000-7000-8000-${kind}${String(n).padStart(11, "0")}`;
const [userId, sessionId] = [idOf(1, 1), idOf(2, 1)];

const blank = (resource: Resource, given: Row): Row => ({
  ...Object.fromEntries(Object.entries(resource.fields).map(([name, field]) => [name, field.default ?? null])),
  created_at: moment,
  updated_at: moment,
  ...given,
});

/** The storage of an application that has these sessions. */
const watched = (storage: Storage, watcher: Watcher): Storage =>
  storageWithHooks({
    ports: { ...memoryPorts(), storage },
    resources: builtInResources,
    hooks: [],
    watchers: [watcher],
    listeners: [],
  });

/** A storage with a user and a session, and how often sessions were read in it. */
const setUp = async (reliedOnMs = 1_000) => {
  const { clock, storage } = memoryPorts();
  let reads = 0;
  let gate: Promise<void> | undefined;
  const counted: Storage = {
    ...storage,
    resources: {
      ...storage.resources,
      find: async (resource, ...given) => {
        if (resource.name === "session") reads += 1;
        const row = await storage.resources.find(resource, ...given);
        await gate;
        return row;
      },
    },
  };
  await storage.resources.insert(
    user,
    blank(user, { id: userId, name: "Ada", email: "ada@example.com", password: "-" }),
  );
  await storage.resources.insert(
    session,
    blank(session, { id: sessionId, user_id: userId, refresh_digest: "-", last_used_at: moment, expires_at: moment }),
  );
  const live = liveSessions({ clock, storage: counted }, { sessionsReliedOnMs: reliedOnMs, adminMfa: "optional" });
  return {
    live,
    here: watched(counted, live.watcher),
    clock,
    elsewhere: storage,
    find: () => live.find(sessionId, userId),
    reads: () => reads,
    hold: (until: Promise<void> | undefined) => {
      gate = until;
    },
  };
};

const asAdmin = { role: "admin" };

describe("live sessions", () => {
  test("are read once a second", async () => {
    const { find, clock, reads } = await setUp();
    const found = await find();
    expect(found).toEqual({
      userId,
      acting: { role: "user" },
      signedInAt: Date.parse(moment),
      expiresAt: Date.parse(moment),
    });
    await clock.advance(999);
    expect(await find()).toEqual(found);
    expect(reads()).toBe(1);
    await clock.advance(1);
    await find();
    expect(reads()).toBe(2);
  });

  test("are read for every request where nothing is relied on", async () => {
    const { find, reads, elsewhere } = await setUp(0);
    await find();
    await elsewhere.resources.delete(session, sessionId, system);
    expect(await find()).toBeUndefined();
    expect(reads()).toBe(2);
  });

  test("are read anew after a second also when the clock was set back", async () => {
    const { find, clock, reads } = await setUp();
    await find();
    clock.jump(-60_000);
    await clock.advance(1_000);
    await find();
    expect(reads()).toBe(2);
  });

  test("belong to their user, also while they are remembered", async () => {
    const { find, live } = await setUp();
    expect(await find()).toBeDefined();
    expect(await live.find(sessionId, idOf(1, 2))).toBeUndefined();
  });

  test("that are not there are looked for again", async () => {
    const { live, reads } = await setUp();
    const other = idOf(2, 2);
    expect(await live.find(other, userId)).toBeUndefined();
    expect(await live.find(other, userId)).toBeUndefined();
    expect(reads()).toBe(2);
  });

  const changes: Record<string, (storage: Storage) => Promise<unknown>> = {
    "the session is deleted": ({ resources }) => resources.delete(session, sessionId, system),
    "the user's sessions are deleted": ({ resources }) => resources.deleteWhere(session, system, { all: [] }),
    "the user is deleted": ({ resources }) => resources.delete(user, userId, system),
    "the session is deleted in a transaction": ({ transaction }) =>
      transaction(({ resources }) => resources.delete(session, sessionId, system)),
    "the user is deleted in a transaction whose end is not known": async (storage) => {
      await storage.resources.delete(user, userId, system);
      await storage
        .transaction(async ({ resources }) => {
          await resources.update(user, { id: idOf(1, 2), scope: system }, asAdmin);
          throw new Error("lost");
        })
        .catch(() => undefined);
    },
  };
  for (const [what, change] of Object.entries(changes)) {
    test(`end at once when ${what} here`, async () => {
      const { find, here } = await setUp();
      expect(await find()).toBeDefined();
      await change(here);
      expect(await find()).toBeUndefined();
    });

    test(`end within a second when ${what} elsewhere`, async () => {
      const { find, clock, elsewhere } = await setUp();
      expect(await find()).toBeDefined();
      await change(elsewhere);
      await clock.advance(1_000);
      expect(await find()).toBeUndefined();
    });
  }

  test("leave every other store of the storage and of its transactions as it is", async () => {
    const { clock, storage } = memoryPorts();
    const given: Stores[] = [];
    const transaction: Storage["transaction"] = (work) =>
      storage.transaction((stores, own) => {
        given.push(stores);
        return work(stores, own);
      });
    const observed = { ...storage, transaction };
    const { watcher } = liveSessions({ clock, storage: observed }, { sessionsReliedOnMs: 0, adminMfa: "optional" });
    const here = watched(observed, watcher);
    const others = storeNames.filter((name) => name !== "resources");
    for (const name of others) expect(here[name], name).toBe(storage[name]);
    await here.transaction(async (stores) => {
      for (const name of others) expect(stores[name], name).toBe(given[0]?.[name]);
      expect(stores.resources).toBe(stores.resources);
    });
    expect.assertions(2 * others.length + 1);
  });

  test("have the role that was given a moment ago", async () => {
    const { find, here } = await setUp();
    expect((await find())?.acting.role).toBe("user");
    await here.resources.update(user, { id: userId, scope: system }, asAdmin);
    expect((await find())?.acting.role).toBe("admin");
  });

  test("are not remembered from before a change that was made while they were read", async () => {
    const { find, here, hold } = await setUp();
    let release = (): void => undefined;
    hold(
      new Promise((resolve) => {
        release = resolve;
      }),
    );
    const early = find();
    await here.resources.delete(session, sessionId, system);
    release();
    expect(await early).toBeDefined();
    hold(undefined);
    expect(await find()).toBeUndefined();
  });

  test("are forgotten, the oldest first, beyond 10,000", async () => {
    const { clock, storage } = memoryPorts();
    let reads = 0;
    const find: Storage["resources"]["find"] = async ({ name }) => {
      if (name === "session") reads += 1;
      return { user_id: userId, expires_at: moment, role: "user" };
    };
    const live = liveSessions(
      { clock, storage: { ...storage, resources: { ...storage.resources, find } } },
      { sessionsReliedOnMs: 1_000, adminMfa: "optional" },
    );
    for (let n = 0; n <= 10_000; n += 1) await live.find(idOf(2, n), userId);
    await live.find(idOf(2, 10_000), userId);
    expect(reads).toBe(10_001);
    await live.find(idOf(2, 0), userId);
    expect(reads).toBe(10_002);
  });

  test("take an administrator's rights away with the next request", async () => {
    const { call, user: signUp, admin } = testApi();
    const root = await admin("root");
    const ada = await signUp("ada");
    const promote = (role: string) => call("PATCH", `/users/${ada.id}`, { token: root.token, body: { role } });
    const look = async () => (await call("GET", "/admin/audit", { token: ada.token })).status;
    expect(await look()).toBe(403);
    expect((await promote("admin")).status).toBe(200);
    expect(await look()).toBe(200);
    expect((await promote("user")).status).toBe(200);
    expect(await look()).toBe(403);
    expect((await call("DELETE", `/users/${ada.id}`, { token: root.token })).status).toBe(204);
    expect(await look()).toBe(401);
  });
});
