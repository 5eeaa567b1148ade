import { once } from "node:events";
import type { App } from "@postern/app";
import { defineProvider, type IncomingWebhook } from "@postern/core";
import { createVerifier, schemes, sign } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import { describe, expect, test } from "vitest";
import { expectProblem } from "./support/problem.ts";
import { lines, open, parseReplies, raw, readToEnd } from "./support/raw.ts";
import { makeApp, secret, serve, webhook } from "./support/serve.ts";

const bytes = (...parts: readonly (string | readonly number[])[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part)))),
  );

/** The app with an inbox that notes what it is given and answers 200. */
const noting = (): { app: App; received: IncomingWebhook[] } => {
  const received: IncomingWebhook[] = [];
  const { app } = makeApp();
  return {
    received,
    app: {
      ...app,
      receive: async (incoming) => {
        received.push({ ...incoming, body: Uint8Array.from(incoming.body) });
        return { status: 200, body: { id: "1", status: "accepted" } };
      },
    },
  };
};

describe("a webhook", () => {
  test("is accepted on every path it can come to, once", async () => {
    const { url } = await serve();
    for (const base of ["/api", "/api/v1", "/api/v2"]) {
      const answer = await fetch(`${url}${base}/webhooks/acme`, await webhook('{"type":"a"}', `msg_${base}`));
      expect(answer.status).toBe(200);
      expect(answer.headers.get("api-version")).toBe(base === "/api/v2" ? "v2" : "v1");
      expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(await answer.json()).toMatchObject({ status: "ignored" });
    }
    const again = await fetch(`${url}/api/webhooks/acme`, await webhook('{"type":"a"}', "msg_/api"));
    expect(await again.json()).toMatchObject({ status: "duplicate" });
  });

  test.each([
    ["odd spacing", bytes('\r\n {  "type" :\t"a"  ,"n":1.0e+00 } \n')],
    ["a number of 20 digits", bytes('{"type":"a","n":12345678901234567890}')],
    ["members named twice", bytes('{"type":"a","type":"b"}')],
    ["a byte order mark", bytes([0xef, 0xbb, 0xbf], '{"type":"a"}')],
    ["what is not UTF-8", bytes('{"type":"', [0xff, 0xfe, 0x80], '"}')],
    ["a NUL and no JSON", bytes([0, 1, 2, 255])],
    ["deep nesting", bytes("[".repeat(5000))],
  ])("with %s verifies and is stored byte for byte", async (_name, body) => {
    const { url, ports } = await serve();
    const answer = await fetch(`${url}/api/webhooks/acme`, await webhook(body));
    expect(answer.status).toBe(200);
    const { id } = (await answer.json()) as { id: string };
    const stored = await ports.storage.events.find(Number(id));
    expect(Buffer.from(stored?.body ?? [])).toEqual(Buffer.from(body));
  });

  test("in chunks is the same as in one piece", async () => {
    const { url } = await serve();
    const text = `{"type":"a","text":"${"ä".repeat(100_000)}"}`;
    const whole = Buffer.from(text);
    const answer = await fetch(`${url}/api/webhooks/acme`, {
      ...(await webhook(text)),
      body: new ReadableStream({
        start: (controller) => {
          for (let at = 0; at < whole.length; at += 9_999) controller.enqueue(whole.subarray(at, at + 9_999));
          controller.close();
        },
      }),
      duplex: "half",
    });
    expect(answer.status).toBe(200);
  });

  test("with one byte changed is refused, and says no more", async () => {
    const { url } = await serve();
    const init = await webhook('{"type":"a"}');
    await expectProblem(
      await fetch(`${url}/api/webhooks/acme`, { ...init, body: '{"type":"b"}' }),
      "invalid_signature",
    );
  });

  test("of nobody's is not found", async () => {
    const { url } = await serve();
    for (const path of ["nobody", "ACME", "acme%20", "%61cme2"]) {
      await expectProblem(await fetch(`${url}/api/webhooks/${path}`, await webhook("{}")), "unknown_provider");
    }
    for (const path of ["", "acme/", "acme/x"]) {
      await expectProblem(await fetch(`${url}/api/webhooks/${path}`, await webhook("{}")), "route_not_found");
    }
  });

  test("needs no media type, and takes any", async () => {
    const { url } = await serve();
    for (const [index, type] of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/json; charset=x",
    ].entries()) {
      const init = await webhook("payload={}", `msg_${index}`);
      const answer = await fetch(`${url}/api/webhooks/acme`, {
        ...init,
        headers: { ...init.headers, "content-type": type },
      });
      expect(answer.status).toBe(200);
    }
  });

  test("in a content coding is refused", async () => {
    const { url } = await serve();
    const init = await webhook("{}");
    const answer = await fetch(`${url}/api/webhooks/acme`, {
      ...init,
      headers: { ...init.headers, "content-encoding": "gzip" },
    });
    await expectProblem(answer, "unsupported_media_type");
  });

  test("over the limit is refused, announced or streamed", async () => {
    const { url, port } = await serve({ webhookLimitBytes: 100 });
    expect((await fetch(`${url}/api/webhooks/acme`, await webhook("x".repeat(100)))).status).toBe(200);
    await expectProblem(await fetch(`${url}/api/webhooks/acme`, await webhook("x".repeat(101))), "content_too_large");
    const head = lines("POST /api/webhooks/acme HTTP/1.1", "Host: a", "Transfer-Encoding: chunked");
    const [answer] = await raw(port, `${head}65\r\n${"x".repeat(101)}\r\n0\r\n\r\n`);
    await expectProblem(answer, "content_too_large");
  });

  test("is turned away while the memory for bodies is full, and taken afterwards", async () => {
    const { url, port } = await serve({ memoryLimitBytes: 1600 });
    const waiting = await open(port);
    waiting.write(lines("POST /api/webhooks/acme HTTP/1.1", "Host: a", "Content-Length: 901") + "x".repeat(900));
    const full = await fetch(`${url}/api/webhooks/acme`, await webhook("x".repeat(200)));
    await expectProblem(full, "overloaded");
    expect(full.headers.get("retry-after")).toBe("1");
    waiting.write("x");
    await once(waiting, "data");
    waiting.destroy();
    expect((await fetch(`${url}/api/webhooks/acme`, await webhook("x".repeat(1000)))).status).toBe(200);
  });

  test("keeps its connection for the next", async () => {
    const { port, log } = await serve();
    const { headers } = await webhook("{}");
    const head = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`);
    const request = (...more: readonly string[]) =>
      `${lines("POST /api/webhooks/acme HTTP/1.1", "Host: a", ...head, "Content-Length: 2", ...more)}{}`;
    const answers = await raw(port, request() + request() + request("Connection: close"));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(log.lines.length).toBe(3);
  });

  test("by a method that is not its own is refused with those that are", async () => {
    const { url } = await serve();
    for (const method of ["PUT", "PATCH", "DELETE"]) {
      const answer = await fetch(`${url}/api/webhooks/acme`, { method, body: "{}" });
      await expectProblem(answer, "method_not_allowed");
      expect(answer.headers.get("allow")).toBe("GET, HEAD, POST, OPTIONS");
    }
    const options = await fetch(`${url}/api/webhooks/acme`, { method: "OPTIONS" });
    expect(options.status).toBe(204);
    expect(options.headers.get("allow")).toBe("GET, HEAD, POST, OPTIONS");
  });
});

describe("what the inbox is given", () => {
  test("repeated headers as arrays, the others as text", async () => {
    const { app, received } = noting();
    const { port } = await serve({}, { ...makeApp(), app });
    const repeated = ["Webhook-Signature: v1,a", "webhook-signature: v1,b", "Webhook-Id: x", "Cookie: a", "Cookie: b"];
    await raw(port, lines("POST /api/webhooks/acme HTTP/1.1", "Host: a", ...repeated, "Connection: close"));
    expect(received[0]?.headers).toMatchObject({
      "webhook-signature": ["v1,a", "v1,b"],
      cookie: ["a", "b"],
      "webhook-id": "x",
      host: "a",
    });
  });

  test("a signature sent twice is refused by the verifier", async () => {
    const { port } = await serve();
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
    await expectProblem((await raw(port, `${twice}{}`))[0], "invalid_signature");
  });

  test("the URL as the sender called it", async () => {
    const { app, received } = noting();
    const { port } = await serve({}, { ...makeApp(), app });
    const target = "/api/v2/webhooks/acme?b=2&a=%31&b=";
    await raw(port, lines(`POST ${target} HTTP/1.1`, "Host: hooks.example:8080", "Connection: close"));
    expect(received[0]).toMatchObject({
      provider: "acme",
      method: "POST",
      url: `http://hooks.example:8080${target}`,
    });
  });

  test("the public URL where one is configured, whatever Host says", async () => {
    const { app, received } = noting();
    const { port } = await serve({ publicUrl: "https://api.example.com/" }, { ...makeApp(), app });
    await raw(port, lines("POST /api/webhooks/acme?x HTTP/1.1", "Host: evil", "Connection: close"));
    expect(received[0]?.url).toBe("https://api.example.com/api/webhooks/acme?x");
  });

  test("the request id that the answer carries", async () => {
    const { app, received } = noting();
    const { url } = await serve({}, { ...makeApp(), app });
    const answer = await fetch(`${url}/api/webhooks/acme`, { method: "POST", body: "{}" });
    expect(received[0]?.requestId).toBe(answer.headers.get("x-request-id"));
  });
});

