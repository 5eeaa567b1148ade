import { type App, createApp } from "@postern/app";
import { type MemoryPorts, memoryPorts, memoryWriters } from "@postern/core/memory";
import { newEvent } from "@postern/core/testing";
import { type InboxHandler, on } from "@postern/inbox";
import { Permanent } from "@postern/jobs";
import { describe, expect, test } from "vitest";
import { testApi } from "./api.ts";

const operator = { kind: "operator", name: "test" } as const;

interface Report {
  readonly looked_at: number;
  readonly done: number;
  readonly jobs: number;
  readonly failed: number;
  readonly skipped: readonly { readonly reason: string; readonly events: number }[];
}

interface Plan {
  readonly id: string;
  readonly state: string;
  readonly dry_run: Omit<Report, "jobs" | "failed"> & {
    readonly complete: boolean;
    readonly matched: number;
    readonly order_key_waits: number;
    readonly handlers: readonly { readonly handler: string; readonly jobs: number }[];
  };
  readonly report: Report;
  readonly remaining: number;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}

/** `count` dead events, and a handler that has been mended since; several processes run jobs. */
const scene = async (count: number, { processes = 1, keys = 0 }: { processes?: number; keys?: number } = {}) => {
  const storages = memoryWriters(processes);
  const first: MemoryPorts = memoryPorts();
  const [storage = first.storage] = storages;
  const ports = { ...first, storage };
  const ran: string[] = [];
  let broken = true;
  const handler: InboxHandler = on("*", "*", async ({ eventId }) => {
    if (broken) throw new Permanent("no use");
    ran.push(eventId ?? "");
  });
  const apps: readonly App[] = storages.map((own) =>
    createApp({ ports: { ...ports, storage: own }, handlers: [handler] }),
  );
  const [app] = apps;
  if (app === undefined) throw new Error("there is no process");
  const workers = apps.map((one, n) => one.worker({ name: `p${n}`, concurrency: 1_000 }));
  for (const worker of workers) await worker.start();
  const work = async () => {
    // A step of the plan, the jobs that it makes, and those that wait for these.
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(workers.map((worker) => worker.runDue()));
      await ports.clock.advance(0);
    }
  };
  const start = ports.clock.now();
  const events = Array.from({ length: count }, (_, n) => {
    const orderKey = keys === 0 ? {} : { orderKey: `key-${n % keys}` };
    return newEvent(`evt_${n}`, {
      provider: n % 2 === 0 ? "stripe" : "github",
      receivedAt: start,
      jobs: [{ kind: handler.name, maxAttempts: 1, ...orderKey }],
    });
  });
  await ports.storage.events.accept(events);
  for (let round = 0; round <= (keys === 0 ? 0 : count / keys); round += 1) await work();
  broken = false;
  const run = async (operation: string, given: object = {}): Promise<Plan> =>
    // What the operation's own schema says.
    (await app.run({ operation: `admin.plans.${operation}`, principal: operator, ...given })).body as Plan;
  const make = (filter: object = {}, more: object = {}) =>
    run("create", { body: { action: "replay", filter: { state: "dead", ...filter }, ...more } });
  const move = async (name: string, { id }: Plan) => {
    const moved = await run(name, { params: { id } });
    if (name === "run") await work();
    return moved;
  };
  /** Lets so many seconds go by, half of one at a time. */
  const seconds = async (many: number) => {
    for (let half = 0; half < many * 2; half += 1) {
      await ports.clock.advance(500);
      await work();
    }
  };
  const show = (plan: Plan) => move("read", plan);
  return { ports, app, apps, workers, handler, ran, work, seconds, make, move, show, start };
};

