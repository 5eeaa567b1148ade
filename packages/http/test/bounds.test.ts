import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "@postern/app";
import { memoryTelemetry } from "@postern/core/memory";
import { afterEach, describe, expect, test } from "vitest";
import { from, hold, letGo } from "./support/from-address.ts";
import { expectProblem } from "./support/problem.ts";
import { lines, open, parseReplies, raw, readToEnd } from "./support/raw.ts";
import { bearer, json, makeApp, serve, signUp, webhook } from "./support/serve.ts";

afterEach(letGo);

const get = (path: string, ...more: readonly string[]) => lines(`GET ${path} HTTP/1.1`, "Host: a", ...more);

/** An app that counts what it is asked and answers a text of this length. */
const answering = (length: number) => {
  const made = makeApp();
  const asked = { count: 0 };
  const app: App = {
    ...made.app,
    handle: async () => {
      asked.count += 1;
      return { status: 200, text: "x".repeat(length) };
    },
  };
  return { made: { ...made, app }, asked };
};

/** Far more than the kernel takes for a reader that does not read. */
const large = 12_000_000;

describe("answers that are not read", () => {
  test("are made one at a time for each connection, however many requests were pipelined", async () => {
    const { made, asked } = answering(large);
    const { port } = await serve({ waitingLimitBytes: 10 * large, waitingLimitBytesPerAddress: 10 * large }, made);
    for (let index = 0; index < 4; index += 1) await hold("127.0.0.2", port, get("/api").repeat(45));
    await expect.poll(() => asked.count).toBe(4);
    await sleep(300);
    expect(asked.count).toBe(4);
  });

  test("and then are, all arrive in order", async () => {
    const { made } = answering(300_000);
    const { port } = await serve({}, made);
    const answers = await raw(port, get("/api").repeat(20) + get("/nowhere", "Connection: close"));
    expect(answers.map(({ status, body }) => [status, body.length > 1000])).toEqual([
      ...Array.from({ length: 20 }, () => [200, true]),
      [404, false],
    ]);
  });

  test("are bounded by address, and refuse nobody else", async () => {
    const { made } = answering(large);
    const { port, url } = await serve({ waitingLimitBytes: 4 * large }, made);
    const waiting = await hold("127.0.0.2", port, get("/api"));
    await once(waiting, "readable");
    const second = await from("127.0.0.2", `${url}/api`);
    expect([second.status, JSON.parse(second.text)]).toMatchObject([503, { code: "overloaded" }]);
    expect(second.headers["retry-after"]).toBe("1");
    expect((await from("127.0.0.3", `${url}/api`)).text.length).toBe(large);
  });

  test("make way when others need the memory, once their reader has taken nothing for a second", async () => {
    const { made } = answering(large);
    const telemetry = memoryTelemetry();
    const limits = { waitingLimitBytes: large, waitingLimitBytesPerAddress: large };
    const { port, url } = await serve({ telemetry, ...limits }, made);
    const stalled = await hold("127.0.0.2", port, get("/api"));
    await once(stalled, "readable");
    expect((await from("127.0.0.3", `${url}/api`)).status).toBe(503);
    await sleep(1_200);
    expect((await from("127.0.0.3", `${url}/api`)).text.length).toBe(large);
    expect(telemetry.counted("http_readers_cut_total", { reason: "memory" })).toBe(1);
    // What it held is free again: others follow.
    expect((await from("127.0.0.4", `${url}/api`)).text.length).toBe(large);
  });

  test("leave in pieces that let others in between", async () => {
    const { made } = answering(large);
    const { url } = await serve({ waitingLimitBytes: 10 * large, waitingLimitBytesPerAddress: 10 * large }, made);
    const answers = Promise.all(Array.from({ length: 4 }, () => from("127.0.0.2", `${url}/api`)));
    expect((await from("127.0.0.3", `${url}/health/live`)).status).toBe(200);
    for (const { status, text, headers } of await answers) {
      expect([status, text.length, headers["content-length"]]).toEqual([200, large, String(large)]);
    }
  });
});

