import { schedule } from "@postern/jobs";
import { describe, expect, test } from "vitest";
import { testApi } from "./api.ts";

const scene = async () => {
  const slots: number[] = [];
  const report = schedule("nightly/report", "*/2 * * * *", async ({ slot }) => void slots.push(slot), {
    queue: "reports",
  });
  const broken = schedule("b".repeat(128), "0 6 * * 1", async () => Promise.reject(new Error("no")), {
    timeZone: "UTC",
    retry: { delaysMs: [] },
    missed: "skip",
  });
  const api = testApi({ schedules: [report, broken] });
  const { token } = await api.admin();
  const worker = api.app.worker({ name: "w", concurrency: 5, queues: { reports: {} } });
  await worker.start();
  const { clock } = api.ports;
  return {
    ...api,
    token,
    slots,
    clock,
    list: async () => (await api.call("GET", "/admin/schedules", { token })).body.data,
    post: (path: string, body?: object) =>
      api.call("POST", `/admin/schedules/${path}`, { token, ...(body === undefined ? {} : { body }) }),
    minutes: async (count: number) => {
      for (let minute = 0; minute < count; minute += 1) {
        await clock.advance(60_000);
        await worker.fireSchedules();
        await worker.runDue();
        await clock.advance(0);
      }
    },
  };
};
const nightly = "nightly%2Freport";

describe("the operations on schedules", () => {
  test("list what the application declares, with its times in words and its newest job", async () => {
    const { list, minutes, clock, slots } = await scene();
    const before = await list();
    expect(before.map(({ name }: { name: string }) => name)).toEqual(["nightly/report", "b".repeat(128)]);
    expect(before[1]).toMatchObject({
      words: "every Monday at 06:00 (UTC)",
      missed: "skip",
      queue: "default",
      last_at: null,
      last_job: null,
    });
    await minutes(2);
    const [slot = 0] = slots;
    const [shown] = await list();
    expect(shown).toMatchObject({
      cron: "*/2 * * * *",
      time_zone: "UTC",
      words: "every 2 minutes (UTC)",
      queue: "reports",
      paused: false,
      last_at: new Date(slot).toISOString(),
      last_job: { state: "done" },
    });
    const next = shown.next_times.map(Date.parse);
    expect(next.map((at: number) => at - slot)).toEqual([120_000, 240_000, 360_000]);
    expect(next[0]).toBeGreaterThan(clock.now());
  });

  test("pause a schedule and let it go on, with the reason, and the audit log says who did", async () => {
    const { list, post, minutes, slots, call, token } = await scene();
    expect((await post(`${nightly}/pause`, { note: "the office is closed" })).status).toBe(204);
    await minutes(3);
    expect((await list())[0]).toMatchObject({ paused: true, note: "the office is closed", next_times: [] });
    expect(slots).toEqual([]);
    expect((await post(`${nightly}/resume`)).status).toBe(204);
    expect((await list())[0]).toMatchObject({ paused: false, paused_at: null, note: null });
    await minutes(2);
    expect(slots).toHaveLength(1);
    const { body } = await call("GET", "/admin/audit?filter[resource]=schedule", { token });
    expect(body.data.map(({ action, resource_id: id }: Record<string, string>) => [action, id])).toEqual([
      ["admin.schedules.resume", "nightly/report"],
      ["admin.schedules.pause", "nightly/report"],
    ]);
  });

  test("run a schedule now, also while it is paused, and leave its times as they are", async () => {
    const { list, post, minutes, slots, clock, call, token } = await scene();
    await post(`${nightly}/pause`);
    const now = clock.now();
    const run = await post(`${nightly}/run`);
    expect(run.status).toBe(202);
    await minutes(1);
    expect(slots).toEqual([now]);
    expect((await list())[0]).toMatchObject({ last_at: null, last_job: { id: run.body.id, state: "done" } });
    expect((await call("GET", `/admin/jobs/${run.body.id}`, { token })).body).toMatchObject({
      handler: "nightly/report",
      queue: "reports",
    });
    expect((await post(`${"b".repeat(128)}/run`)).status).toBe(202);
    await minutes(1);
    expect((await list())[1].last_job.state).toBe("dead");
  });

  test("know only the schedules of the application, and take no empty note", async () => {
    const { post } = await scene();
    for (const name of ["other", "postern.prune"]) {
      for (const action of ["pause", "resume", "run"]) expect((await post(`${name}/${action}`)).status).toBe(404);
    }
    expect((await post(`${nightly}/pause`, { note: "" })).status).toBe(400);
  });

  test("are for people who operate", async () => {
    const { call, user } = await scene();
    const { token: stranger } = await user("eve");
    for (const [method, path] of [
      ["GET", "/admin/schedules"],
      ["POST", `/admin/schedules/${nightly}/pause`],
      ["POST", `/admin/schedules/${nightly}/resume`],
      ["POST", `/admin/schedules/${nightly}/run`],
    ] as const) {
      expect([path, (await call(method, path)).status]).toEqual([path, 401]);
      expect([path, (await call(method, path, { token: stranger })).status]).toEqual([path, 403]);
    }
  });
});
