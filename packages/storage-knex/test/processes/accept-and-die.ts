import { newEvent } from "@postern/core/testing";
import { createKnexStorage } from "../../src/index.ts";

/**
 * Holds a runner's lock, accepts an event, runs its job halfway, and dies between the commit and
 * the answer.
 */
const { storage, liveness } = createKnexStorage({ url: process.argv[2] ?? "" });
const runnerId = await storage.runners.register({ name: "doomed", kinds: [] }, 1);
await liveness.hold(runnerId);
await storage.events.accept([newEvent("evt_1"), newEvent("evt_2")]);
await storage.jobs.claim({ runnerId, queue: "default", limit: 1, now: 1 });
// A transaction that will never be committed.
void storage.transaction(async ({ jobs }) => {
  await jobs.enqueue([{ kind: "never", maxAttempts: 1 }], 1);
  process.kill(process.pid, "SIGKILL");
  await new Promise(() => undefined);
});