describe("a dry run", () => {
  test("says how many match, which handlers would run and who would wait, and does nothing of it", async () => {
    const { make, work, ran, handler } = await scene(10, { keys: 4 });
    const plan = await make({ provider: "stripe" });
    expect(plan).toMatchObject({ state: "planned", remaining: 5, started_at: null });
    expect(plan.dry_run).toEqual({
      looked_at: 5,
      complete: true,
      matched: 5,
      done: 5,
      handlers: [{ handler: handler.name, jobs: 5 }],
      order_key_waits: 3,
      skipped: [],
    });
    await work();
    expect(ran).toEqual([]);
  });

  test("says what would be skipped and why", async () => {
    const { make, ports, work } = await scene(2);
    const quarantined = { disposition: "quarantined", reason: "x", jobs: [] } as const;
    await ports.storage.events.accept([
      newEvent("evt_a", { ...quarantined, provider: "stripe" }),
      newEvent("evt_b", { jobs: [{ kind: "unknown", maxAttempts: 1 }] }),
    ]);
    await make().then((plan) => expect(plan.dry_run).toMatchObject({ matched: 2, done: 2, skipped: [] }));
    const all = await make({ state: undefined, received_before: "2099-01-01T00:00:00Z" });
    expect(all.dry_run.matched).toBe(4);
    expect(all.dry_run.skipped).toEqual([
      { reason: "its provider is not configured any more", events: 1 },
      { reason: "it is waiting to be processed", events: 1 },
    ]);
    await work();
  });

  test("looks at a bounded number of events", async () => {
    const { make } = await scene(0);
    const { make: another, ports } = await scene(1);
    expect((await make()).dry_run).toMatchObject({ looked_at: 0, complete: true });
    const real = ports.clock.monotonic();
    let looks = 0;
    Object.assign(ports.clock, { monotonic: () => real + 1_500 * looks++ });
    expect((await another()).dry_run).toMatchObject({ looked_at: 1, complete: true });
  });

  test("chooses events by text in their payload", async () => {
    const { make, move, seconds, ran } = await scene(12);
    const plan = await make({ text: '"evt_1' });
    expect(plan.dry_run).toMatchObject({ looked_at: 12, matched: 3, done: 3 });
    await move("run", plan);
    await seconds(1);
    expect(ran).toEqual(["evt_1", "evt_10", "evt_11"]);
  });
});

describe("a plan about jobs", () => {
  const failures = async (count: number) => {
    const found = await scene(count);
    const jobs = (filter: object) => found.ports.storage.jobRecords.list({ limit: 100, ...filter });
    const plan = (body: object) => found.app.run({ operation: "admin.plans.create", principal: operator, body });
    const planned = async (body: object) => (await plan(body)).body as Plan & { readonly jobs: object };
    return { ...found, jobs, plan, planned };
  };

  test("runs every matching job again once, by its sender and handler, and none that was replaced before", async () => {
    const { planned, move, seconds, jobs, ran, handler, ports, show } = await failures(6);
    const [first] = await jobs({ state: "dead", provider: "stripe" });
    await ports.storage.jobRecords.retry(first?.id ?? 0, ports.clock.now());
    await seconds(1);
    expect(ran).toHaveLength(1);
    const made = await planned({ action: "retry", jobs: { state: "dead", provider: "stripe", handler: handler.name } });
    expect(made).toMatchObject({
      jobs: { state: "dead", provider: "stripe", handler: handler.name, queue: null },
      dry_run: { matched: 2, done: 2, handlers: [{ handler: handler.name, jobs: 2 }], skipped: [] },
      remaining: 2,
    });
    expect(ran).toHaveLength(1);
    await move("run", made);
    await seconds(2);
    expect([...ran].toSorted()).toEqual(["evt_0", "evt_2", "evt_4"]);
    expect(await show(made)).toMatchObject({ state: "done", report: { done: 2, jobs: 2, failed: 0 }, remaining: 0 });
    expect(await jobs({ state: "dead", current: true })).toHaveLength(3);
  });

  test("cancels the jobs that wait, leaves out what has ended, and no job that came later", async () => {
    const { planned, move, seconds, jobs, ports, show } = await failures(2);
    const later = ports.clock.now() + 3_600_000;
    const waiting = { kind: "report", maxAttempts: 1, dueAt: later };
    await ports.storage.jobs.enqueue([waiting, waiting], ports.clock.now());
    const made = await planned({ action: "cancel", jobs: {} });
    expect(made.dry_run).toMatchObject({ matched: 4, done: 2, skipped: [{ reason: "it is dead", events: 2 }] });
    await ports.clock.advance(5);
    await ports.storage.jobs.enqueue([waiting], ports.clock.now());
    await move("run", made);
    await seconds(2);
    expect(await show(made)).toMatchObject({ state: "done", report: { done: 2, jobs: 0 } });
    expect(await jobs({ state: "cancelled" })).toHaveLength(2);
    expect(await jobs({ kind: "report", state: "scheduled" })).toHaveLength(1);
  });

  test("says of which jobs it is, and only for those who may change jobs", async () => {
    const { plan, ports } = await failures(1);
    await expect(plan({ action: "retry" })).rejects.toThrow(/jobs/);
    await expect(plan({ action: "replay", jobs: {} })).rejects.toThrow(/jobs/);
    await expect(plan({ action: "retry", jobs: {}, filter: { state: "dead" } })).rejects.toThrow(/filter/);
    const api = testApi({}, ports);
    const { token } = await api.admin();
    const key = (scopes: readonly string[]) =>
      api.call("POST", "/api-keys", { token, body: { name: "plans", scopes } }).then(({ body }) => body.key);
    const body = { action: "retry", jobs: { state: "dead" } };
    const events = await api.call("POST", "/admin/plans", { token: await key(["events:replay"]), body });
    expect([events.status, events.body.code]).toEqual([403, "forbidden"]);
    const both = await api.call("POST", "/admin/plans", { token: await key(["events:replay", "jobs:write"]), body });
    expect(both.status).toBe(201);
  });
});

