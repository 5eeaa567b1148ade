import { memoryPorts } from "@postern/core/memory";
import { defineProvider, on } from "@postern/inbox";
import { createVerifier, sign, signRequest } from "@postern/webhook-verifier";
import { schemes } from "@postern/webhook-verifier/schemes";
import { expect, test } from "vitest";
import { createApp } from "../src/create-app.ts";

const keys = "a secret that only the two know";

test("a handler gets the sender's headers and query, and can choose and order events by them", async () => {
  const ports = memoryPorts();
  const verifier = createVerifier(schemes.shopify, { keys, now: ports.clock.now });
  const got: unknown[] = [];
  const wanted = {
    name: "shop",
    where: { "header:x-shopify-shop-domain": "a.example", "query:tenant": ["acme", "other"] },
    orderKey: ({ headers, query }: { headers: Record<string, string>; query: Record<string, unknown> }) =>
      `${headers["x-shopify-shop-domain"]} ${query.tenant}`,
  };
  const app = createApp({
    ports,
    providers: [defineProvider({ name: "shopify", verifier, headers: ["x-own-*"] })],
    handlers: [
      on(
        "shopify",
        "*",
        async ({ headers, query, covered, leftOut }) => {
          got.push({ headers, query, covered, leftOut });
        },
        wanted,
      ),
    ],
  });
  const post = async (shop: string, tenant: string, id: string) => {
    const body = Buffer.from(`{"id":${id}}`);
    const url = `https://h.example/api/webhooks/shopify?tenant=${tenant}`;
    const told = { "x-shopify-shop-domain": shop, "x-shopify-topic": "orders/paid", "x-own-id": id, cookie: "c" };
    const headers = { ...told, ...(await sign(schemes.shopify, { keys, body, id, headers: told })) };
    const { body: answer } = await app.receive({
      provider: "shopify",
      method: "POST",
      url,
      headers,
      body,
      requestId: "r",
    });
    return (answer as { status: string }).status;
  };
  expect(await post("a.example", "acme", "1")).toBe("accepted");
  expect(await post("b.example", "acme", "2")).toBe("ignored");
  expect(await post("a.example", "third", "3")).toBe("ignored");
  const [job] = await ports.storage.jobRecords.list({ limit: 1 });
  expect(job?.orderKey).toBe("a.example acme");
  const worker = app.worker({ name: "test", concurrency: 1 });
  await worker.start();
  await worker.runDue();
  await worker.stop(0);
  expect(got).toEqual([
    {
      headers: expect.objectContaining({ "x-shopify-shop-domain": "a.example", "x-own-id": "1" }),
      query: { tenant: "acme" },
      covered: ["body"],
      leftOut: [],
    },
  ]);
  expect(JSON.stringify(got)).not.toMatch(/hmac|cookie/);
});

test("a query that is signed and stands for the body is the payload, of any length that a body may have", async () => {
  const ports = memoryPorts();
  const verifier = createVerifier(schemes.twilio, { keys, now: ports.clock.now });
  const app = createApp({ ports, providers: [defineProvider({ name: "twilio", verifier })] });
  const url = `https://h.example/api/webhooks/twilio?MessageSid=SM1&Body=${"x".repeat(6000)}`;
  const signed = await signRequest(schemes.twilio, { keys, method: "GET", url, body: "" });
  const answer = await app.receive({
    provider: "twilio",
    method: "GET",
    url,
    headers: signed.headers,
    body: new Uint8Array(),
    requestId: "r",
  });
  expect(answer).toMatchObject({ done: "stored" });
  const [listed] = await ports.storage.events.list({ limit: 1 });
  const stored = await ports.storage.events.find(listed?.id ?? 0);
  expect(Buffer.from(stored?.body ?? []).toString()).toBe(url.slice(url.indexOf("?") + 1));
  expect([stored?.query, stored?.leftOut]).toEqual([undefined, undefined]);
});
