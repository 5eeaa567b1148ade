import { createGateway } from "@postern/http";
import { expect, test } from "vitest";
import { makeApp } from "../src/testing/app-under-test.ts";

test("what was done with a webhook proves its sender, and no status does", async () => {
  const counted = async (done: "stored" | "repeat" | "handshake" | "refused", status: number, method = "POST") => {
    const { app } = makeApp();
    const gateway = createGateway({ ...app, receive: async () => ({ status, done }) });
    const exchange = gateway.open({
      method,
      target: "/api/webhooks/acme",
      mountPath: "",
      httpVersion: "1.1",
      headers: { host: "h.example", "content-length": "2" },
      rawHeaders: [],
      scheme: "https",
      address: "192.0.2.1",
      body: { read: async (reader) => reader.take(Buffer.from("{}")) },
    });
    await gateway.answer(exchange);
    return exchange.isCounted;
  };
  for (const status of [200, 204, 401]) {
    expect(await counted("stored", status)).toBe(true);
    expect(await counted("repeat", status)).toBe(true);
    expect(await counted("handshake", status)).toBe(false);
    expect(await counted("refused", status)).toBe(false);
    expect(await counted("handshake", status, "GET")).toBe(false);
  }
});
