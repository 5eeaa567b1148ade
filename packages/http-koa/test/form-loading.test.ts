import { createGateway } from "@postern/http";
import { createGatewayServer } from "@postern/http/node";
import { expect, onTestFinished, test, vi } from "vitest";
import { makeApp } from "../../http/test/support/serve.ts";
import { koaListener } from "../src/index.ts";

const loading = vi.hoisted(() => ({ times: 0 }));
vi.mock("koa-body", (loadIt) => {
  loading.times += 1;
  return loadIt();
});

test("the reader of forms is loaded with the first form", async () => {
  const { app } = makeApp();
  const gateway = createGateway({
    ...app,
    rooted: [
      {
        path: "/oauth/token",
        methods: ["POST"],
        answer: async ({ form }) => ({ status: 200, headers: {}, body: [...(await form())] }),
      },
    ],
  });
  const server = createGatewayServer(gateway, { listener: koaListener(gateway) });
  onTestFinished(() => server.close({ graceMs: 0 }));
  const { url } = await server.listen();
  expect((await fetch(`${url}/health/live`)).status).toBe(200);
  expect(loading.times).toBe(0);
  for (let times = 0; times < 2; times += 1) {
    const answer = await fetch(`${url}/oauth/token`, { method: "POST", body: new URLSearchParams({ a: "1" }) });
    expect(await answer.json()).toEqual([["a", "1"]]);
  }
  expect(loading.times).toBe(1);
});
