import { once } from "node:events";
import { Agent, get, type RequestOptions } from "node:https";
import { connect, type TLSSocket } from "node:tls";
import { describe, expect, test } from "vitest";
import { createHttpServer } from "../src/node/index.ts";
import { selfSigned } from "./support/certificate.ts";
import { expectProblem } from "./support/problem.ts";
import { open, parseReplies, readToEnd } from "./support/raw.ts";
import { makeApp, serve } from "./support/serve.ts";

const first = selfSigned("first");
const second = selfSigned("second");

/** Who answered, and what. */
const ask = (url: string, options: RequestOptions): Promise<{ name: string; status: number | undefined }> =>
  new Promise((resolve, reject) => {
    get(url, options, (answer) => {
      // An https answer comes over a TLS socket.
      const name = (answer.socket as TLSSocket).getPeerCertificate().subject.CN;
      answer.resume().once("end", () => resolve({ name: String(name), status: answer.statusCode }));
    }).once("error", reject);
  });

describe("HTTPS", () => {
  test("is spoken with a certificate and a key", async () => {
    const { url } = await serve({ tls: first });
    expect(url).toMatch(/^https:/);
    expect(await ask(`${url}/api`, { ca: first.cert })).toEqual({ name: "first", status: 200 });
  });

  test("goes on with a new certificate, for new connections", async () => {
    const { url, server } = await serve({ tls: first });
    const kept = new Agent({ keepAlive: true, ca: [first.cert, second.cert] });
    expect((await ask(`${url}/api`, { agent: kept })).name).toBe("first");
    server.reloadTls(second);
    expect((await ask(`${url}/api`, { agent: kept })).name).toBe("first");
    expect((await ask(`${url}/api`, { ca: second.cert })).name).toBe("second");
    kept.destroy();
  });

  test("cannot begin on a server that was made without it", () => {
    expect(() => createHttpServer(makeApp().app).reloadTls(first)).toThrow(TypeError);
  });

  test("is refused when key and certificate do not fit", () => {
    expect(() => createHttpServer(makeApp().app, { tls: { cert: first.cert, key: second.key } })).toThrow();
  });

  test("answers what is no HTTP like everything else", async () => {
    const { port } = await serve({ tls: first });
    const socket = connect({ port, host: "127.0.0.1", ca: first.cert });
    await once(socket, "secureConnect");
    const text = readToEnd(socket);
    socket.write("nonsense\r\n\r\n");
    await expectProblem(parseReplies(await text)[0], "bad_request");
  });

  test("survives a caller that speaks no TLS", async () => {
    const { url, port } = await serve({ tls: first });
    const socket = await open(port);
    socket.on("error", () => undefined).resume();
    const closed = once(socket, "close");
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await closed;
    expect((await ask(`${url}/api`, { ca: first.cert })).status).toBe(200);
  });

  test("drains", async () => {
    const { url, server } = await serve({ tls: first });
    const kept = new Agent({ keepAlive: true, ca: first.cert });
    await ask(`${url}/api`, { agent: kept });
    const started = performance.now();
    await server.close({ graceMs: 15_000 });
    expect(performance.now() - started).toBeLessThan(5_000);
    kept.destroy();
  });
});
