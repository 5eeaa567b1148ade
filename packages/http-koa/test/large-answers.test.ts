import type { RequestListener } from "node:http";
import { createGateway, type Gateway } from "@postern/http";
import { createGatewayServer } from "@postern/http/node";
import Koa from "koa";
import { expect, onTestFinished, test, vi } from "vitest";
import { makeApp } from "../../http/test/support/serve.ts";
import { gatewayMiddleware, koaListener } from "../src/index.ts";

/** How often `Response` of Node's `fetch` was asked for, after which it is loaded, for a large answer. */
const timesAskedFor = async (listenerOf: (gateway: Gateway) => RequestListener): Promise<number> => {
  const gateway = createGateway(makeApp().app);
  const server = createGatewayServer(gateway, { listener: listenerOf(gateway) });
  const { url } = await server.listen();
  onTestFinished(() => server.close({ graceMs: 0 }));
  const { Response } = globalThis;
  const asked = vi.fn(() => Response);
  Object.defineProperty(globalThis, "Response", { configurable: true, get: asked });
  try {
    const answer = await fetch(`${url}/api/v2/openapi.json`, { headers: { "accept-encoding": "identity" } });
    expect((await answer.text()).length).toBeGreaterThan(100_000);
  } finally {
    Object.defineProperty(globalThis, "Response", { configurable: true, writable: true, value: Response });
  }
  return asked.mock.calls.length;
};

test("a large answer of the server does not load Node's fetch, as Koa would", async () => {
  expect(await timesAskedFor(koaListener)).toBe(0);
  const byKoa = await timesAskedFor((gateway) => {
    const koa = new Koa();
    koa.use(gatewayMiddleware(gateway));
    return koa.callback();
  });
  expect(byKoa).toBeGreaterThan(0);
});
