import { once } from "node:events";
import { get as httpsGet } from "node:https";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { selfSigned } from "./support/certificate.ts";
import { lines, open, parseReplies, readToEnd } from "./support/raw.ts";
import { serve } from "./support/serve.ts";

const certificate = selfSigned("one");

describe("TLS", () => {
  test("is stayed with: HSTS where the server speaks it itself, and nowhere else", async () => {
    const { url } = await serve({ tls: certificate });
    const headers = await new Promise<NodeJS.Dict<string | string[]>>((resolve, reject) => {
      httpsGet(`${url}/api`, { ca: certificate.cert }, (answer) => {
        answer.resume();
        resolve(answer.headers);
      }).once("error", reject);
    });
    expect(headers["strict-transport-security"]).toBe("max-age=31536000");
    const plain = await serve();
    expect((await fetch(`${plain.url}/api`)).headers.has("strict-transport-security")).toBe(false);
  });

  test("handshakes that do not end are cut", async () => {
    const { port } = await serve({ tls: certificate, handshakeTimeoutMs: 200 });
    const socket = connect({ port, host: "127.0.0.1" });
    socket.on("error", () => undefined).resume();
    const started = performance.now();
    await once(socket, "close");
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe("the drain delay", () => {
  test("says not ready on new connections before any is refused", async () => {
    const { server, url, port } = await serve();
    const closed = server.close({ delayMs: 600, graceMs: 5_000 });
    await sleep(100);
    const socket = await open(port);
    const text = readToEnd(socket);
    socket.write(lines("GET /health/ready HTTP/1.1", "Host: a", "Connection: close"));
    expect(parseReplies(await text)[0]?.status).toBe(503);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    expect((await fetch(`${url}/api`)).status).toBe(200);
    await closed;
    await expect(open(port)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});
