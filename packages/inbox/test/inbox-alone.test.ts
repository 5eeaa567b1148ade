import { memoryPorts } from "@postern/core/memory";
import { createInbox, createProviders, defineProvider, on } from "@postern/inbox";
import { createJobs } from "@postern/jobs";
import { createVerifier, sign } from "@postern/webhook-verifier";
import { github } from "@postern/webhook-verifier/schemes/github";
import { expect, test } from "vitest";

const keys = "the secret of a sender";

test("an inbox and jobs alone take a webhook, and run its handler once", async () => {
  const ports = memoryPorts();
  const seen: unknown[] = [];
  const handlers = [
    on("github", "issues.opened", async ({ data }, { commit }) => {
      await commit(async () => undefined);
      seen.push(data);
    }),
  ];
  const verifier = createVerifier(github, { keys });
  const providers = createProviders(ports, new Map([["github", defineProvider({ name: "github", verifier })]]));
  const inbox = createInbox({ ports, providers, handlers });
  const worker = createJobs({ ports, jobs: inbox.jobs }).worker({ name: "one", concurrency: 1 });
  await worker.start();

  const body = '{"action":"opened"}';
  const headers = { ...(await sign(github, { keys, body, id: "delivery_1", type: "issues" })) };
  const url = "https://example.com/api/webhooks/github";
  const deliver = () =>
    inbox.receive({ provider: "github", method: "POST", url, headers, body: Buffer.from(body), requestId: "1" });
  expect((await deliver()).done).toBe("stored");
  expect((await deliver()).done).toBe("repeat");

  expect(await worker.runDue()).toBe(1);
  await ports.clock.advance(0);
  expect(await worker.runDue()).toBe(0);
  expect(seen).toEqual([{ action: "opened" }]);
  expect(await ports.storage.jobRecords.countByState()).toMatchObject({ done: 1 });
});
