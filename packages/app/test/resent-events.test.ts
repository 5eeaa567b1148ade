import { createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { defineProvider, on } from "@postern/inbox";
import { Permanent } from "@postern/jobs";
import { createVerifier, sign } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import { expect, test } from "vitest";
import { encoder, paid, secret } from "./inbox-scene.ts";

/** A handler that fails for good until it is mended. */
const failing = async ({ replayOnResend }: { readonly replayOnResend?: boolean }) => {
  const ports = memoryPorts();
  const verifier = createVerifier(standardWebhooks, { keys: secret, now: () => ports.clock.now() });
  const handler = { isMended: false, runs: 0 };
  const app = createApp({
    ports,
    providers: [defineProvider({ name: "acme", verifier, replayOnResend })],
    handlers: [
      on("acme", "*", async () => {
        handler.runs += 1;
        if (!handler.isMended) throw new Permanent("not yet");
      }),
    ],
  });
  const worker = app.worker({ name: "test", concurrency: 10 });
  let started: Promise<void> | undefined;
  return {
    ports,
    handler,
    deliver: async () => {
      const body = encoder.encode(paid);
      const headers = await sign(standardWebhooks, { keys: secret, body, id: "msg_1", timestamp: ports.clock.now() });
      const url = "http://test/api/webhooks/acme";
      const answer = await app.receive({ provider: "acme", method: "POST", url, headers, body, requestId: "r" });
      return answer.body;
    },
    work: async () => {
      // Not earlier: a worker of the same process gets jobs with the commit that stores them.
      started ??= worker.start();
      await started;
      await worker.runDue();
      await ports.clock.advance(0);
    },
  };
};

test("the sender of a dead event is told that it is dead, and nothing runs again", async () => {
  const { deliver, work, handler } = await failing({});
  await deliver();
  expect(await deliver()).toEqual({ id: expect.any(String), status: "duplicate" });
  await work();
  handler.isMended = true;
  for (let again = 0; again < 2; again += 1) {
    expect(await deliver()).toEqual({ id: expect.any(String), status: "duplicate", state: "dead" });
    await work();
  }
  expect(handler.runs).toBe(1);
});

test("a dead event runs again when it is sent again, if its provider is set so", async () => {
  const { deliver, work, handler, ports } = await failing({ replayOnResend: true });
  await deliver();
  await work();
  // Dead again: the next resend runs it once more.
  expect(await deliver()).toEqual({ id: expect.any(String), status: "duplicate", state: "received" });
  await work();
  handler.isMended = true;
  expect(await deliver()).toEqual({ id: expect.any(String), status: "duplicate", state: "received" });
  // It waits already.
  expect(await deliver()).toEqual({ id: expect.any(String), status: "duplicate" });
  await work();
  expect(await deliver()).toEqual({ id: expect.any(String), status: "duplicate" });
  await work();
  expect(handler.runs).toBe(3);
  expect((await ports.storage.jobRecords.list({ limit: 10 })).map(({ state }) => state)).toEqual([
    "done",
    "dead",
    "dead",
  ]);
});

test("a cancelled job stays cancelled when its event is sent again", async () => {
  const { deliver, ports } = await failing({ replayOnResend: true });
  await deliver();
  const [job] = await ports.storage.jobRecords.list({ limit: 1 });
  await ports.storage.jobRecords.cancel(job?.id ?? 0, ports.clock.now());
  expect(await deliver()).toEqual({ id: expect.any(String), status: "duplicate" });
  expect(await ports.storage.jobRecords.list({ limit: 10 })).toHaveLength(1);
});
