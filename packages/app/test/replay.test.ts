import { type App, createApp } from "@postern/app";
import { type MemoryPorts, memoryPorts } from "@postern/core/memory";
import { newEvent } from "@postern/core/testing";
import { type InboxHandler, on } from "@postern/inbox";
import { Permanent } from "@postern/jobs";
import { describe, expect, test } from "vitest";

const operator = { kind: "operator", name: "test" } as const;

interface Done {
  readonly dry_run: boolean;
  readonly matched: number;
  readonly replayed: number;
  readonly jobs: number;
  readonly skipped: readonly { reason: string; events: number }[];
  readonly last_due_at: string | null;
  readonly next: string | null;
}

/** `count` events that are dead, and a handler that has been mended since. */
const withDead = async (count: number) => {
  const ports: MemoryPorts = memoryPorts();
  const ran: string[] = [];
  let broken = true;
  const handler: InboxHandler = on("*", "*", async ({ eventId }) => {
    if (broken) throw new Permanent("no use");
    ran.push(eventId ?? "");
  });
  const app: App = createApp({ ports, handlers: [handler] });
  const worker = app.worker({ name: "test", concurrency: 1_000 });
  await worker.start();
  const work = async () => {
    await worker.runDue();
    await ports.clock.advance(0);
  };
  const start = ports.clock.now();
  const events = Array.from({ length: count }, (_, n) =>
    newEvent(`evt_${n}`, {
      provider: n % 2 === 0 ? "stripe" : "github",
      receivedAt: start + n * 1000,
      jobs: [{ kind: handler.name, maxAttempts: 1 }],
    }),
  );
  await ports.storage.events.accept(events);
  await work();
  broken = false;
  const replay = async (body: object): Promise<Done> =>
    // What the operation's own schema says.
    (await app.run({ operation: "admin.events.replayMany", principal: operator, body: { state: "dead", ...body } }))
      .body as Done;
  return { ports, app, ran, work, replay, start };
};

