import { newEvent } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import { testApi } from "./api.ts";

const scene = async () => {
  const api = testApi();
  const { token } = await api.admin();
  const { jobs, jobRecords, runners, events, housekeeping } = api.ports.storage;
  const now = api.ports.clock.now();
  return {
    jobs,
    jobRecords,
    runners,
    events,
    housekeeping,
    now,
    get: (path: string) => api.call("GET", path, { token }),
    post: (path: string, body?: object) => api.call("POST", path, { token, ...(body === undefined ? {} : { body }) }),
    admin: token,
    stranger: (await api.user("eve")).token,
    call: api.call,
    claimOne: async () => {
      const [job] = await jobs.claim({ runnerId: 1_000_000, queue: "default", limit: 1, now });
      if (job === undefined) throw new Error("nothing was ready");
      return job;
    },
  };
};

describe("the operations on jobs", () => {
  test("show a job with what it is and how it failed", async () => {
    const { jobs, now, get, claimOne } = await scene();
    const [id] = await jobs.enqueue([{ kind: "mail", maxAttempts: 2, orderKey: "o", priority: 3 }], now);
    const end = { to: "scheduled", at: now + 5, error: "boom", stack: "    at pay (pay.ts:1:2)" } as const;
    await jobs.finish([{ job: await claimOne(), end }], now);
    expect((await get(`/admin/jobs/${id}`)).body).toMatchObject({
      id: String(id),
      handler: "mail",
      queue: "default",
      order_key: "o",
      priority: 3,
      state: "scheduled",
      last_error: "boom",
      failures: [{ attempt: 1, error: "boom\n    at pay (pay.ts:1:2)", at: new Date(now).toISOString() }],
    });
    expect((await get("/admin/jobs/999")).status).toBe(404);
    expect((await get("/admin/jobs/1e3")).status).toBe(404);
    expect((await get("/admin/jobs?filter[queue]=other")).body.data).toEqual([]);
    expect((await get("/admin/jobs?filter[queue]=default&filter[state]=scheduled")).body.data).toHaveLength(1);
  });

  test("show what a handler logged before it failed to those who may see payloads", async () => {
    const { jobs, now, get, claimOne, call, admin } = await scene();
    const [id] = await jobs.enqueue([{ kind: "mail", maxAttempts: 2 }], now);
    const log = [{ at: now, level: "warn", message: "the server is slow", fields: { ms: 900 } }] as const;
    await jobs.finish([{ job: await claimOne(), end: { to: "dead", error: "boom", log } }], now);
    const [shown] = (await get(`/admin/jobs/${id}`)).body.failures;
    expect(shown.log).toEqual([{ ...log[0], at: new Date(now).toISOString() }]);
    const made = await call("POST", "/api-keys", { token: admin, body: { name: "reader", scopes: ["jobs:read"] } });
    const [masked] = (await call("GET", `/admin/jobs/${id}`, { token: made.body.key })).body.failures;
    expect(masked).toMatchObject({ error: "masked: this needs the scope events:reveal", log: [] });
  });

  test("list the jobs of the same order key before and after a job", async () => {
    const { jobs, now, get, stranger, call } = await scene();
    const keys = ["a", "b", "a", "a", "a", "a", "a", "a"];
    const ids = await jobs.enqueue(
      keys.map((orderKey) => ({ kind: "mail", maxAttempts: 1, orderKey })),
      now,
    );
    const { before, after } = (await get(`/admin/jobs/${ids[2]}/neighbours`)).body;
    expect(before.map(({ id }: { id: string }) => id)).toEqual([String(ids[0])]);
    expect(after.map(({ id }: { id: string }) => id)).toEqual(ids.slice(3).map(String));
    expect((await get("/admin/jobs/999/neighbours")).status).toBe(404);
    expect((await call("GET", `/admin/jobs/${ids[2]}/neighbours`, { token: stranger })).status).toBe(403);
  });

  test("list jobs without Postern's own upkeep, or the upkeep alone", async () => {
    const { jobs, now, get } = await scene();
    const kinds = ["mail", "postern.prune", "mail", "postern.seal-audit-log", "postern.account-mail", "mail"];
    await jobs.enqueue(
      kinds.map((kind) => ({ kind, maxAttempts: 1 })),
      now,
    );
    const listed = async (query: string) => {
      const { body } = await get(`/admin/jobs?${query}`);
      return { kinds: body.data.map(({ handler }: { handler: string }) => handler), page: body.page };
    };
    const others = "filter[upkeep]=false";
    const whole = await listed(`${others}&total=true`);
    expect(whole.kinds).toEqual(["mail", "postern.account-mail", "mail", "mail"]);
    expect(whole.page).toMatchObject({ total: 4, has_more: false });
    expect((await listed("filter[upkeep]=true")).kinds).toEqual(["postern.seal-audit-log", "postern.prune"]);
    expect((await listed("limit=10")).kinds).toEqual(kinds.toReversed());
    const first = await listed(`${others}&limit=3`);
    expect(first.kinds).toEqual(whole.kinds.slice(0, 3));
    const second = await listed(`${others}&limit=3&cursor=${first.page.next_cursor}`);
    expect([second.kinds, second.page.next_cursor]).toEqual([whole.kinds.slice(3), null]);
    expect((await get(`/admin/jobs?filter[upkeep]=true&cursor=${first.page.next_cursor}`)).status).toBe(400);
    expect((await get("/admin/jobs?filter[upkeep]=no")).status).toBe(400);
  });

  test("say in one line why an event is tried again", async () => {
    const { jobs, events, now, get, claimOne } = await scene();
    const [event] = await events.accept([newEvent("evt_1", { jobs: [{ kind: "pay", maxAttempts: 3 }] })]);
    const reason = async () => {
      const [listed] = (await get("/admin/events")).body.data;
      const { body: whole } = await get(`/admin/events/${event?.id}`);
      expect(whole.reason).toBe(listed.reason);
      return [listed.state, listed.reason];
    };
    expect(await reason()).toEqual(["received", null]);
    const fail = async (error: string) =>
      jobs.finish([{ job: await claimOne(), end: { to: "scheduled", at: now, error } }], now);
    await fail("Error: the bank is closed\nuntil Monday");
    expect(await reason()).toEqual(["retrying", "pay: Error: the bank is closed"]);
    await jobs.promoteDue(now);
    await fail("x".repeat(4_000));
    expect(await reason()).toEqual(["retrying", `pay: ${"x".repeat(199)}…`]);
    await jobs.promoteDue(now);
    await jobs.finish([{ job: await claimOne(), end: { to: "done" } }], now);
    expect(await reason()).toEqual(["processed", null]);
  });

  test("say that a cancelled job cannot run again once the body of its event is gone", async () => {
    const { jobRecords, now, post, events, housekeeping } = await scene();
    await events.accept([newEvent("evt_1", { receivedAt: now - 1 })]);
    const [job] = await jobRecords.list({ limit: 1 });
    await jobRecords.cancel(job?.id ?? 0, now);
    await housekeeping.prune("bodies", now, 10);
    expect(await post(`/admin/jobs/${job?.id}/retry`)).toMatchObject({
      status: 409,
      body: { code: "state_conflict", detail: expect.stringContaining("the body of its event was deleted") },
    });
  });

  test("run again what is dead, cancelled or waiting, and nothing else", async () => {
    const { jobs, now, post, claimOne } = await scene();
    const [id] = await jobs.enqueue([{ kind: "mail", maxAttempts: 2 }], now);
    expect((await post(`/admin/jobs/${id}/retry`)).body).toMatchObject({ code: "state_conflict" });
    const job = await claimOne();
    expect((await post(`/admin/jobs/${id}/retry`)).status).toBe(409);
    await jobs.finish([{ job, end: { to: "scheduled", at: now + 60_000, error: "boom" } }], now);
    expect(await post(`/admin/jobs/${id}/retry`)).toMatchObject({ status: 202, body: { id: String(id) } });
    await jobs.finish([{ job: await claimOne(), end: { to: "dead", error: "boom" } }], now);
    const again = await post(`/admin/jobs/${id}/retry`);
    expect([again.status, again.body.id === String(id)]).toEqual([202, false]);
    expect((await post(`/admin/jobs/${id}/retry`)).body.detail).toContain("another has taken its place");
    expect((await post("/admin/jobs/999/retry")).status).toBe(404);
  });

  test("end a job that waits, and ask one that runs", async () => {
    const { jobs, now, post, claimOne } = await scene();
    const [first, second] = await jobs.enqueue(
      [
        { kind: "mail", maxAttempts: 2 },
        { kind: "mail", maxAttempts: 2 },
      ],
      now,
    );
    await claimOne();
    expect(await post(`/admin/jobs/${first}/cancel`)).toMatchObject({ status: 202, body: { outcome: "requested" } });
    expect(await post(`/admin/jobs/${second}/cancel`)).toMatchObject({ status: 202, body: { outcome: "cancelled" } });
    expect(await post(`/admin/jobs/${second}/cancel`)).toMatchObject({ status: 409 });
    expect((await post("/admin/jobs/999/cancel")).status).toBe(404);
  });

  test("list every queue that a worker works, with its limits and what runs, also while nothing waits", async () => {
    const { jobs, runners, now, get } = await scene();
    const mail = { concurrency: 3, globalConcurrency: 4, perSecond: 0.5 };
    await runners.register({ name: "a", kinds: [], limits: { concurrency: 10, queues: { mail, default: {} } } }, now);
    await runners.register({ name: "b", kinds: [], limits: { concurrency: 2, queues: { mail } } }, now);
    await jobs.enqueue(
      [1, 2, 3].map(() => ({ kind: "mail", maxAttempts: 2, queue: "mail" })),
      now,
    );
    const [first, second] = await jobs.claim({ runnerId: 1_000_000, queue: "mail", limit: 2, now });
    if (first === undefined || second === undefined) throw new Error("nothing was ready");
    await jobs.finish([{ job: first, end: { to: "done" } }], now);
    const idle = { paused: false, note: null, ready: 0, oldest_ready_at: null, running: 0, ended_last_minute: 0 };
    const since = new Date(now).toISOString();
    expect((await get("/admin/queues")).body.data).toEqual([
      { name: "default", ...idle, at_once: 10, per_second: null, workers: 1 },
      {
        ...{ name: "mail", ...idle, ready: 1, oldest_ready_at: since, running: 1, ended_last_minute: 1 },
        ...{ at_once: 4, per_second: 0.5, workers: 2 },
      },
    ]);
  });

  test("are listed with the sender of their event, and by it and by when they were stored", async () => {
    const { jobs, events, now, get } = await scene();
    await events.accept([
      newEvent("evt_1", { receivedAt: now }),
      newEvent("evt_2", { provider: "github", receivedAt: now }),
    ]);
    await jobs.enqueue([{ kind: "report", maxAttempts: 2 }], now + 60_000);
    const senders = async (query: string) =>
      (await get(`/admin/jobs?${query}`)).body.data.map(({ provider }: { provider: unknown }) => provider);
    expect(await senders("sort=id")).toEqual(["stripe", "github", null]);
    expect(await senders("filter[provider]=github")).toEqual(["github"]);
    expect(await senders(`filter[created_at][gte]=${new Date(now + 60_000).toISOString()}`)).toEqual([null]);
    expect(await senders(`sort=id&filter[created_at][lt]=${new Date(now + 60_000).toISOString()}`)).toEqual([
      "stripe",
      "github",
    ]);
    expect((await get("/admin/jobs?filter[created_at][gte]=yesterday")).status).toBe(400);
  });

  test("pause and resume a queue, and say how things stand", async () => {
    const { jobs, runners, now, get, post } = await scene();
    await jobs.enqueue([{ kind: "mail", maxAttempts: 2 }], now);
    await runners.register({ name: "host:1", kinds: [] }, now);
    expect((await post("/admin/queues/default/pause", { note: "moving" })).status).toBe(204);
    const queues = [
      {
        ...{ name: "default", paused: true, note: "moving", ready: 1, oldest_ready_at: new Date(now).toISOString() },
        ...{ running: 0, ended_last_minute: 0, at_once: null, per_second: null, workers: 1 },
      },
    ];
    expect((await get("/admin/queues")).body).toEqual({ data: queues });
    expect((await get("/admin/stats")).body).toMatchObject({
      jobs: { ready: 1, running: 0, dead: 0 },
      queues,
      runners: [{ name: "host:1" }],
    });
    expect((await post("/admin/queues/default/resume")).status).toBe(204);
    expect((await get("/admin/queues")).body.data[0].paused).toBe(false);
    expect((await post("/admin/queues/No%20Queue/pause")).status).toBe(404);
    expect((await post("/admin/queues/default/pause", { note: "" })).status).toBe(400);
  });

  test("are for administrators", async () => {
    const { call, stranger } = await scene();
    for (const [method, path] of [
      ["GET", "/admin/jobs/1"],
      ["POST", "/admin/jobs/1/retry"],
      ["POST", "/admin/jobs/1/cancel"],
      ["GET", "/admin/queues"],
      ["POST", "/admin/queues/default/pause"],
      ["POST", "/admin/queues/default/resume"],
      ["GET", "/admin/stats"],
    ] as const) {
      expect([path, (await call(method, path)).status]).toEqual([path, 401]);
      expect([path, (await call(method, path, { token: stranger })).status]).toEqual([path, 403]);
    }
  });
});