describe("bodies that are held back", () => {
  const post = (path: string, length: number) =>
    lines(`POST ${path} HTTP/1.1`, "Host: a", "Content-Type: application/json", `Content-Length: ${length}`);

  test("take no slot of those who wait for an answer", async () => {
    const { port, url } = await serve({ maxInFlight: 2 });
    for (let index = 0; index < 20; index += 1) await hold("127.0.0.2", port, post("/api/users", 100));
    await sleep(100);
    expect((await from("127.0.0.3", `${url}/api`)).status).toBe(200);
    expect((await from("127.0.0.2", `${url}/api`)).status).toBe(200);
  });

  test("are not waited for where no body is wanted, or the request is refused", async () => {
    const { port } = await serve();
    for (const [head, status] of [
      [get("/api", "Content-Length: 100"), 200],
      [get("/api", "Transfer-Encoding: chunked"), 200],
      [post("/api/v2/users/me/posts", 100), 401],
      [post("/nowhere", 100), 404],
    ] as const) {
      const socket = await open(port);
      socket.write(head);
      const [answer] = (await once(socket, "data")) as [Buffer];
      expect(answer.toString()).toContain(`HTTP/1.1 ${status} `);
      socket.destroy();
    }
  });

  test("are cut when they come too slowly, with 408", { timeout: 30_000 }, async () => {
    const { port, url } = await serve({ leastUploadRate: 1_000 });
    const slow: Socket[] = [];
    for (const path of ["/api/users", "/api/webhooks/acme"])
      slow.push(await hold("127.0.0.2", port, post(path, 90_000)));
    const drips = slow.map((socket) => {
      const drip = setInterval(() => socket.write(" ".repeat(50)), 200);
      socket.once("data", () => clearInterval(drip));
      return drip;
    });
    const answers = await Promise.all(slow.map((socket) => readToEnd(socket.resume())));
    drips.forEach(clearInterval);
    for (const text of answers) {
      const [answer] = parseReplies(text);
      expect((await expectProblem(answer, "request_timeout")).detail).toContain("1000 bytes a second");
      expect(answer?.headers.get("connection")).toBe("close");
    }
    expect((await from("127.0.0.2", `${url}/api`)).status).toBe(200);
  });

  test("fill the share of their address and no more: signed webhooks from elsewhere are taken", async () => {
    const mebibyte = 1024 * 1024;
    const { port, url } = await serve({ memoryLimitBytes: 8 * mebibyte, webhookLimitBytes: mebibyte });
    const short = Buffer.concat([Buffer.from(post("/api/webhooks/acme", mebibyte)), Buffer.alloc(mebibyte - 1, " ")]);
    for (let index = 0; index < 16; index += 1) await hold("127.0.0.2", port, short).catch(() => undefined);
    const { headers, body } = (await webhook("x".repeat(900_000))) as { headers: Record<string, string>; body: string };
    const delivered = await from("127.0.0.3", `${url}/api/webhooks/acme`, { headers, body });
    expect(delivered.status).toBe(200);
    const own = await from("127.0.0.2", `${url}/api/webhooks/acme`, { headers, body });
    expect(JSON.parse(own.text)).toMatchObject({ code: "overloaded" });
  });

  test("of many addresses leave room for small bodies and for senders that have proven themselves", async () => {
    const mebibyte = 1024 * 1024;
    const { port, url } = await serve({ memoryLimitBytes: 8 * mebibyte, webhookLimitBytes: mebibyte });
    const send = async (address: string, length: number, id: string) => {
      const { headers, body } = (await webhook("x".repeat(length), id)) as {
        headers: Record<string, string>;
        body: string;
      };
      return (await from(address, `${url}/api/webhooks/acme`, { headers, body })).status;
    };
    expect(await send("127.0.0.100", 100, "msg_0")).toBe(200);
    const short = Buffer.concat([Buffer.from(post("/api/webhooks/acme", mebibyte)), Buffer.alloc(mebibyte - 1, " ")]);
    for (let address = 2; address < 10; address += 1) {
      for (let index = 0; index < 3; index += 1) await hold(`127.0.0.${address}`, port, short).catch(() => undefined);
    }
    expect(await send("127.0.0.50", 900_000, "msg_1")).toBe(503);
    expect(await send("127.0.0.50", 30_000, "msg_2")).toBe(200);
    expect(await send("127.0.0.100", 900_000, "msg_3")).toBe(200);
  });
});

describe("JSON that would keep the process busy", () => {
  test("is refused by its members and elements together", async () => {
    const { url } = await serve();
    const nested = `[${"[],".repeat(300_000)}[]]`;
    const problem = await expectProblem(await fetch(`${url}/api/users`, { ...json(0), body: nested }), "invalid_json");
    expect(problem.errors).toMatchObject([{ code: "too_many" }]);
    const within = await fetch(`${url}/api/users`, { ...json(0), body: `{"a":[${"0,".repeat(9_998)}0]}` });
    await expectProblem(within, "validation_failed");
    await expectProblem(
      await fetch(`${url}/api/users`, { ...json(0), body: `{"a":[${"0,".repeat(9_999)}0]}` }),
      "invalid_json",
    );
  });

  test("is refused in a webhook beyond 100,000 of them, and texts may hold anything", async () => {
    const { url } = await serve();
    const send = async (body: string, id: string) => fetch(`${url}/api/webhooks/acme`, await webhook(body, id));
    const problem = await expectProblem(await send(` [${"[],".repeat(100_000)}[]]`, "msg_1"), "content_too_large");
    expect(problem.detail).toContain("100000 members and elements");
    expect((await send(`{"type":"a","list":[${"0,".repeat(99_000)}0]}`, "msg_2")).status).toBe(200);
    expect((await send(`{"type":"a","text":"${'\\",[{'.repeat(100_000)}"}`, "msg_3")).status).toBe(200);
    expect((await send(",".repeat(300_000), "msg_4")).status).toBe(200);
  });
});

