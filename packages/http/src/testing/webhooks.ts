import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { gzipSync } from "node:zlib";
import type { App } from "@postern/app";
import type { IncomingWebhook } from "@postern/inbox";
import { defineProvider } from "@postern/inbox";
import { createVerifier, sign } from "@postern/webhook-verifier";
import { rfc9421 } from "@postern/webhook-verifier/schemes/rfc9421";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import { token as tokenScheme } from "@postern/webhook-verifier/schemes/token";
import { trello as trelloScheme } from "@postern/webhook-verifier/schemes/trello";
import { x as xScheme } from "@postern/webhook-verifier/schemes/x";
import { makeApp, packedWebhook, secret, webhook } from "./app-under-test.ts";
import { assertContains, assertMatches } from "./assertions.ts";
import { type Cases, each } from "./cases.ts";
import { expectProblem } from "./problem.ts";
import { lines, open, readToEnd } from "./raw.ts";
import type { ServedByServer } from "./trial.ts";

const bytes = (...parts: readonly (string | readonly number[])[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part)))),
  );

/** An app with an inbox that notes what it gets and answers 200. */
const noting = (): { app: App; received: IncomingWebhook[] } => {
  const received: IncomingWebhook[] = [];
  const { app } = makeApp();
  return {
    received,
    app: {
      ...app,
      receive: async (incoming) => {
        received.push({ ...incoming, body: Uint8Array.from(incoming.body) });
        return { status: 200, body: { id: "1", status: "accepted" }, done: "stored" };
      },
    },
  };
};

const x = defineProvider({ name: "x", verifier: createVerifier(xScheme, { keys: "s".repeat(32) }) });

const trello = defineProvider({ name: "trello", verifier: createVerifier(trelloScheme, { keys: "s".repeat(32) }) });

