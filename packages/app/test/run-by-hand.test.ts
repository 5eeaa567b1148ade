import { createApp, user } from "@postern/app";
import { allRows } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import { newEvent } from "@postern/core/testing";
import { on } from "@postern/inbox";
import { expect, test } from "vitest";

const scene = async () => {
  const ports = memoryPorts();
  const handlers = [
    on("stripe", "invoice.*", async (_event, { commit }) => {
      await commit(async ({ users }) => {
        await users?.create({ name: "Ada", email: "ada@example.com", password: "hash" });
      });
      await commit(async () => undefined);
    }),
    on(
      "stripe",
      "*",
      async (_event, { signal }) => {
        const stopped = new Promise(
          (_resolve, reject) => void signal.addEventListener("abort", () => reject(signal.reason)),
        );
        await ports.clock.advance(1_000);
        await stopped;
      },
      { name: "slow", timeoutMs: 1_000 },
    ),
    on("stripe", "customer.*", async () => undefined, { name: "other" }),
  ];
  const app = createApp({ ports, handlers });
  const [accepted] = await ports.storage.events.accept([newEvent("evt_1", { jobs: [] })]);
  const count = () => ports.storage.resources.count(user, { scope: allRows("test") }, 9);
  return { app, count, run: { eventId: Number(accepted?.id), keep: false } };
};

test("a handler that is run by hand commits once, and what it wrote is rolled back or kept", async () => {
  const { app, count, run } = await scene();
  const wrote = [{ what: "insert", of: "user", values: expect.not.objectContaining({ password: "hash" }) }];
  const error = "AlreadyCommitted: this run has committed before: write everything in one commit";
  expect(await app.runByHand("stripe:invoice.*", run)).toMatchObject({ wrote, error, kept: false });
  expect(await count()).toBe(0);
  expect(await app.runByHand("stripe:invoice.*", { ...run, keep: true })).toMatchObject({ wrote, error, kept: true });
  expect(await count()).toBe(1);
});

test("a handler that is run by hand is told when its time is up", async () => {
  const { app, run } = await scene();
  expect(await app.runByHand("slow", run)).toMatchObject({ error: "Error: the handler took longer than 1000 ms" });
});

test("a handler is not run by hand on an event that is not there or not for it", async () => {
  const { app, run } = await scene();
  await expect(app.runByHand("other", run)).rejects.toThrow("it is for stripe customer.*");
  await expect(app.runByHand("othr", run)).rejects.toThrow('did you mean "other"?');
  await expect(app.runByHand("other", { ...run, eventId: 99 })).rejects.toThrow("There is no such event.");
});