describe("a plan that runs", () => {
  test("runs every matching event once, in order, at its rate, and reports", async () => {
    const { make, move, show, seconds, ran, work } = await scene(20);
    const plan = await make({}, { per_second: 4 });
    expect(await move("run", plan)).toMatchObject({ state: "running" });
    await work();
    expect(ran).toHaveLength(1);
    for (let second = 1; second <= 4; second += 1) {
      await seconds(1);
      expect(ran).toHaveLength(1 + second * 4);
    }
    expect(await show(plan)).toMatchObject({ state: "running", remaining: 3, report: { done: 17, jobs: 17 } });
    await seconds(2);
    expect(ran).toEqual(Array.from({ length: 20 }, (_, n) => `evt_${n}`));
    expect(await show(plan)).toMatchObject({
      state: "done",
      remaining: 0,
      report: { looked_at: 20, done: 20, jobs: 20, failed: 0, skipped: [] },
      ended_at: expect.any(String),
    });
  });

  test("waits when it is paused, does not catch up, and goes on from where it was", async () => {
    const { make, move, show, seconds, ran, work } = await scene(20);
    const plan = await make({}, { per_second: 2 });
    await move("run", plan);
    await seconds(2);
    expect(await move("pause", plan)).toMatchObject({ state: "paused" });
    expect(ran).toHaveLength(5);
    await seconds(30);
    expect(ran).toHaveLength(5);
    expect(await show(plan)).toMatchObject({ state: "paused", remaining: 15 });
    await move("resume", plan);
    await work();
    expect(ran).toHaveLength(6);
    await seconds(2);
    expect(ran).toHaveLength(10);
    await seconds(10);
    expect(ran).toHaveLength(20);
    expect(new Set(ran).size).toBe(20);
  });

  test("does not run twice as fast when it is paused and resumed before its job noticed", async () => {
    const { make, move, seconds, ran, ports } = await scene(20);
    const plan = await make({}, { per_second: 2 });
    await move("run", plan);
    for (const name of ["pause", "resume", "pause", "resume"]) await move(name, plan);
    await seconds(3);
    expect(ran.length).toBeGreaterThan(4);
    expect(ran.length).toBeLessThanOrEqual(1 + 1 + 3 * 2);
    const jobs = await ports.storage.jobRecords.list({ kind: "postern.run-plan", state: "scheduled", limit: 9 });
    expect(jobs).toHaveLength(1);
    expect(new Set(ran).size).toBe(ran.length);
  });

  test("stays where it is when it is cancelled", async () => {
    const { make, move, show, seconds, ran } = await scene(20);
    const plan = await make({}, { per_second: 1 });
    await move("run", plan);
    await seconds(2);
    expect(await move("cancel", plan)).toMatchObject({ state: "cancelled", remaining: 0 });
    await seconds(5);
    expect(ran).toHaveLength(3);
    expect(await show(plan)).toMatchObject({ state: "cancelled", report: { done: 3 } });
  });

  test("runs the events of each order key in the order in which they came", async () => {
    const { make, move, seconds, ran } = await scene(60, { keys: 3, processes: 2 });
    await move("run", await make({}, { per_second: 1_000 }));
    await seconds(5);
    for (const key of [0, 1, 2]) {
      const own = ran.map((id) => Number(id.slice(4))).filter((n) => n % 3 === key);
      expect(own).toEqual(Array.from({ length: 20 }, (_, n) => n * 3 + key));
    }
  });

  test("gives each event its turn once, with several processes, and with a job that was doubled", async () => {
    const { make, move, show, seconds, ran, ports, work } = await scene(300, { processes: 3 });
    const plan = await make({}, { per_second: 1_000 });
    await move("run", plan);
    const again = { kind: "postern.run-plan", maxAttempts: 1, payload: { planId: plan.id, run: 1 } };
    await ports.storage.jobs.enqueue([again, again], ports.clock.now());
    await work();
    await seconds(2);
    expect([ran.length, new Set(ran).size]).toEqual([300, 300]);
    expect(await show(plan)).toMatchObject({ state: "done", report: { looked_at: 300, done: 300, jobs: 300 } });
    const jobs = await ports.storage.jobRecords.list({ kind: "postern.run-plan", state: "dead", limit: 9 });
    expect(jobs).toEqual([]);
  });

  test("goes on although its job was cancelled", async () => {
    const { make, move, seconds, ran, ports, work, workers } = await scene(3);
    await move("run", await make({}, { per_second: 1 }));
    await work();
    const [job] = await ports.storage.jobRecords.list({ kind: "postern.run-plan", limit: 1 });
    expect(await ports.storage.jobRecords.cancel(job?.id ?? 0, ports.clock.now())).toBe("cancelled");
    await seconds(4);
    expect(ran).toHaveLength(1);
    for (let minute = 0; minute < 5; minute += 1) {
      await ports.clock.advance(60_000);
      await workers[0]?.fireSchedules();
      await work();
    }
    await seconds(3);
    expect(ran).toHaveLength(3);
  });

  test("leaves out what came after it was made, and what changed meanwhile", async () => {
    const { make, move, show, seconds, ran, ports, app } = await scene(3);
    const plan = await make();
    await ports.clock.advance(10);
    const late = { receivedAt: ports.clock.now(), jobs: [{ kind: "gone", maxAttempts: 1 }] };
    await ports.storage.events.accept([newEvent("evt_late", late)]);
    const [one] = await ports.storage.events.list({ state: "dead", after: 0, limit: 1 });
    await app.run({
      operation: "admin.events.discard",
      principal: operator,
      params: { id: String(one?.id) },
      body: { reason: "x" },
    });
    await move("run", plan);
    await seconds(1);
    expect(ran).toEqual(["evt_1", "evt_2"]);
    expect(await show(plan)).toMatchObject({ report: { looked_at: 2, done: 2 } });
  });

  test("counts the events of a sender whose keys cannot be opened, and goes on with others", async () => {
    const { app, ports, make, move, show, seconds, ran } = await scene(0);
    const body = { name: "hub", scheme: "github", key: "k".repeat(20) };
    await app.run({ operation: "admin.providers.create", principal: operator, body });
    const ignored = { disposition: "ignored", reason: "x", jobs: [], receivedAt: ports.clock.now() } as const;
    await ports.storage.events.accept(
      ["hub", "stripe"].map((provider) => newEvent(`evt_${provider}`, { ...ignored, provider })),
    );
    const plan = await make({ state: "ignored" });
    expect(plan.dry_run.done).toBe(2);
    Object.assign(ports.secretBox, { open: async () => Promise.reject(new Error("sealed under another key")) });
    for (const provider of await ports.storage.providers.list())
      await ports.storage.providers.save({ ...provider, toleranceSeconds: 9 }, 1);
    await ports.clock.advance(10_000);
    await move("run", plan);
    await seconds(2);
    expect(ran).toEqual(["evt_stripe"]);
    expect(await show(plan)).toMatchObject({ state: "done", report: { looked_at: 2, done: 1, failed: 1 } });
  });
});