export const webhookMessages: Cases = {
  "a webhook: is accepted on every path it can come to, once": async (trial) => {
    const { url } = await trial.serve();
    for (const base of ["/api", "/api/v1", "/api/v2"]) {
      const answer = await trial.fetch(
        `${url}${base}/webhooks/acme`,
        await webhook('{"type":"a","data":{}}', `msg_${base}`),
      );
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get("api-version"), base === "/api/v2" ? "v2" : "v1");
      assert.equal(answer.headers.get("content-type"), "application/json; charset=utf-8");
      assertMatches(await answer.json(), { status: "ignored" });
    }
    const again = await trial.fetch(`${url}/api/webhooks/acme`, await webhook('{"type":"a","data":{}}', "msg_/api"));
    assertMatches(await again.json(), { status: "duplicate" });
  },
  ...each(
    "a webhook: with %s verifies and is stored byte for byte",
    [
      ["odd spacing", bytes('\r\n {  "type" :\t"a"  ,"data":{"n":1.0e+00} } \n')],
      ["a number of 20 digits", bytes('{"type":"a","data":{"n":12345678901234567890}}')],
      ["members named twice", bytes('{"type":"a","type":"b","data":{}}')],
      ["a byte order mark", bytes([0xef, 0xbb, 0xbf], '{"type":"a","data":{}}')],
      ["what is not UTF-8", bytes('{"type":"', [0xff, 0xfe, 0x80], '"}')],
      ["a NUL and no JSON", bytes([0, 1, 2, 255])],
      ["deep nesting", bytes("[".repeat(5000))],
    ],
    async (trial, _name, body) => {
      const { url, ports } = await trial.serve();
      const answer = await trial.fetch(`${url}/api/webhooks/acme`, await webhook(body));
      assert.equal(answer.status, 200);
      const { id } = (await answer.json()) as { id: string };
      const stored = await ports.storage.events.find(Number(id));
      assert.deepEqual(Buffer.from(stored?.body ?? []), Buffer.from(body));
    },
  ),
  "a webhook: in chunks is the same as in one piece": async (trial) => {
    const { url } = await trial.serve();
    const text = `{"type":"a","text":"${"ä".repeat(100_000)}"}`;
    const whole = Buffer.from(text);
    const answer = await trial.fetch(`${url}/api/webhooks/acme`, {
      ...(await webhook(text)),
      body: new ReadableStream({
        start: (controller) => {
          for (let at = 0; at < whole.length; at += 9_999) controller.enqueue(whole.subarray(at, at + 9_999));
          controller.close();
        },
      }),
      duplex: "half",
    });
    assert.equal(answer.status, 200);
  },
  "a webhook: with one byte changed is refused, and the answer says no more": async (trial) => {
    const { url } = await trial.serve();
    const init = await webhook('{"type":"a","data":{}}');
    await expectProblem(
      await trial.fetch(`${url}/api/webhooks/acme`, { ...init, body: '{"type":"b"}' }),
      "invalid_signature",
    );
  },
  "a webhook: with a slash too many in its path is told the path without it": async (trial) => {
    const { url } = await trial.serve();
    const answer = await trial.fetch(`${url}/api/webhooks/acme/`, await webhook("{}"));
    assert.equal(answer.status, 404);
    assert.match(((await answer.json()) as { detail: string }).detail, /send to \/api\/webhooks\/acme\.$/);
  },
  "a webhook: may encode characters of its path, and its URL is verified as it was sent": async (trial) => {
    const { app, received } = noting();
    const { url } = await trial.serve({}, { ...makeApp(), app });
    const target = "/api/%77ebhooks/a%63me?a=%31";
    assert.equal((await trial.fetch(url + target, { method: "POST", body: "{}" })).status, 200);
    assertMatches(received, [{ provider: "acme", url: url + target }]);
  },
  "a webhook: to a provider that does not exist is not found": async (trial) => {
    const { url } = await trial.serve();
    for (const path of ["nobody", "ACME", "acme%20", "%61cme2", "%2561cme", "acme%2F", "x%2Facme"]) {
      await expectProblem(await trial.fetch(`${url}/api/webhooks/${path}`, await webhook("{}")), "unknown_provider");
    }
    for (const path of ["", "acme/", "acme/x"]) {
      await expectProblem(await trial.fetch(`${url}/api/webhooks/${path}`, await webhook("{}")), "route_not_found");
    }
  },
  "a webhook: needs no media type, and takes any": async (trial) => {
    const { url } = await trial.serve();
    for (const [index, type] of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/json; charset=x",
    ].entries()) {
      const init = await webhook("payload={}", `msg_${index}`);
      const answer = await trial.fetch(`${url}/api/webhooks/acme`, {
        ...init,
        headers: { ...init.headers, "content-type": type },
      });
      assert.equal(answer.status, 200);
    }
  },
  "a webhook: in a content coding is refused": async (trial) => {
    const { url } = await trial.serve();
    const init = await webhook("{}");
    const answer = await trial.fetch(`${url}/api/webhooks/acme`, {
      ...init,
      headers: { ...init.headers, "content-encoding": "gzip" },
    });
    await expectProblem(answer, "unsupported_media_type");
  },
  "a webhook: in gzip is unpacked if its sender signs what was packed": async (trial) => {
    const made = makeApp();
    const { url } = await trial.serve({}, made);
    const body = JSON.stringify({ type: "message.new", text: "x".repeat(300_000) });
    const answer = await trial.fetch(`${url}/api/webhooks/chat`, await packedWebhook(body));
    assert.equal(answer.status, 200);
    const [event] = await made.ports.storage.events.list({ limit: 1 });
    assert.equal(event?.type, "message.new");
    const plain = await packedWebhook(body, Buffer.from(body), "msg_2");
    const headers = { ...plain.headers, "content-encoding": "identity" };
    assert.equal((await trial.fetch(`${url}/api/webhooks/chat`, { ...plain, headers })).status, 200);
  },
  "a webhook: in gzip that holds too many values is refused": async (trial) => {
    const { url } = await trial.serve();
    const send = async (values: number) =>
      trial.fetch(
        `${url}/api/webhooks/chat`,
        await packedWebhook(JSON.stringify({ type: "message.new", list: Array(values).fill(1) })),
      );
    assert.equal((await send(90_000)).status, 200);
    await expectProblem(await send(110_000), "content_too_large");
  },
  "a webhook: in gzip that is not whole, or that unpacks to more than it says, is refused": async (trial) => {
    const { url } = await trial.serve();
    const body = JSON.stringify({ type: "message.new", text: "x".repeat(1_000) });
    const packed = gzipSync(body);
    const short = Buffer.from(packed);
    short.writeUInt32LE(100, short.length - 4);
    const cut = Buffer.from(packed.subarray(0, 40));
    cut.writeUInt32LE(body.length, 36);
    for (const wrong of [cut, packed.subarray(0, 10), short, Buffer.from(body), Buffer.alloc(0), Buffer.alloc(40)]) {
      const answer = await trial.fetch(`${url}/api/webhooks/chat`, await packedWebhook(body, wrong));
      await expectProblem(answer, "bad_request");
    }
    const huge = Buffer.from(packed);
    huge.writeUInt32LE(0x7fff_ffff, huge.length - 4);
    await expectProblem(
      await trial.fetch(`${url}/api/webhooks/chat`, await packedWebhook(body, huge)),
      "content_too_large",
    );
  },
  "a webhook: with another method is refused, and the answer lists the right methods": async (trial) => {
    const { url } = await trial.serve();
    for (const method of ["PUT", "PATCH", "DELETE"]) {
      const answer = await trial.fetch(`${url}/api/webhooks/acme`, { method, body: "{}" });
      await expectProblem(answer, "method_not_allowed");
      assert.equal(answer.headers.get("allow"), "POST");
    }
    const options = await trial.fetch(`${url}/api/webhooks/acme`, { method: "OPTIONS" });
    assert.equal(options.status, 204);
    assert.equal(options.headers.get("allow"), "GET, HEAD, POST, PUT, OPTIONS");
  },
  "what the inbox is given: the request id that the answer carries": async (trial) => {
    const { app, received } = noting();
    const { url } = await trial.serve({}, { ...makeApp(), app });
    const answer = await trial.fetch(`${url}/api/webhooks/acme`, { method: "POST", body: "{}" });
    assert.equal(received[0]?.requestId, answer.headers.get("x-request-id"));
  },
  "a handshake: by GET is answered as its sender wants it": async (trial) => {
    const { url } = await trial.serve({}, makeApp({ providers: [x] }));
    const answer = await trial.fetch(`${url}/api/webhooks/x?crc_token=abc`);
    assert.equal(answer.status, 200);
    assertContains(await answer.text(), "sha256=");
  },
  "a handshake: by HEAD is answered for a sender that checks only the status": async (trial) => {
    const { url } = await trial.serve({}, makeApp({ providers: [trello] }));
    assert.equal((await trial.fetch(`${url}/api/webhooks/trello`, { method: "HEAD" })).status, 200);
  },
  "a webhook: by GET or PUT is taken from a sender that names the method, and nothing keeps the answer": async (
    trial,
  ) => {
    const key = "s".repeat(32);
    const token = defineProvider({ name: "token", verifier: createVerifier(tokenScheme, { keys: key }) });
    const { url, ports } = await trial.serve({}, makeApp({ providers: [token] }));
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    for (const [method, body] of [["PUT", '{"by":"PUT"}'], ["GET"]] as const) {
      const answer = await trial.fetch(`${url}/api/webhooks/token?a=1`, { method, headers, ...(body && { body }) });
      assert.deepEqual([answer.status, answer.headers.get("cache-control")], [200, "no-store"]);
      const { id } = (await answer.json()) as { id: string };
      const stored = await ports.storage.events.find(Number(id));
      assert.deepEqual([Buffer.from(stored?.body ?? []).toString(), stored?.query], [body ?? "", "a=1"]);
    }
    const refused = await trial.fetch(`${url}/api/webhooks/token`, { method: "PATCH", headers });
    await expectProblem(refused, "method_not_allowed");
    assert.equal(refused.headers.get("allow"), "POST, GET, PUT");
  },
  "a handshake: a GET or HEAD for a sender without handshakes is refused": async (trial) => {
    const { url } = await trial.serve();
    await expectProblem(await trial.fetch(`${url}/api/webhooks/acme`), "method_not_allowed");
    await expectProblem(await trial.fetch(`${url}/api/webhooks/nobody`), "unknown_provider");
    assert.equal((await trial.fetch(`${url}/api/webhooks/acme`, { method: "HEAD" })).status, 405);
  },
  "a handshake: by OPTIONS reaches the inbox if it has the header of CloudEvents": async (trial) => {
    const { app, received } = noting();
    const { url } = await trial.serve({}, { ...makeApp(), app });
    await trial.fetch(`${url}/api/webhooks/acme`, {
      method: "OPTIONS",
      headers: { "webhook-request-origin": "a.example" },
    });
    assertMatches(received, [{ method: "OPTIONS", headers: { "webhook-request-origin": "a.example" } }]);
    assert.equal(received[0]?.body.length, 0);
  },
  "a handshake: may be answered with text and headers of its own": async (trial) => {
    const { app } = makeApp();
    const answering: App = {
      ...app,
      receive: async () => ({
        status: 200,
        headers: { "content-type": "text/plain" },
        text: "challenge",
        done: "handshake",
      }),
    };
    const { url } = await trial.serve({}, { ...makeApp(), app: answering });
    const answer = await trial.fetch(`${url}/api/webhooks/acme?challenge=challenge`);
    assert.equal(answer.headers.get("content-type"), "text/plain");
    assert.equal(answer.headers.get("content-length"), "9");
    assert.equal(await answer.text(), "challenge");
  },
};

