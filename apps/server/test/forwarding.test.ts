import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { memoryPorts } from "@postern/core/memory";
import { newEvent } from "@postern/core/testing";
import type { ForwardRoute, InboxEvent } from "@postern/inbox";
import { forwardHandler } from "@postern/inbox/internal";
import { type HandlerContext, Permanent, RetryAt } from "@postern/jobs";
import { nodeFetcher } from "@postern/platform-node";
import { createVerifier } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import { afterEach, expect, test } from "vitest";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A real server that notes what it gets and answers as the test says. */
const target = async (answer: (response: ServerResponse, received: Received) => void) => {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const one = { path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks) };
    received.push(one);
    answer(response, one);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks` };
};

/** A route to the target, and a function that sends it an event as a worker does. */
const forwarding = async (url: string, more: Partial<ForwardRoute> = {}) => {
  const ports = { ...memoryPorts(), fetcher: nodeFetcher() };
  const handler = forwardHandler(ports, { provider: "*", type: "*", url, secret, allowPrivate: true, ...more });
  const [stored] = await ports.storage.events.accept([newEvent("evt_1")]);
  const id = stored?.id ?? 0;
  const event: InboxEvent = {
    id: String(id),
    provider: "stripe",
    eventId: "evt_1",
    type: "invoice.paid",
    metadata: { deliveryId: undefined, attempt: undefined, sentAt: undefined, apiVersion: undefined, rest: {} },
    data: {},
    payload: {},
    body: Uint8Array.from([0xff, 0x00, 0x7b, 0x7d]),
    headers: {
      "content-type": "application/x-odd",
      "x-shop": "one",
      "postern-key-id": "k1",
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    },
    query: { tenant: "acme & sons", n: ["1", "2"] },
    leftOut: [],
    covered: ["body"],
    overruled: undefined,
    receivedAt: 0,
    occurredAt: undefined,
  };
  const context: HandlerContext = {
    attempt: 1,
    signal: new AbortController().signal,
    now: ports.clock.now,
    idempotencyKey: "postern-job-1",
    log: () => undefined,
    read: () => Promise.reject(new Error("a forward reads no rows")),
    commit: () => Promise.reject(new Error("a forward commits nothing")),
    mail: async () => undefined,
  };
  return { ports, id, event, send: (signal = context.signal) => handler.handle(event, { ...context, signal }) };
};

const outcome = (sending: Promise<unknown>): Promise<unknown> =>
  sending.then(
    () => "sent",
    (thrown: unknown) => thrown,
  );

test("sends the sender's kept headers as such, and its query only if the route asks", async () => {
  const { received, url } = await target((response) => response.writeHead(204).end());
  await (await forwarding(url)).send();
  await (await forwarding(url, { query: true })).send();
  const toldIn = ({ headers }: { readonly headers: IncomingHttpHeaders }) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => /sender|x-shop|key-id/.test(name)));
  expect(received.map(toldIn)).toEqual([
    { "postern-sender-x-shop": "one" },
    { "postern-sender-x-shop": "one", "postern-sender-query": "tenant=acme%20%26%20sons&n=1&n=2" },
  ]);
});

test("sends the bytes unchanged, with a signature of its own and the trace of the event", async () => {
  const { received, url } = await target((response) => response.writeHead(204).end());
  const { send, event, ports } = await forwarding(url);
  await send();
  const [sent] = received;
  expect(sent?.body).toEqual(Buffer.from(event.body));
  expect(sent?.headers).toMatchObject({
    "content-type": "application/x-odd",
    "postern-provider": "stripe",
    "postern-event-type": "invoice.paid",
    "webhook-id": `stripe-${event.id}-0`,
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  });
  const verifier = createVerifier(standardWebhooks, { keys: secret, now: () => ports.clock.now() });
  await verifier.verify({ headers: sent?.headers ?? {}, body: sent?.body });
});

test("names an event by its number and its time, so that a number that came back is another event", async () => {
  const { received, url } = await target((response) => response.writeHead(204).end());
  // A receiver that drops repeats, as Standard Webhooks asks it to.
  const known = new Set<unknown>();
  for (const receivedAt of [1_000, 1_000, 2_000]) {
    const { event, ports } = await forwarding(url);
    const handler = forwardHandler(ports, { provider: "*", type: "*", url, secret, allowPrivate: true });
    const context = { attempt: 1, signal: new AbortController().signal, now: ports.clock.now, idempotencyKey: "" };
    const never = () => Promise.reject(new Error("a forward uses no rows"));
    await handler.handle(
      { ...event, receivedAt },
      { ...context, log: () => undefined, read: never, commit: never, mail: never },
    );
    known.add(received.at(-1)?.headers["webhook-id"]);
  }
  expect(received.length).toBe(3);
  expect([...known]).toEqual(["stripe-1-1000", "stripe-1-2000"]);
});

test("signs with Ed25519, and with two keys while one is being replaced", async () => {
  const { received, url } = await target((response) => response.writeHead(200).end());
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const raw = (der: Buffer) => der.subarray(-32).toString("base64");
  const privateText = `whsk_${raw(privateKey.export({ format: "der", type: "pkcs8" }))}`;
  const publicText = `whpk_${raw(publicKey.export({ format: "der", type: "spki" }))}`;
  const { send, ports } = await forwarding(url, { secret: [privateText, secret] });
  await send();
  for (const keys of [publicText, secret]) {
    const verifier = createVerifier(standardWebhooks, { keys, now: () => ports.clock.now() });
    await verifier.verify({ headers: received[0]?.headers ?? {}, body: received[0]?.body });
  }
});

test("refuses a key that cannot sign, when the route is made", async () => {
  await expect(forwarding("https://a.example/", { secret: "whpk_AAAA" })).rejects.toThrow(TypeError);
  await expect(forwarding("https://a.example/", { secret: "short" })).rejects.toThrow(TypeError);
});

test("keeps the target's answer, shortened and without possible credentials", async () => {
  const { url } = await target((response) =>
    response
      .writeHead(500, { "content-type": "text/plain", "set-cookie": "s3cret", "x-request-id": "r-1" })
      .end(`it broke\0${"x".repeat(5_000)}`),
  );
  const { send, ports, id } = await forwarding(url);
  expect(await outcome(send())).toMatchObject({ message: "the target answered 500" });
  const [kept] = await ports.storage.forwards.list(id, 10);
  expect(kept).toMatchObject({ attempt: 1, status: 500, error: undefined });
  expect(kept?.headers).toEqual({ "content-type": "text/plain", "x-request-id": "r-1", date: expect.any(String) });
  expect(kept?.body).toHaveLength(2_048);
  expect(kept?.body.startsWith("it broke\ufffdx")).toBe(true);
});

test.each([
  [200, "sent"],
  [302, Error],
  [404, Error],
  [410, Permanent],
])("takes %d for what it is", async (status, expected) => {
  const { url } = await target((response) => response.writeHead(status).end());
  const { send } = await forwarding(url);
  const found = await outcome(send());
  if (typeof expected === "string") expect(found).toBe(expected);
  else expect((found as Error).constructor).toBe(expected);
});

test.each([429, 503])(
  "waits for as long as a target asks that answers %d, and sends it nothing meanwhile",
  async (status) => {
    const { url, received } = await target((response) => response.writeHead(status, { "retry-after": "120" }).end());
    const { send, ports } = await forwarding(url);
    const first = await outcome(send());
    expect(first).toBeInstanceOf(RetryAt);
    expect((first as RetryAt).at).toBe(ports.clock.now() + 120_000);
    expect(await outcome(send())).toMatchObject({ message: expect.stringContaining("was not called") });
    expect(received).toHaveLength(1);
    await ports.clock.advance(120_000);
    await outcome(send());
    expect(received).toHaveLength(2);
  },
);

test("stops calling a target that fails, tries it with one event, and resumes when it works", async () => {
  let works = false;
  const { url, received } = await target((response) => response.writeHead(works ? 200 : 502).end());
  const { send, ports } = await forwarding(url);
  for (let n = 0; n < 20; n += 1) await outcome(send());
  expect(received).toHaveLength(5);
  await ports.clock.advance(10_000);
  const both = await Promise.all([outcome(send()), outcome(send())]);
  expect(received).toHaveLength(6);
  expect(both.filter((one) => String(one).includes("502"))).toHaveLength(1);
  works = true;
  await ports.clock.advance(20_000);
  expect(await outcome(send())).toBe("sent");
  expect(await outcome(send())).toBe("sent");
});

test("keeps calling a target that works but refuses what it gets", async () => {
  const { url, received } = await target((response) => response.writeHead(400).end());
  const { send } = await forwarding(url);
  for (let n = 0; n < 20; n += 1) await outcome(send());
  expect(received).toHaveLength(20);
});

test("calls only public addresses unless the route allows others, and says why", async () => {
  const { url, received } = await target((response) => response.writeHead(200).end());
  const { send, ports, id } = await forwarding(url, { allowPrivate: false });
  expect(await outcome(send())).toMatchObject({
    message: expect.stringContaining("127.0.0.1 is not a public address"),
  });
  const named = await forwarding(url.replace("127.0.0.1", "localhost"), { allowPrivate: false });
  expect(await outcome(named.send())).toMatchObject({ message: expect.stringContaining("localhost") });
  expect(received).toEqual([]);
  expect(await ports.storage.forwards.list(id, 1)).toMatchObject([{ status: undefined, error: expect.any(String) }]);
});

test("gives up on a silent target after its time, and when the worker stops", async () => {
  const { url } = await target(() => undefined);
  const { send, ports, id } = await forwarding(url, { timeoutMs: 50 });
  expect(await outcome(send())).toMatchObject({ code: "upstream_timeout" });
  const stop = new AbortController();
  const stopped = outcome((await forwarding(url)).send(stop.signal));
  stop.abort("shutdown");
  expect(await stopped).toMatchObject({ code: "upstream_unreachable" });
  expect(await ports.storage.forwards.list(id, 1)).toMatchObject([{ error: expect.stringContaining("50 ms") }]);
});