describe("a plan that discards", () => {
  test("discards every matching event with its reason, and a plan that replays takes that back", async () => {
    const { app, move, show, seconds, ports, ran, make } = await scene(5);
    const body = { action: "discard", filter: { state: "dead", provider: "stripe" }, reason: "a test of theirs" };
    const plan = (await app.run({ operation: "admin.plans.create", principal: operator, body })).body as Plan;
    expect(plan.dry_run).toMatchObject({ matched: 3, done: 3, handlers: [] });
    await move("run", plan);
    await seconds(1);
    expect(await show(plan)).toMatchObject({ state: "done", report: { done: 3, jobs: 0 } });
    const discarded = await ports.storage.events.list({ state: "discarded", limit: 9 });
    expect(discarded.map(({ reason }) => reason)).toEqual(Array(3).fill("a test of theirs"));
    expect(await ports.storage.events.count({ state: "dead" }, 9)).toBe(2);
    await move("run", await make({ state: "discarded" }));
    await seconds(1);
    expect(ran).toEqual(["evt_0", "evt_2", "evt_4"]);
  });
});

describe("the operations of plans", () => {
  const api = async () => {
    const made = testApi();
    const { token } = await made.admin();
    const roleOf = async (role: string): Promise<string> => {
      const user = await made.user(role);
      await made.call("PATCH", `/users/${user.id}`, { token, body: { role } });
      return user.token;
    };
    const post = (path: string, body?: object, who = token) =>
      made.call("POST", path, { token: who, ...(body === undefined ? {} : { body }) });
    const get = (path: string, who = token) => made.call("GET", path, { token: who, version: "v2" });
    const make = async (body: object = { action: "replay" }) => (await post("/admin/plans", body)).body;
    return { ...made, token, roleOf, post, get, make };
  };

  test("let operators make and move plans, and viewers only read them", async () => {
    const { roleOf, post, get, make } = await api();
    const { id } = await make();
    const viewer = await roleOf("viewer");
    const worker = await roleOf("operator");
    for (const [path, body] of [
      ["/admin/plans", { action: "replay" }],
      ...["run", "pause", "resume", "cancel"].map((name) => [`/admin/plans/${id}/${name}`] as const),
    ] as const) {
      expect([path, (await post(path, body, viewer)).status]).toEqual([path, 403]);
    }
    expect((await get(`/admin/plans/${id}`, viewer)).body).toMatchObject({ id, state: "planned" });
    expect((await get("/admin/plans", viewer)).body.data).toHaveLength(1);
    expect((await post(`/admin/plans/${id}/run`, undefined, worker)).status).toBe(200);
  });

  test("choose by text, and show the text, for callers who may see payloads", async () => {
    const { post, get, token, call, ports } = await api();
    const keyOf = async (...scopes: readonly string[]): Promise<string> =>
      (await call("POST", "/api-keys", { token, body: { name: "key", scopes } })).body.key;
    const body = { action: "replay", filter: { text: "card 4242" } };
    expect((await post("/admin/plans", body, await keyOf("events:replay"))).body.code).toBe("forbidden");
    expect((await post("/admin/plans", body)).status).toBe(201);
    expect(await ports.storage.audit.list({ action: "events:reveal", limit: 9 })).toHaveLength(1);
    const [shown] = (await get("/admin/plans")).body.data;
    const [masked] = (await get("/admin/plans", await keyOf("plans:read"))).body.data;
    expect([shown.filter.text, masked.filter.text]).toEqual(["card 4242", expect.stringContaining("masked")]);
  });

  test("refuse a move that does not fit the state, and an unknown plan", async () => {
    const { post, make } = await api();
    const { id } = await make();
    const move = async (name: string, plan = id) => (await post(`/admin/plans/${plan}/${name}`)).body;
    expect((await move("pause")).detail).toBe("This plan cannot be paused: it is planned.");
    expect((await move("resume")).code).toBe("state_conflict");
    expect((await move("run")).state).toBe("running");
    expect((await move("run")).code).toBe("state_conflict");
    expect((await move("cancel")).state).toBe("cancelled");
    expect((await move("cancel")).code).toBe("state_conflict");
    for (const other of ["01900000-0000-7000-8000-000000000000", "1", "x".repeat(36)]) {
      expect((await move("run", other)).code).toBe("not_found");
    }
  });

  test("refuse what cannot be meant", async () => {
    const { post } = await api();
    for (const body of [
      {},
      { action: "discard" },
      { action: "discard", reason: "x", force: true },
      { action: "discard", reason: "x".repeat(501) },
      { action: "replay", filter: { state: "processed" } },
      { action: "replay", filter: { text: "" } },
      { action: "replay", filter: { received_since: "2026-01-02T00:00:00Z", received_before: "2026-01-01T00:00:00Z" } },
      { action: "replay", per_second: 0 },
      { action: "replay", per_second: 1_001 },
      { action: "replay", filter: { cause: "1" } },
    ]) {
      expect([body, (await post("/admin/plans", body)).status]).toEqual([body, 400]);
    }
  });

  test("list plans by state, newest first, page by page", async () => {
    const { get, make, post } = await api();
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.push((await make()).id);
    await post(`/admin/plans/${ids[1]}/cancel`);
    const listed = async (query: string) => (await get(`/admin/plans?${query}`)).body;
    expect((await listed("total=true")).data.map(({ id }: Plan) => id)).toEqual(ids.toReversed());
    expect((await listed("filter[state]=cancelled")).data.map(({ id }: Plan) => id)).toEqual([ids[1]]);
    const page = await listed("limit=2");
    expect(page.page.has_more).toBe(true);
    expect((await listed(`limit=2&cursor=${page.page.next_cursor}`)).data.map(({ id }: Plan) => id)).toEqual([ids[0]]);
  });
});

test("a plan says who made it, by the name while the account is there", async () => {
  const { call, app, admin, user } = testApi();
  const root = await admin();
  const ada = await user("ada");
  await call("PATCH", `/users/${ada.id}`, { token: root.token, body: { role: "operator" } });
  const { name } = (await call("GET", "/admin/me", { token: ada.token })).body;
  const body = { action: "replay", filter: { state: "dead" } };
  const made = (await call("POST", "/admin/plans", { token: ada.token, body })).body;
  expect(made.made_by).toEqual({ id: ada.id, name });
  await app.run({ operation: "admin.plans.create", principal: operator, body });
  const listed = async () =>
    (await call("GET", "/admin/plans", { token: root.token, version: "v2" })).body.data.map(
      ({ made_by: by }: { made_by: unknown }) => by,
    );
  expect(await listed()).toEqual([
    { id: "test", name: null },
    { id: ada.id, name },
  ]);
  await call("DELETE", `/users/${ada.id}`, { token: root.token });
  expect((await listed()).at(-1)).toEqual({ id: ada.id, name: null });
  const started = await call("POST", `/admin/plans/${made.id}/cancel`, { token: root.token });
  expect(started.body.made_by.id).toBe(ada.id);
});
