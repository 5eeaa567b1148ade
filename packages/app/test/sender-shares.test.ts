import { createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { defineProvider, on } from "@postern/inbox";
import { createVerifier, sign } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import { expect, test } from "vitest";
import { encoder, secret } from "./inbox-scene.ts";

/** Two senders whose events one handler gets, with a worker, which runs one job at a time by default. */
const twoSenders = async ({ orderKey = false, concurrency = 1 } = {}) => {
  const ports = memoryPorts();
  const verifier = createVerifier(standardWebhooks, { keys: secret, now: () => ports.clock.now() });
  const ran: string[] = [];
  const note = on<{ name: string }>(
    "*",
    "*",
    async ({ data }) => {
      ran.push(data.name);
    },
    { name: "note", orderKey: ({ data }) => (orderKey ? String(Object(data).name) : undefined) },
  );
  const app = createApp({
    ports,
    providers: ["busy", "quiet"].map((name) => defineProvider({ name, verifier })),
    handlers: [note],
  });
  const worker = app.worker({ name: "only", concurrency });
  await worker.start();
  const deliver = async (provider: string, name: string): Promise<void> => {
    const body = encoder.encode(JSON.stringify({ type: "noted", data: { name } }));
    const headers = await sign(standardWebhooks, { keys: secret, body, id: name, timestamp: ports.clock.now() });
    const url = `http://test/api/webhooks/${provider}`;
    const { status } = await app.receive({ provider, method: "POST", url, headers, body, requestId: "r" });
    expect(status).toBe(200);
  };
  return {
    ports,
    ran,
    deliver,
    flood: async (count: number, prefix = "busy"): Promise<void> => {
      for (let n = 0; n < count; n += 1) await deliver("busy", `${prefix}-${n}`);
    },
    stop: () => worker.stop(0),
    look: () => worker.runDue(),
    /** Runs jobs, one after the other. */
    work: async (most = Number.POSITIVE_INFINITY): Promise<void> => {
      for (let count = 0; count < most; count += 1) {
        const started = await worker.runDue();
        await ports.clock.advance(0);
        if (started === 0) return;
      }
    },
    pause: () => ports.storage.queues.pause("default", undefined, ports.clock.now()),
    resume: () => ports.storage.queues.resume("default"),
    priorities: async () =>
      (await ports.storage.jobRecords.list({ limit: 500 })).map(({ priority }) => priority).toReversed(),
  };
};

test.each([false, true])(
  "a sender with very many events makes another one wait for a few (ordered: %s)",
  async (orderKey) => {
    const { flood, deliver, work, pause, resume, ran } = await twoSenders({ orderKey });
    await pause();
    await flood(300);
    await deliver("quiet", "quiet");
    await resume();
    await work();
    expect(ran).toHaveLength(301);
    expect(ran.indexOf("quiet")).toBeLessThan(20);
  },
);

test("the events of one sender stay in their order", async () => {
  const { flood, work, pause, resume, ran } = await twoSenders();
  await pause();
  await flood(60, "a");
  await resume();
  await work(5);
  await flood(60, "b");
  await work();
  const sent = ["a", "b"].flatMap((prefix) => Array.from({ length: 60 }, (_, n) => `${prefix}-${n}`));
  expect(ran).toEqual(sent);
});

test("a sender is like any other again once the queue is empty", async () => {
  const { flood, work, pause, resume, priorities } = await twoSenders();
  await pause();
  await flood(101);
  expect([...new Set(await priorities())]).toEqual([0, 1, 2]);
  await resume();
  await work();
  // The first one finds a free slot, which tells that nothing waits.
  await flood(2, "later");
  expect((await priorities()).at(-1)).toBe(0);
});

test("a claim that leaves jobs of another priority does not tell that the queue is empty", async () => {
  const { flood, look, pause, resume, priorities } = await twoSenders({ concurrency: 20 });
  // Every tenth claim takes jobs of one priority only.
  for (let claims = 0; claims < 9; claims += 1) await look();
  await pause();
  await flood(112);
  await resume();
  expect(await look()).toBe(10);
  await flood(1, "later");
  expect((await priorities()).at(-1)).toBe(2);
});

test("a sender whose events find a free slot gets the usual priority, however many it sends", async () => {
  const { flood, work, ports, priorities } = await twoSenders();
  for (let turn = 0; turn < 30; turn += 1) {
    await flood(1, `turn-${turn}`);
    await ports.clock.advance(0);
    await work();
  }
  expect(new Set(await priorities())).toEqual(new Set([0]));
});

test("deliveries that are repeated do not count", async () => {
  const { pause, deliver, priorities } = await twoSenders();
  await pause();
  for (let turn = 0; turn < 30; turn += 1) await deliver("busy", "again");
  await deliver("busy", "another");
  expect(await priorities()).toEqual([0, 0]);
});

test("a process without a worker leaves all priorities as they are, because it never learns that the queue is empty", async () => {
  const { flood, stop, priorities } = await twoSenders();
  await stop();
  await flood(12);
  expect(await priorities()).toEqual(Array.from({ length: 12 }, () => 0));
});
