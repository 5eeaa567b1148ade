import { memoryPorts } from "@postern/core/memory";
import { createVerifier, sign } from "@postern/webhook-verifier";
import { github } from "@postern/webhook-verifier/schemes/github";
import { expect, test } from "vitest";
import { createInbox } from "../src/create-inbox.ts";
import { on } from "../src/on.ts";
import { createProviders } from "../src/provider-registry.ts";

const keys = "the secret of a sender of long webhooks";
const place = { method: "POST", url: "https://example.com/api/webhooks/github" };

/** What happens to a webhook, in its order: what is read in its delivery, and each end of a turn. */
const happens = async (body: string): Promise<readonly string[]> => {
  const steps: string[] = [];
  const scheme = {
    ...github,
    parse: (...given: Parameters<NonNullable<typeof github.parse>>): unknown => {
      steps.push("parse");
      return github.parse?.(...given);
    },
  };
  const provider = { name: "github", verifier: createVerifier(scheme, { keys }) };
  const ports = memoryPorts();
  const { accept } = ports.storage.events;
  const events = {
    ...ports.storage.events,
    accept: (given: Parameters<typeof accept>[0]) => {
      steps.push("store");
      return accept(given);
    },
  };
  const inbox = createInbox({
    ports: { ...ports, storage: { ...ports.storage, events } },
    providers: createProviders(ports, new Map([[provider.name, provider]])),
    handlers: [on("github", "*", async () => undefined)],
  });
  const headers = { ...(await sign(github, { keys, body, id: "delivery_1", type: "push" })) };
  const pause = async (): Promise<void> => {
    steps.push("pause");
  };
  const answer = await inbox.receive({
    ...place,
    provider: "github",
    headers,
    body: Buffer.from(body),
    requestId: "1",
    pause,
  });
  expect(answer).toMatchObject({ status: 200, body: { status: "accepted" } });
  return steps;
};

test("a long webhook is verified, digested, read and stored in turns of their own", async () => {
  expect(await happens('{"action":"opened"}')).toEqual(["pause", "pause", "parse", "pause", "store"]);
});