describe("a bulk replay", () => {
  test("runs every matching event once, oldest first, and keeps the history", async () => {
    const { replay, work, ran, ports } = await withDead(130);
    expect(await replay({ provider: "stripe" })).toEqual({
      dry_run: false,
      matched: 65,
      replayed: 65,
      jobs: 65,
      skipped: [],
      last_due_at: null,
      next: null,
    });
    await work();
    expect(ran).toEqual(Array.from({ length: 65 }, (_, n) => `evt_${n * 2}`));
    const jobs = await ports.storage.jobRecords.list({ limit: 1000 });
    expect(jobs.filter(({ replayOf }) => replayOf !== undefined)).toHaveLength(65);
    expect(jobs.filter(({ state }) => state === "dead")).toHaveLength(130);
    expect((await replay({ provider: "stripe" })).matched).toBe(0);
  });

  test("tells what it would do, and does nothing of it", async () => {
    const { replay, work, ran } = await withDead(10);
    const plan = await replay({ dry_run: true, per_second: 2 });
    expect(plan).toMatchObject({ dry_run: true, matched: 10, replayed: 10, jobs: 0, next: null });
    await work();
    expect(ran).toEqual([]);
    expect((await replay({})).replayed).toBe(10);
  });

  test("keeps its pace without anybody staying connected", async () => {
    const { replay, work, ran, ports } = await withDead(10);
    const { last_due_at } = await replay({ per_second: 2 });
    expect(last_due_at).toBe(new Date(ports.clock.now() + 4_500).toISOString());
    await work();
    expect(ran).toHaveLength(1);
    for (let second = 1; second <= 4; second += 1) {
      await ports.clock.advance(1_000);
      await work();
      expect(ran).toHaveLength(1 + second * 2);
    }
  });

  test("is paced by the database's clock", async () => {
    const { replay, ports } = await withDead(3);
    const now = ports.clock.now() - 3600_000;
    Object.assign(ports.storage.runners, { databaseTime: async () => now });
    expect((await replay({ per_second: 1 })).last_due_at).toBe(new Date(now + 2_000).toISOString());
  });

  test("takes what lies between two times", async () => {
    const { replay, work, ran, start } = await withDead(10);
    const at = (second: number) => new Date(start + second * 1000).toISOString();
    await replay({ received_since: at(3), received_before: at(5) });
    await work();
    expect(ran).toEqual(["evt_3", "evt_4"]);
    await expect(replay({ received_since: at(5), received_before: at(5) })).rejects.toMatchObject({
      code: "validation_failed",
    });
  });

  test("goes on where the one before ended", async () => {
    const { replay, work, ran } = await withDead(7);
    const first = await replay({ limit: 3 });
    expect(first).toMatchObject({ matched: 3, next: expect.any(String) });
    const second = await replay({ limit: 3, after: first.next });
    expect(await replay({ limit: 3, after: second.next })).toMatchObject({ matched: 1, next: null });
    await work();
    expect(ran).toHaveLength(7);
  });

  test("says why events are skipped", async () => {
    const { replay, ports } = await withDead(0);
    await ports.storage.events.accept([
      newEvent("evt_1", {
        disposition: "quarantined",
        reason: "x",
        jobs: [],
        body: new TextEncoder().encode("no JSON"),
      }),
      newEvent("evt_2", { disposition: "quarantined", reason: "x", jobs: [] }),
    ]);
    // What the sender promises is not known here any more, so nobody can tell whether they are whole.
    expect(await replay({ state: "quarantined" })).toMatchObject({
      matched: 2,
      replayed: 0,
      skipped: [{ reason: "its provider is not configured any more", events: 2 }],
    });
    expect(await replay({ state: "ignored" })).toMatchObject({ matched: 0 });
    await ports.storage.events.accept([newEvent("evt_3", { disposition: "ignored", reason: "x", jobs: [] })]);
    const nobody = createApp({ ports });
    const answer = await nobody.run({
      operation: "admin.events.replayMany",
      principal: operator,
      body: { state: "ignored" },
    });
    expect(answer.body).toMatchObject({ replayed: 0, skipped: [{ reason: "no handler wants it", events: 1 }] });
  });

  test("runs what has been processed only when told twice", async () => {
    const { replay, work, ran } = await withDead(2);
    await replay({});
    await work();
    await expect(replay({ state: "processed" })).rejects.toMatchObject({
      code: "validation_failed",
      faults: [{ pointer: "/force" }],
    });
    expect(await replay({ state: "processed", force: true })).toMatchObject({ replayed: 2 });
    await work();
    expect(ran).toHaveLength(4);
  });

  test("runs what has been processed even when its jobs have been deleted since", async () => {
    const { replay, work, ran, ports, app } = await withDead(2);
    await replay({});
    await work();
    await ports.storage.housekeeping.prune("done_jobs", ports.clock.now() + 1, 10);
    expect(await replay({ state: "processed", force: true })).toMatchObject({ replayed: 2, jobs: 2, skipped: [] });
    await work();
    expect(ran).toHaveLength(4);
    await ports.storage.housekeeping.prune("done_jobs", ports.clock.now() + 1, 10);
    const nobody = createApp({ ports });
    const call = { operation: "admin.events.replay", principal: operator, body: { force: true } };
    const [{ id } = { id: 0 }] = await ports.storage.events.list({ limit: 1 });
    await expect(nobody.run({ ...call, params: { id: String(id) } })).rejects.toMatchObject({
      code: "state_conflict",
      message: expect.stringContaining("no handler wants it"),
    });
    expect((await app.run({ ...call, params: { id: String(id) } })).body).toEqual({ id: String(id), jobs: 1 });
  });

  test("leaves events whose body is kept no longer, and says so", async () => {
    const { replay, work, ran, ports, app } = await withDead(1);
    await replay({});
    await work();
    await ports.storage.housekeeping.prune("bodies", ports.clock.now() + 1, 10);
    expect(await replay({ state: "processed", force: true })).toMatchObject({
      replayed: 0,
      skipped: [{ reason: "its body is kept no longer", events: 1 }],
    });
    const [{ id } = { id: 0 }] = await ports.storage.events.list({ limit: 1 });
    const call = { principal: operator, params: { id: String(id) } };
    await expect(app.run({ ...call, operation: "admin.events.replay", body: { force: true } })).rejects.toMatchObject({
      code: "state_conflict",
      message: expect.stringContaining("its body is kept no longer"),
    });
    expect((await app.run({ ...call, operation: "admin.events.read" })).body).toMatchObject({
      state: "processed",
      body_kept: false,
      body_base64: "",
      data: null,
      headers: {},
    });
    expect(ran).toEqual(["evt_0"]);
  });

  test("runs what was cancelled", async () => {
    const { replay, work, ran, ports } = await withDead(1);
    expect(await replay({})).toMatchObject({ replayed: 1 });
    const [job] = await ports.storage.jobRecords.list({ state: "ready", limit: 1 });
    await ports.storage.jobRecords.cancel(job?.id ?? 0, ports.clock.now());
    expect(await replay({})).toMatchObject({ matched: 0 });
    expect(await replay({ state: "cancelled" })).toMatchObject({ matched: 1, replayed: 1, jobs: 1 });
    await work();
    expect(ran).toEqual(["evt_0"]);
  });

  test("of two at the same moment runs each event once", async () => {
    const { replay, work, ran } = await withDead(20);
    const both = await Promise.all([replay({}), replay({})]);
    expect(both[0].replayed + both[1].replayed).toBe(20);
    await work();
    expect(ran).toHaveLength(20);
  });
});