describe("forged webhooks", () => {
  test("are all refused, end their connections after 60 a minute, and fill no log", async () => {
    const made = makeApp();
    const { url, log } = await serve({}, made);
    const forged = {
      headers: { "webhook-id": "x", "webhook-timestamp": "1", "webhook-signature": "v1,x" },
      body: "{}",
    };
    const closed: boolean[] = [];
    for (let index = 0; index < 80; index += 1) {
      const { status, headers } = await from("127.0.0.2", `${url}/api/webhooks/acme`, forged);
      expect(status).toBe(401);
      closed.push(headers["x-request-id"] !== undefined && headers.connection === "close");
    }
    expect(log.lines.length).toBe(60);
    expect(log.lines[0]?.fields).toMatchObject({ address: "127.0.0.2", provider: "acme", status: 401 });
    const refused = made.ports.telemetry.entries.filter(({ message }) => message === "webhook refused");
    expect(refused.length).toBe(60);
    expect(refused[0]?.fields).toMatchObject({ address: "127.0.0.2" });
    const signed = (await webhook("{}")) as { headers: Record<string, string>; body: string };
    expect((await from("127.0.0.2", `${url}/api/webhooks/acme`, signed)).status).toBe(200);
    expect((await from("127.0.0.3", `${url}/api/webhooks/acme`, forged)).headers.connection).toBe("close");
    expect(log.lines.length).toBe(62);
  });
});

describe("the access log", () => {
  test("names the address, the user and the sender", async () => {
    const { url, log } = await serve();
    const { id, token } = await signUp(url);
    await from("127.0.0.7", `${url}/api/v2/users/me`, { headers: bearer(token) });
    await from("127.0.0.7", `${url}/api/v2/users/${id}/nothing`, { headers: bearer(token) });
    await from("127.0.0.7", `${url}/api/v2/admin/stats`, { headers: bearer(token) });
    await from("127.0.0.8", `${url}/api/webhooks/nobody`, { body: "{}" });
    await log.reach(6);
    expect(
      log.lines.slice(2).map(({ fields }) => [fields.status, fields.address, fields.user, fields.provider]),
    ).toEqual([
      [200, "127.0.0.7", id, undefined],
      [404, "127.0.0.7", undefined, undefined],
      [403, "127.0.0.7", id, undefined],
      [404, "127.0.0.8", undefined, undefined],
    ]);
  });

  test("warns once where a proxy hides all callers behind its address", async () => {
    const telemetry = memoryTelemetry();
    const { url } = await serve({ telemetry });
    for (let index = 0; index < 3; index += 1) {
      await from("127.0.0.2", `${url}/api`, { headers: { "x-forwarded-for": "192.0.2.1" } });
    }
    const warnings = telemetry.entries.filter(({ level }) => level === "warn");
    expect(warnings.map(({ fields }) => fields?.hint)).toEqual([expect.stringContaining("POSTERN_TRUST_PROXY")]);
    const trusting = memoryTelemetry();
    const second = await serve({ telemetry: trusting, trustProxy: 1 });
    await from("127.0.0.2", `${second.url}/api`, { headers: { "x-forwarded-for": "192.0.2.1" } });
    expect(trusting.entries.filter(({ level }) => level === "warn")).toEqual([]);
    expect(trusting.entries.at(-1)?.fields).toMatchObject({ address: "192.0.2.1" });
  });
});

describe("connections", () => {
  test("carry a thousand requests, pipelined or not, and then a problem", { timeout: 60_000 }, async () => {
    const { port } = await serve();
    const socket = await open(port);
    const text = readToEnd(socket);
    socket.write(get("/health/live").repeat(1_050));
    const answers = parseReplies(await text);
    expect(answers.length).toBe(1_001);
    expect(answers.slice(0, 1_000).every(({ status }) => status === 200)).toBe(true);
    const last = answers.at(-1);
    await expectProblem(last, "overloaded");
    expect(last?.headers.get("retry-after")).toBe("1");
    expect(last?.headers.get("connection")).toBe("close");
  });

  test("are bounded for each address", async () => {
    const { port, url } = await serve({ maxConnectionsPerAddress: 5 });
    for (let index = 0; index < 5; index += 1) await hold("127.0.0.2", port);
    const refused = await hold("127.0.0.2", port);
    const [answer] = parseReplies(await readToEnd(refused.resume()));
    await expectProblem(answer, "overloaded");
    expect((await from("127.0.0.3", `${url}/health/live`)).status).toBe(200);
  });

  test("are bounded in all, and the address with the most loses one", async () => {
    const { port, url } = await serve({ maxConnections: 10, maxConnectionsPerAddress: 10 });
    const held: Socket[] = [];
    for (let index = 0; index < 10; index += 1) held.push(await hold("127.0.0.2", port));
    const first = held[0];
    if (first === undefined) throw new Error("nothing is held");
    first.resume();
    const closed = once(first, "close");
    expect((await from("127.0.0.3", `${url}/health/live`)).status).toBe(200);
    await closed;
    expect(held.filter(({ destroyed }) => destroyed).length).toBe(1);
  });
});
