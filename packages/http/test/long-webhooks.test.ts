import { request } from "node:http";
import type { HttpApp } from "@postern/http";
import { afterEach, expect, test } from "vitest";
import { createGateway } from "../src/gateway.ts";
import { createGatewayServer } from "../src/node/create-http-server.ts";
import { makeApp } from "../src/testing/app-under-test.ts";

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const readMs = 30;

/** A server that keeps its thread busy for 30 ms with each webhook, and notes when. */
const scene = async () => {
  const read: { readonly fromMs: number; readonly untilMs: number }[] = [];
  const app: HttpApp = {
    ...makeApp().app,
    receive: async () => {
      const fromMs = performance.now();
      // It blocks the thread, as parsing does.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, readMs);
      read.push({ fromMs, untilMs: performance.now() });
      return { status: 200, body: {}, done: "stored" };
    },
  };
  const server = createGatewayServer(createGateway(app, { trustProxy: 1 }));
  const { port } = await server.listen();
  ends.push(() => server.close({ graceMs: 0 }));
  const send = (network: string, length: number): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { "x-forwarded-for": network, "content-length": String(length) };
      const path = "/api/webhooks/github";
      const req = request({ port, method: "POST", path, headers, agent: false }, (res) => {
        res.resume().once("end", () => resolve(res.statusCode ?? 0));
      });
      req.on("error", reject);
      req.end("x".repeat(length));
    });
  const pauses = (): readonly number[] =>
    read.slice(1).map(({ fromMs }, index) => Math.round(fromMs - (read[index]?.untilMs ?? 0)));
  return { send, pauses };
};

test("between two long webhooks is as much time for other requests as the first one took", async () => {
  const { send, pauses } = await scene();
  const networks = ["10.0.0.1", "10.0.0.2", "10.0.0.3"];
  expect(await Promise.all(networks.map((network) => send(network, 70_000)))).toEqual([200, 200, 200]);
  for (const pause of pauses()) expect(pause).toBeGreaterThanOrEqual(readMs - 2);
});

test("only a webhook of more than 256 KiB is read in several turns", async () => {
  const given: boolean[] = [];
  const app: HttpApp = {
    ...makeApp().app,
    receive: async ({ pause }) => {
      given.push(pause !== undefined);
      await pause?.();
      return { status: 200, body: {}, done: "stored" };
    },
  };
  const server = createGatewayServer(createGateway(app));
  const { port } = await server.listen();
  ends.push(() => server.close({ graceMs: 0 }));
  for (const length of [1_000, 256 * 1024, 256 * 1024 + 1]) {
    const url = `http://127.0.0.1:${port}/api/webhooks/github`;
    expect((await fetch(url, { method: "POST", body: "x".repeat(length) })).status).toBe(200);
  }
  expect(given).toEqual([false, false, true]);
});
