import { expect, test, vi } from "vitest";
import { makeApp } from "../../http/test/support/serve.ts";
import { koaMiddleware } from "../src/index.ts";

const loading = vi.hoisted(() => ({ times: 0 }));
vi.mock("koa-body", (loadIt) => {
  loading.times += 1;
  return loadIt();
});

test("the reader of forms is loaded with the application, and only if it has a form", async () => {
  const { app } = makeApp();
  koaMiddleware({ ...app, rooted: [] });
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(loading.times).toBe(0);
  koaMiddleware({
    ...app,
    rooted: [{ path: "/oauth/token", methods: ["POST"], answer: async () => ({ status: 200, headers: {} }) }],
  });
  await vi.waitFor(() => expect(loading.times).toBe(1));
});
