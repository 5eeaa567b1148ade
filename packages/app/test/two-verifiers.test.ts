import { createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { defineProvider } from "@postern/inbox";
import * as own from "@postern/webhook-verifier";
import { expect, test, vi } from "vitest";
import { encoder, secret } from "./inbox-scene.ts";

test("a refusal by another copy of the verifier is answered like one by the server's own", async () => {
  vi.resetModules();
  const { createVerifier, WebhookVerificationError } = await import("@postern/webhook-verifier");
  const { standardWebhooks } = await import("@postern/webhook-verifier/schemes/standard-webhooks");
  expect(WebhookVerificationError).not.toBe(own.WebhookVerificationError);
  const keysAreAway = () => Promise.reject(new Error("no answer"));
  const app = createApp({
    ports: memoryPorts(),
    providers: [
      defineProvider({ name: "known", verifier: createVerifier(standardWebhooks, { keys: secret }) }),
      defineProvider({ name: "away", verifier: createVerifier(standardWebhooks, { keys: keysAreAway }) }),
    ],
  });
  const headers = { "webhook-id": "msg_1", "webhook-timestamp": "0", "webhook-signature": "v1,AAAA" };
  const deliver = async (provider: string) => {
    const url = `http://test/api/webhooks/${provider}`;
    const body = encoder.encode("{}");
    const { status, body: answer } = await app.receive({
      provider,
      method: "POST",
      url,
      headers,
      body,
      requestId: "r",
    });
    return { status, answer };
  };
  expect(await deliver("known")).toMatchObject({ status: 401, answer: { code: "invalid_signature" } });
  expect(await deliver("away")).toMatchObject({ status: 503, answer: { code: "unavailable" } });
});
