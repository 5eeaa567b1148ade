import { newEvent } from "@postern/core/testing";
import { expect, test } from "vitest";
import { testApi } from "./api.ts";

const scene = async () => {
  const api = testApi();
  const { token } = await api.admin();
  const { jobs, jobRecords, events } = api.ports.storage;
  const now = api.ports.clock.now();
  const [ready = 0, scheduled = 0, dead = 0, held = 0, cancelled = 0, done = 0] = await jobs.enqueue(
    [
      { kind: "ready", maxAttempts: 1, queue: "other" },
      { kind: "scheduled", maxAttempts: 1, dueAt: now + 60_000 },
      { kind: "dead", maxAttempts: 1 },
      { kind: "held", maxAttempts: 1, orderKey: "o", onDead: "hold" },
      { kind: "cancelled", maxAttempts: 1, queue: "other" },
      { kind: "done", maxAttempts: 1 },
    ],
    now,
  );
  for (const job of await jobs.claim({ runnerId: 1_000_000, queue: "default", limit: 3, now })) {
    const end = job.kind === "done" ? ({ to: "done" } as const) : ({ to: "dead", error: "boom" } as const);
    await jobs.finish([{ job, end }], now);
  }
  await jobRecords.cancel(cancelled, now);
  const roleOf = async (role: string): Promise<string> => {
    const made = await api.user(role);
    await api.call("PATCH", `/users/${made.id}`, { token, body: { role } });
    return made.token;
  };
  return { ...api, token, events, roleOf, ids: { ready, scheduled, dead, held, cancelled, done } };
};

test("a job names what its state and the caller's scopes allow, and each operation decides the same", async () => {
  const { call, token, ids } = await scene();
  const expected: Readonly<Record<keyof typeof ids, readonly string[]>> = {
    ready: ["admin.jobs.cancel"],
    scheduled: ["admin.jobs.retry", "admin.jobs.cancel"],
    dead: ["admin.jobs.retry"],
    held: ["admin.jobs.retry", "admin.jobs.cancel"],
    cancelled: ["admin.jobs.retry"],
    done: [],
  };
  for (const [name, id] of Object.entries(ids)) {
    const { actions } = (await call("GET", `/admin/jobs/${id}`, { token })).body;
    expect(actions, name).toEqual(expected[name as keyof typeof ids]);
    // What is not named is refused. What is named is done: last, as it changes the state.
    for (const word of ["retry", "cancel"].toSorted((one) => (actions.includes(`admin.jobs.${one}`) ? 1 : -1))) {
      const { status } = await call("POST", `/admin/jobs/${id}/${word}`, { token });
      expect(status, `${name} ${word}`).toBe(actions.includes(`admin.jobs.${word}`) ? 202 : 409);
      if (status === 202) break;
    }
  }
});

test("an event names what its state and the caller's scopes allow", async () => {
  const { call, token, events, roleOf } = await scene();
  const ignored = { disposition: "ignored", jobs: [] } as const;
  await events.accept([newEvent("evt_1", ignored), newEvent("evt_2")]);
  const [first, second] = await events.list({ after: 0, limit: 2 });
  const actionsOf = async (id: number | undefined, who = token) =>
    (await call("GET", `/admin/events/${id}`, { token: who })).body.actions;
  expect(await actionsOf(first?.id)).toEqual(["admin.events.replay", "admin.events.discard"]);
  expect(await actionsOf(second?.id)).toEqual([]);
  expect(await actionsOf(first?.id, await roleOf("viewer"))).toEqual([]);
  expect(await actionsOf(first?.id, await roleOf("operator"))).toEqual(["admin.events.replay", "admin.events.discard"]);
  const listed = (await call("GET", "/admin/events?filter[state]=ignored", { token, version: "v2" })).body.data;
  expect(listed[0].actions).toEqual(["admin.events.replay", "admin.events.discard"]);
});

test("a job that was replaced, or whose event was discarded, is not offered to run again", async () => {
  const { call, token, ids, ports } = await scene();
  const actionsOf = async (id: number) => (await call("GET", `/admin/jobs/${id}`, { token })).body.actions;
  await call("POST", `/admin/jobs/${ids.dead}/retry`, { token });
  expect(await actionsOf(ids.dead)).toEqual([]);
  expect((await call("POST", `/admin/jobs/${ids.dead}/retry`, { token })).status).toBe(409);
  const { events, jobs, jobRecords } = ports.storage;
  const now = ports.clock.now();
  await events.accept([newEvent("evt_3")]);
  const [job] = await jobRecords.list({ limit: 1 });
  await jobRecords.cancel(job?.id ?? 0, now);
  expect(await actionsOf(job?.id ?? 0)).toEqual(["admin.jobs.retry"]);
  await events.discard([job?.eventId ?? 0], { reason: "it was a test", now });
  expect(await actionsOf(job?.id ?? 0)).toEqual([]);
  expect(await jobs.nextDueAt()).toBeDefined();
});

test("a dead event of which another job is still to run is not offered to be discarded", async () => {
  const { call, token, events, ports } = await scene();
  const two = [
    { kind: "one", maxAttempts: 1, queue: "events" },
    { kind: "two", maxAttempts: 1, queue: "events" },
  ];
  await events.accept([newEvent("evt_4", { jobs: two })]);
  const { jobs } = ports.storage;
  const now = ports.clock.now();
  const [job] = await jobs.claim({ runnerId: 1_000_000, queue: "events", limit: 1, now });
  if (job === undefined) throw new Error("there is a job");
  await jobs.finish([{ job, end: { to: "dead", error: "boom" } }], now);
  const [event] = await events.list({ limit: 1 });
  const { body } = await call("GET", `/admin/events/${event?.id}`, { token });
  expect([body.state, body.actions]).toEqual(["dead", ["admin.events.replay"]]);
  const given = { token, body: { reason: "it was a test" } };
  expect((await call("POST", `/admin/events/${event?.id}/discard`, given)).status).toBe(409);
});
