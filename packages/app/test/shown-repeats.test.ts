import { createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { defineProvider } from "@postern/inbox";
import { createVerifier, type Dedupe, type Scheme, sign } from "@postern/webhook-verifier";
import { schemes } from "@postern/webhook-verifier/schemes";
import { expect, test } from "vitest";
import { encoder, secret } from "./inbox-scene.ts";

const windowed: Dedupe = { by: "body", windowSeconds: 600 };

test.each<[string, Scheme, Dedupe | undefined, object]>([
  ["an id that is signed", schemes.btcpay, undefined, { by: "id", window_seconds: null }],
  ["an id that is not signed", schemes.shopify, undefined, { by: "unsigned_id", window_seconds: null }],
  ["the body within a window", schemes.shopify, windowed, { by: "body", window_seconds: 600 }],
  ["nothing", schemes.dropbox, undefined, { by: "none", window_seconds: null }],
])("an event shows that its repeats are told by %s", async (_what, scheme, dedupe, wants) => {
  const ports = memoryPorts();
  const verifier = createVerifier(scheme, { keys: secret, ...(dedupe && { dedupe }) });
  const app = createApp({ ports, providers: [defineProvider({ name: "acme", verifier })] });
  const body = encoder.encode('{"originalDeliveryId":"d1","deliveryId":"d1"}');
  const headers = await sign(scheme, { keys: secret, body, id: "d1" });
  const url = "http://test/api/webhooks/acme";
  const { body: answer } = await app.receive({ provider: "acme", method: "POST", url, requestId: "r", headers, body });
  const { body: shown } = await app.run({
    operation: "admin.events.read",
    principal: { kind: "operator", name: "test" },
    params: { id: (answer as { id: string }).id },
  });
  expect(shown).toMatchObject({ repeat: wants });
});