export const webhookConnections: Cases<ServedByServer> = {
  "a webhook: over the limit is refused, announced or streamed": async (trial) => {
    const { url, port } = await trial.serve({ webhookLimitBytes: 100 });
    assert.equal((await trial.fetch(`${url}/api/webhooks/acme`, await webhook("x".repeat(100)))).status, 200);
    await expectProblem(
      await trial.fetch(`${url}/api/webhooks/acme`, await webhook("x".repeat(101))),
      "content_too_large",
    );
    const head = lines("POST /api/webhooks/acme HTTP/1.1", "Host: a", "Transfer-Encoding: chunked");
    const [answer] = await trial.raw(port, `${head}65\r\n${"x".repeat(101)}\r\n0\r\n\r\n`);
    await expectProblem(answer, "content_too_large");
  },
  "a webhook: is refused while the memory for bodies is full, and accepted afterwards": async (trial) => {
    const { url, port } = await trial.serve({ memoryLimitBytes: 1600 }, undefined, { bodyWaitMs: 0 });
    const waiting = await open(port);
    waiting.write(lines("POST /api/webhooks/acme HTTP/1.1", "Host: a", "Content-Length: 901") + "x".repeat(900));
    const full = await trial.fetch(`${url}/api/webhooks/acme`, await webhook("x".repeat(200)));
    await expectProblem(full, "overloaded");
    assert.equal(full.headers.get("retry-after"), "1");
    waiting.write("x");
    await once(waiting, "data");
    waiting.destroy();
    assert.equal((await trial.fetch(`${url}/api/webhooks/acme`, await webhook("x".repeat(1000)))).status, 200);
  },
  "a webhook: that has come in whole waits while the memory for bodies is full": async (trial) => {
    const { url, port } = await trial.serve({ memoryLimitBytes: 1600 });
    const first = await open(port);
    first.write(lines("POST /api/webhooks/acme HTTP/1.1", "Host: a", "Content-Length: 901") + "x".repeat(900));
    let status: number | undefined;
    const waiting = trial.fetch(`${url}/api/webhooks/acme`, await webhook("x".repeat(200))).then((answer) => {
      status = answer.status;
    });
    for (let asked = 0; asked < 5; asked += 1) await trial.fetch(`${url}/health/live`);
    assert.equal(status, undefined);
    first.write("x");
    await waiting;
    assert.equal(status, 200);
    first.destroy();
  },
  "a webhook: keeps its connection for the next": async (trial) => {
    const { port, log } = await trial.serve();
    const { headers } = await webhook("{}");
    const head = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`);
    const request = (...more: readonly string[]) =>
      `${lines("POST /api/webhooks/acme HTTP/1.1", "Host: a", ...head, "Content-Length: 2", ...more)}{}`;
    const answers = await trial.raw(port, request() + request() + request("Connection: close"));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal(log.lines.length, 3);
  },
  "a webhook: is verified with the trailers that RFC 9421 signs, and with no header in their place": async (trial) => {
    const key = "s".repeat(32);
    const signed = defineProvider({
      name: "signed",
      verifier: createVerifier(rfc9421, {
        keys: { key, algorithm: "hmac-sha256" },
        settings: { components: ["@method", "content-digest", '"x-total";tr'] },
      }),
    });
    const { port } = await trial.serve({}, makeApp({ providers: [signed] }));
    const body = '{"id":"1","type":"a"}';
    const digest = `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;
    const params = `("@method" "content-digest" "x-total";tr);created=${Math.floor(Date.now() / 1000)}`;
    const lineOf = `"@method": POST\n"content-digest": ${digest}\n"x-total";tr: 7\n"@signature-params": ${params}`;
    const signature = createHmac("sha256", key).update(lineOf).digest("base64");
    const head = (...more: readonly string[]): string =>
      lines(
        "POST /api/webhooks/signed HTTP/1.1",
        "Host: a",
        "Connection: close",
        "Content-Type: application/json",
        "Transfer-Encoding: chunked",
        `Content-Digest: ${digest}`,
        `Signature-Input: a=${params}`,
        `Signature: a=:${signature}:`,
        ...more,
      );
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n`;
    const statusOf = async (text: string): Promise<number | undefined> => (await trial.raw(port, text))[0]?.status;
    assert.equal(await statusOf(`${head("Trailer: X-Total")}${chunks}${lines("X-Total: 7")}`), 200);
    assert.equal(await statusOf(`${head("Trailer: X-Total")}${chunks}${lines("X-Total: 8")}`), 401);
    assert.equal(await statusOf(`${head("X-Total: 7")}${chunks}\r\n`), 401);
    const many = Array.from({ length: 101 }, (_, index) => `X-${index}: 1`);
    const [refused] = await trial.raw(port, `${head("Trailer: X-0")}${chunks}${lines(...many)}`);
    await expectProblem(refused, "bad_request");
  },
  "what the inbox is given: repeated headers as arrays, the others as text": async (trial) => {
    const { app, received } = noting();
    const { port } = await trial.serve({}, { ...makeApp(), app });
    const repeated = ["Webhook-Signature: v1,a", "webhook-signature: v1,b", "Webhook-Id: x", "Cookie: a", "Cookie: b"];
    await trial.raw(port, lines("POST /api/webhooks/acme HTTP/1.1", "Host: a", ...repeated, "Connection: close"));
    assertMatches(received[0]?.headers, {
      "webhook-signature": ["v1,a", "v1,b"],
      cookie: ["a", "b"],
      "webhook-id": "x",
      host: "a",
    });
  },
  "what the inbox is given: a signature sent twice is refused by the verifier": async (trial) => {
    const { port } = await trial.serve();
    const signed = await sign(standardWebhooks, { keys: secret, body: "{}" });
    const head = Object.entries(signed).map(([name, value]) => `${name}: ${value}`);
    const twice = lines(
      "POST /api/webhooks/acme HTTP/1.1",
      "Host: a",
      ...head,
      `webhook-signature: ${signed["webhook-signature"]}`,
      "Content-Length: 2",
      "Connection: close",
    );
    await expectProblem((await trial.raw(port, `${twice}{}`))[0], "invalid_signature");
  },
  "what the inbox is given: the URL as the sender called it": async (trial) => {
    const { app, received } = noting();
    const { port } = await trial.serve({}, { ...makeApp(), app });
    const target = "/api/v2/webhooks/acme?b=2&a=%31&b=";
    await trial.raw(port, lines(`POST ${target} HTTP/1.1`, "Host: hooks.example:8080", "Connection: close"));
    assertMatches(received[0], {
      provider: "acme",
      method: "POST",
      url: `http://hooks.example:8080${target}`,
    });
  },
  "what the inbox is given: the public URL if one is configured, whatever Host says": async (trial) => {
    const { app, received } = noting();
    const { port } = await trial.serve({ publicUrl: "https://api.example.com/" }, { ...makeApp(), app });
    await trial.raw(port, lines("POST /api/webhooks/acme?x HTTP/1.1", "Host: evil", "Connection: close"));
    assert.equal(received[0]?.url, "https://api.example.com/api/webhooks/acme?x");
  },
  "a caller that goes away: in the middle of a webhook leaves nothing behind": async (trial) => {
    const { app, received } = noting();
    const { port, log } = await trial.serve({}, { ...makeApp(), app });
    const socket = await open(port);
    const text = readToEnd(socket);
    socket.write(lines("POST /api/webhooks/acme HTTP/1.1", "Host: a", "Content-Length: 100") + "x".repeat(50));
    void socket.end();
    await expectProblem(trial.parseReplies(await text)[0], "bad_request");
    await log.reach(1);
    assert.deepEqual(received, []);
  },
};