describe("a handshake", () => {
  const x = defineProvider({ name: "x", verifier: createVerifier(schemes.x, { keys: "s".repeat(32) }) });
  const trello = defineProvider({ name: "trello", verifier: createVerifier(schemes.trello, { keys: "s".repeat(32) }) });

  test("by GET is answered as its sender wants it", async () => {
    const { url } = await serve({}, makeApp({ providers: [x] }));
    const answer = await fetch(`${url}/api/webhooks/x?crc_token=abc`);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("sha256=");
  });

  test("by HEAD is answered where only the status counts", async () => {
    const { url } = await serve({}, makeApp({ providers: [trello] }));
    expect((await fetch(`${url}/api/webhooks/trello`, { method: "HEAD" })).status).toBe(200);
  });

  test("that is none is refused", async () => {
    const { url } = await serve();
    await expectProblem(await fetch(`${url}/api/webhooks/acme`), "method_not_allowed");
    await expectProblem(await fetch(`${url}/api/webhooks/nobody`), "unknown_provider");
    expect((await fetch(`${url}/api/webhooks/acme`, { method: "HEAD" })).status).toBe(405);
  });

  test("by OPTIONS reaches the inbox when it is one", async () => {
    const { app, received } = noting();
    const { url } = await serve({}, { ...makeApp(), app });
    await fetch(`${url}/api/webhooks/acme`, { method: "OPTIONS", headers: { "webhook-request-origin": "a.example" } });
    expect(received).toMatchObject([{ method: "OPTIONS", headers: { "webhook-request-origin": "a.example" } }]);
    expect(received[0]?.body.length).toBe(0);
  });

  test("may be answered with text and headers of its own", async () => {
    const { app } = makeApp();
    const answering: App = {
      ...app,
      receive: async () => ({ status: 200, headers: { "content-type": "text/plain" }, text: "challenge" }),
    };
    const { url } = await serve({}, { ...makeApp(), app: answering });
    const answer = await fetch(`${url}/api/webhooks/acme?challenge=challenge`);
    expect(answer.headers.get("content-type")).toBe("text/plain");
    expect(answer.headers.get("content-length")).toBe("9");
    expect(await answer.text()).toBe("challenge");
  });
});

describe("a caller that goes away", () => {
  test("in the middle of a webhook leaves nothing behind", async () => {
    const { app, received } = noting();
    const { port, log } = await serve({}, { ...makeApp(), app });
    const socket = await open(port);
    const text = readToEnd(socket);
    socket.write(lines("POST /api/webhooks/acme HTTP/1.1", "Host: a", "Content-Length: 100") + "x".repeat(50));
    void socket.end();
    await expectProblem(parseReplies(await text)[0], "bad_request");
    await log.reach(1);
    expect(received).toEqual([]);
  });
});
