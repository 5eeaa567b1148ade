import { memoryTelemetry } from "@postern/core/memory";
import { createGateway } from "@postern/http";
import { gatewayFetch } from "@postern/http/fetch";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeApp } from "../src/testing/app-under-test.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const scene = () => {
  const gateway = createGateway(makeApp().app);
  const fetch = gatewayFetch(gateway);
  const ask = (path = "/api"): Promise<Response> => fetch(new Request(`http://127.0.0.1${path}`));
  const drain = (quietMs = 500) => {
    const drained = { isOver: false };
    void gateway.drain(quietMs).then(() => {
      drained.isOver = true;
    });
    return drained;
  };
  return { gateway, ask, drain };
};

test("what arrives while it drains is answered and told that its connection ends, until it is quiet", async () => {
  const { ask, drain } = scene();
  await ask();
  const drained = drain();
  for (let ms = 0; ms < 3_000; ms += 400) {
    await vi.advanceTimersByTimeAsync(400);
    const answer = await ask();
    expect([answer.status, answer.headers.get("connection")]).toEqual([200, "close"]);
    expect(drained.isOver).toBe(false);
  }
  expect((await ask("/health/ready")).status).toBe(503);
  await vi.advanceTimersByTimeAsync(600);
  expect(drained.isOver).toBe(true);

  const refused = await ask();
  expect([refused.status, refused.headers.get("retry-after"), await refused.json()]).toMatchObject([
    503,
    "1",
    { code: "draining" },
  ]);
  expect((await ask("/health/live")).status).toBe(200);
});

test("requests without end keep it for 8 s", async () => {
  const { ask, drain } = scene();
  await ask();
  const drained = drain();
  for (let ms = 0; ms < 7_800; ms += 200) {
    await vi.advanceTimersByTimeAsync(200);
    await ask();
    expect(drained.isOver).toBe(false);
  }
  await vi.advanceTimersByTimeAsync(300);
  expect(drained.isOver).toBe(true);
});

test("where nobody has asked for anything, or nothing is to be waited for, it is over at once", async () => {
  const fresh = scene();
  const drained = fresh.drain();
  await vi.advanceTimersByTimeAsync(0);
  expect(drained.isOver).toBe(true);
  const used = scene();
  await used.ask();
  const usedDrained = used.drain(0);
  await vi.advanceTimersByTimeAsync(0);
  expect(usedDrained.isOver).toBe(true);
});

test("a request under way is waited for", async () => {
  const { gateway, drain } = scene();
  let answer = (): void => undefined;
  const exchange = gateway.open({
    method: "GET",
    target: "/api",
    mountPath: "",
    httpVersion: "1.1",
    headers: { host: "127.0.0.1" },
    rawHeaders: [],
    scheme: "http",
    address: "127.0.0.1",
    body: { read: async () => undefined },
  });
  const answered = gateway.answer(exchange, () => new Promise((resolve) => (answer = () => resolve({ status: 204 }))));
  const drained = drain();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(drained.isOver).toBe(false);
  answer();
  expect(await answered).toMatchObject({ status: 204 });
  await vi.advanceTimersByTimeAsync(600);
  expect(drained.isOver).toBe(true);
});

test("a path that is given twice is warned of once, by its two names", () => {
  const telemetry = memoryTelemetry();
  const gateway = createGateway(makeApp().app, { basePath: "/postern", telemetry });
  const open = (target: string, mountPath: string) =>
    gateway.open({
      method: "POST",
      target,
      mountPath,
      httpVersion: "1.1",
      headers: { host: "127.0.0.1" },
      rawHeaders: [],
      scheme: "http",
      address: "192.0.2.1",
      body: { read: async () => undefined },
    });
  open("/postern/api/webhooks/stripe", "");
  open("/x/postern/api/webhooks/stripe", "/x");
  expect(telemetry.entries.filter(({ level }) => level === "warn")).toEqual([]);
  for (let times = 0; times < 2; times += 1) open("/app/postern/api/webhooks/stripe", "/app/postern");
  expect(telemetry.entries.filter(({ level }) => level === "warn")).toMatchObject([
    { fields: { mounted_below: "/app/postern", base_path: "/postern" } },
  ]);
});
