import { createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { defineProvider, on } from "@postern/inbox";
import { createVerifier, type Scheme, sign } from "@postern/webhook-verifier";
import { schemes } from "@postern/webhook-verifier/schemes";
import { expect, test } from "vitest";
import { encoder, secret } from "./inbox-scene.ts";

const receiver = (scheme: Scheme) => {
  const ports = memoryPorts();
  const verifier = createVerifier(scheme, { keys: secret, now: () => ports.clock.now() });
  const app = createApp({
    ports,
    providers: ["acme", "other"].map((name) => defineProvider({ name, verifier })),
    handlers: [on("*", "*", async () => undefined)],
  });
  return {
    counted: () => ports.telemetry.counted("webhooks_signed_again", { provider: "acme" }),
    /** Delivers, and returns the reason that the event is shown with. */
    send: async (id: string, text: string, provider = "acme") => {
      const body = encoder.encode(text);
      const headers = await sign(scheme, { keys: secret, body, id, type: "push", timestamp: ports.clock.now() });
      const url = `http://test/api/webhooks/${provider}`;
      const { body: answer } = await app.receive({ provider, method: "POST", url, headers, body, requestId: "r" });
      const { body: shown } = await app.run({
        operation: "admin.events.read",
        principal: { kind: "operator", name: "test" },
        params: { id: (answer as { id: string }).id },
      });
      return [(answer as { status: string }).status, (shown as { reason: string | null }).reason];
    },
  };
};

test("signed bytes that come again under another id are counted, and the event says so", async () => {
  const { send, counted } = receiver(schemes.github);
  expect(await send("d1", "{}")).toEqual(["accepted", null]);
  // A retry, other bytes, and another sender are nothing of the kind.
  expect(await send("d1", "{}")).toEqual(["duplicate", null]);
  expect(await send("d2", "[]")).toEqual(["accepted", null]);
  expect(await send("d3", "{}", "other")).toEqual(["accepted", null]);
  expect(counted()).toBe(0);
  expect(await send("d4", "{}")).toEqual(["accepted", "its signed bytes came before, under the id d1"]);
  expect(counted()).toBe(1);
});

test("an id that is signed cannot be exchanged, so nothing is counted", async () => {
  const { send, counted } = receiver(schemes["standard-webhooks"]);
  const body = '{"type":"a.b","data":{}}';
  expect(await send("d1", body)).toEqual(["accepted", null]);
  expect(await send("d2", body)).toEqual(["accepted", null]);
  expect(counted()).toBe(0);
});
