import { newEvent } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import { testApi } from "./api.ts";

const scene = async () => {
  const api = testApi();
  const { token } = await api.admin();
  const { storage, clock } = api.ports;
  const now = clock.now();
  const fail = async (kind: string, error: string, at = now) => {
    const [job] = await storage.jobs.claim({ runnerId: 1_000_000, queue: "default", limit: 1, now, kinds: [kind] });
    if (job === undefined) throw new Error("nothing was ready");
    await storage.jobs.finish([{ job, end: { to: "dead", error, stack: "    at send (/app/mail.ts:3:1)" } }], at);
    return job.id;
  };
  const get = async (path: string, given = token, version = "v2") => api.call("GET", path, { token: given, version });
  for (const n of [1, 2, 3]) {
    await storage.events.accept([newEvent(`evt_${n}`, { jobs: [{ kind: "mail", maxAttempts: 1 }] })]);
    await fail("mail", `Error: customer cus_${n}a has no mail`, now + n);
  }
  await storage.jobs.enqueue([{ kind: "report", maxAttempts: 1 }], now);
  const report = await fail("report", "TypeError: no rows", now + 9);
  const keyWith = async (...scopes: readonly string[]): Promise<string> =>
    (await api.call("POST", "/api-keys", { token, body: { name: "key", scopes } })).body.key;
  return {
    ...api,
    token,
    now,
    get,
    report,
    keyWith,
    post: (path: string, body: object) => api.call("POST", path, { token, body }),
  };
};

describe("the causes of failures", () => {
  test("are shown with their count, share, times and an example", async () => {
    const { get, now, report } = await scene();
    const { status, body } = await get("/admin/causes");
    expect([status, body.page.has_more]).toEqual([200, false]);
    const at = (ms: number) => new Date(now + ms).toISOString();
    expect(body.data).toEqual([
      {
        id: expect.stringMatching(/^[A-Za-z0-9]{12}$/),
        handler: "mail",
        error: "Error",
        message: "customer # has no mail",
        frames: ["send (mail.ts)"],
        failures: 3,
        share: 0.75,
        first_at: at(1),
        last_at: at(3),
        example: {
          event_id: expect.any(String),
          job_id: expect.any(String),
          at: at(3),
          error: "Error: customer cus_3a has no mail\n    at send (/app/mail.ts:3:1)",
        },
      },
      {
        id: expect.any(String),
        handler: "report",
        error: "TypeError",
        message: "no rows",
        frames: ["send (mail.ts)"],
        failures: 1,
        share: 0.25,
        first_at: at(9),
        last_at: at(9),
        example: { event_id: null, job_id: String(report), at: at(9), error: expect.stringContaining("no rows") },
      },
    ]);
    const newest = (await get("/admin/events?filter[event_id]=evt_3")).body.data[0].id;
    expect(body.data[0].example.event_id).toBe(newest);
    expect((await get("/admin/causes", undefined, "v1")).body).toEqual(body.data);
  });

  test("are those of the failures since a time", async () => {
    const { get, now } = await scene();
    const since = async (ms: number) =>
      (await get(`/admin/causes?since=${new Date(now + ms).toISOString()}`)).body.data.map(
        ({ failures, share }: { failures: number; share: number }) => [failures, share],
      );
    expect(await since(2)).toEqual([
      [2, 0.6667],
      [1, 0.3333],
    ]);
    expect(await since(10)).toEqual([]);
    expect((await get("/admin/causes?since=yesterday")).status).toBe(400);
  });

  test("are as many as are asked for, those with most failures", async () => {
    const { get } = await scene();
    const page = async (limit: string) => get(`/admin/causes?limit=${limit}`);
    const { body } = await page("1");
    expect([body.page.limit, body.data.map((one: { handler: string }) => one.handler)]).toEqual([1, ["mail"]]);
    expect((await page("100")).body.data).toHaveLength(2);
    for (const limit of ["0", "101", "few"]) expect((await page(limit)).status).toBe(400);
  });

  test("lead to their events and jobs, and to a replay of these", async () => {
    const { get, post } = await scene();
    const [mail, report] = (await get("/admin/causes")).body.data;
    const events = async (query: string) =>
      (await get(`/admin/events?${query}`)).body.data.map((one: { event_id: string }) => one.event_id);
    expect(await events(`filter[cause]=${mail.id}`)).toEqual(["evt_3", "evt_2", "evt_1"]);
    expect(await events(`filter[cause]=${mail.id}&filter[state]=dead&limit=1`)).toEqual(["evt_3"]);
    expect(await events(`filter[cause]=${report.id}`)).toEqual([]);
    expect((await get(`/admin/events?filter[cause]=${mail.id}&total=true`)).body.page.total).toBe(3);
    const jobs = (await get(`/admin/jobs?filter[cause]=${report.id}`)).body.data;
    expect(jobs.map(({ handler }: { handler: string }) => handler)).toEqual(["report"]);
    expect((await get("/admin/events?filter[cause]=1")).status).toBe(400);
    expect((await post("/admin/events/replay", { state: "dead", cause: report.id })).body.matched).toBe(0);
    expect((await post("/admin/events/replay", { state: "dead", cause: mail.id })).body).toMatchObject({
      matched: 3,
      replayed: 3,
    });
    expect(await events(`filter[cause]=${mail.id}`)).toEqual([]);
  });

  test("keep the texts of errors from callers who may not see payloads, and note who saw them", async () => {
    const { get, keyWith, ports } = await scene();
    const [masked] = (await get("/admin/causes", await keyWith("causes:read"))).body.data;
    expect(masked).toMatchObject({ error: "Error", frames: ["send (mail.ts)"], failures: 3 });
    expect(masked.message).toContain("masked");
    expect(masked.example.error).toContain("masked");
    expect(JSON.stringify(masked)).not.toContain("customer");
    const noted = async () => ports.storage.audit.list({ action: "events:reveal", limit: 10 });
    expect(await noted()).toEqual([]);
    const [shown] = (await get("/admin/causes", await keyWith("causes:read", "events:reveal"))).body.data;
    expect(shown.message).toBe("customer # has no mail");
    expect(await noted()).toMatchObject([{ resource: "job", result: "done" }]);
    expect((await get("/admin/causes", await keyWith("jobs:read"))).status).toBe(403);
  });
});
